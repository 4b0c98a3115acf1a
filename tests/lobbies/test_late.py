"""Due work that runs late, also after the window's end: ranks, rewards and events are those of work that ran in time."""

from __future__ import annotations

from typing import Any, Final

import pytest

from livecore.events import window_closing
from livecore.kernel.declarations.jobs import MOST_ROWS
from livecore.kernel.errors import JsonObject
from livecore.kernel.time import SECOND
from livecore.lobbies.lobby import LOBBIES
from livecore.world import World
from tests.commerce.shop import found_wrong
from tests.competition.playing import begin, board, gold, places, progress
from tests.lobbies.groups import FILL_SECONDS, arena, lobby_of, push, waiting
from tests.worlds import Since, ask, rows_of

_WINDOW: Final = 1_800
_REWARDS: Final = [{"from": 1, "to": 1, "entries": [gold(9)]}, {"from": 2, "to": 2, "entries": [gold(1)]}]
_MOMENTS: Final = (10, 50, 90, 130, 170, 600, 1200, 1700)
_BOTS: Final[JsonObject] = {
    "names": ["Bolt"],
    "scoreAt": [{"afterSeconds": at, "min": at, "max": at} for at in _MOMENTS],
}
_MINUTE: Final[JsonObject] = {"label": "time-up", "type": "elapsed", "value": 60}


def _with_bots(resolution: str) -> World:
    session: JsonObject = {"triggers": [_MINUTE], "resolution": resolution}
    return arena({"bots": _BOTS}, capacity=2, session=session, rankRewards=_REWARDS)


def _late(here: World, seconds: int) -> None:
    """Let time pass without due work; then let it run."""
    here.now += seconds * SECOND
    here.advance(seconds=0)


def _times(since: Since, kind: str, *names: str) -> list[list[Any]]:
    return [[row[name] for name in names] for row in since.of(kind)]


def _outcome(here: World, since: Since, lobby_id: str) -> dict[str, object]:
    """What is left of a lobby, but for the moments at which due work has run."""
    lobby = lobby_of(here, lobby_id)
    shown = board(here, lobby["leaderboardId"])
    return {
        "kinds": sorted(since.kinds),
        "lobby": [lobby[name] for name in ("status", "startedAt", "endsAt", "promotionReason", "botCount", "fillBy")],
        "board": [shown[f"leaderboard.{name}"] for name in ("status", "endsAt", "entryCount")],
        "entries": [(row["rank"], row["name"], row["score"], row["reachedAt"]) for row in shown.list("entries")],
        "won": _times(since, "grant.created", "externalPlayerId", "entries"),
        "ended": _times(since, "session.terminated", "terminatedAt", "frozenCount", "resolution"),
        "frozen": _times(since, "session.frozen", "attemptId", "frozenAt", "score"),
        "expired": _times(since, "event.expired", "attemptId", "expiredAt", "endsAt"),
        "closed": _times(since, "lobby.closed", "reason", "startedAt", "endsAt", "botCount"),
        "final": _times(since, "leaderboard.finalized", "endsAt", "entryCount"),
        "wrong": found_wrong(here),
    }


# -- sessions -------------------------------------------------------------------------------------------------------------


def _played(resolution: str, lag: int, *, end_now: bool = False) -> dict[str, object]:
    """A player against a bot that overtakes them after the session's end; due work rests after 40 seconds."""
    here = _with_bots(resolution)
    lobby_id = push(here, "k", "anna", fill_bots=True).text("lobby.lobbyId")
    anna = here.player("anna")
    attempt = begin(anna).text("attempt.attemptId")
    progress(anna, attempt, points=80)
    before = Since(here)
    here.advance(seconds=40)
    if end_now:
        here.now += lag * SECOND
        ask(here.server, "dev.endWindow", event_key="race")
    else:
        _late(here, lag)
    here.advance(seconds=5_000 - lag)
    shown = ask(anna, "events.getAttempt", key="race", attempt_id=attempt)
    own = [shown[f"attempt.{name}"] for name in ("status", "endsAt", "frozenAt")]
    return {**_outcome(here, before, lobby_id), "attempt": own}


@pytest.mark.parametrize("resolution", ["freeze", "close"])
@pytest.mark.parametrize("lag", [15, 55, 100, 1_759, 1_760, 1_900, 4_000])
def test_a_session_ends_when_its_time_is_over_however_late(resolution: str, lag: int) -> None:
    """No bot moves afterwards, also where the window was over by then."""
    assert _played(resolution, lag) == _played(resolution, 0)


@pytest.mark.parametrize("most_rows", [1, MOST_ROWS])
@pytest.mark.parametrize("resolution", ["freeze", "close"])
def test_the_close_ends_such_sessions_first(resolution: str, most_rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before it looks at attempts and boards, in bounded steps."""
    monkeypatch.setattr(window_closing, "MOST_ROWS", most_rows)
    monkeypatch.setattr(window_closing, "_ROWS", most_rows)
    late = _played(resolution, 100, end_now=True)
    assert late["ended"] == [["2026-01-01T00:01:00.000Z", 1, resolution]]
    in_time = _played(resolution, 0)
    same = [
        "entries",
        "won",
        "ended",
        "frozen",
        "wrong",
        *(["attempt", "final", "expired"] if resolution == "close" else []),
    ]
    assert {name: late[name] for name in same} == {name: in_time[name] for name in same}


# -- filling --------------------------------------------------------------------------------------------------------------


def _filling(names: tuple[str, ...], lag: int, **more: Any) -> dict[str, object]:  # noqa: ANN401 - JSON
    here = arena(**more)
    before = Since(here)
    (lobby_id,) = {waiting(here.player(name)) for name in names}
    _late(here, lag)
    here.advance(seconds=5_000 - lag)
    return _outcome(here, before, lobby_id)


@pytest.mark.parametrize("lag", [_WINDOW, _WINDOW + 100, 2 * _WINDOW])
@pytest.mark.parametrize("names", [("anna",), ("anna", "bert")], ids=len)
@pytest.mark.parametrize("bots", [None, _BOTS], ids=["people", "bots"])
@pytest.mark.parametrize("session", [None, "freeze", "close"])
def test_a_lobby_starts_when_its_time_to_fill_was_over(
    lag: int, names: tuple[str, ...], bots: JsonObject | None, session: str | None
) -> None:
    """Or is closed unfilled; the close of the window knows what has not been done in time."""
    more: dict[str, Any] = {} if bots is None else {"lobby": {"bots": bots}}
    if session is not None:
        more["session"] = {"triggers": [_MINUTE], "resolution": session}
    assert _filling(names, lag, **more) == _filling(names, 0, **more)


@pytest.mark.parametrize("most_rows", [1, MOST_ROWS])
def test_the_close_fills_such_lobbies_first(most_rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that had no time to fill beyond the window's end ends with the window."""
    monkeypatch.setattr(window_closing, "MOST_ROWS", most_rows)
    monkeypatch.setattr(window_closing, "_ROWS", most_rows)
    quick: JsonObject = {"names": ["Bolt"], "scoreAt": [{"afterSeconds": 1, "min": 1, "max": 1}]}
    here = arena({"bots": quick, "matchBy": ["region"]})
    early = [waiting(here.player(name), player_context={"region": name}) for name in ("anna", "bert")]
    here.now += (FILL_SECONDS - 5) * SECOND
    late = waiting(here.player("carl"), player_context={"region": "carl"})
    here.now += 10 * SECOND
    ask(here.server, "dev.endWindow", event_key="race")
    here.advance(seconds=30)
    assert [lobby_of(here, lobby_id)["promotionReason"] for lobby_id in (*early, late)] == ["timeout", "timeout", None]
    assert {row.status for row in rows_of(here, LOBBIES)} == {"closed"}
    # The bots of those that had started were on their way for some seconds.
    assert [len(places(here, lobby_of(here, id_)["leaderboardId"])) for id_ in (*early, late)] == [2, 2, 0]
    assert found_wrong(here) == []


# -- what comes in between ------------------------------------------------------------------------------------------------


def _duel(resolution: str) -> tuple[World, str, dict[str, str]]:
    """Two who play in a lobby; gives it and their attempts."""
    session: JsonObject = {"triggers": [_MINUTE], "resolution": resolution}
    here = arena(capacity=2, session=session, rankRewards=_REWARDS)
    lobby_id = push(here, "k", "anna", "bert").text("lobby.lobbyId")
    attempts = {name: begin(here.player(name)).text("attempt.attemptId") for name in ("anna", "bert")}
    for points, (name, attempt) in enumerate(attempts.items(), 5):
        progress(here.player(name), attempt, points=points)
    return here, lobby_id, attempts


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("resolution", ["freeze", "close"])
def test_an_entry_is_removed_after_the_end_that_was_due(resolution: str, *, late: bool) -> None:
    """A board that should be final already does not change any more."""
    here, lobby_id, _ = _duel(resolution)
    before = Since(here)
    if late:
        here.now += 70 * SECOND
    else:
        here.advance(seconds=70)
    board_id = lobby_of(here, lobby_id)["leaderboardId"]
    reply = ask(here.server, "leaderboards.removeEventEntry", external_id="bert", leaderboard_id=board_id)
    if resolution == "close":
        assert reply.refusal == (409, "leaderboard_finalized")
    else:
        assert reply.data == {"removed": True}
    here.advance(hours=1)
    assert _times(before, "session.terminated", "terminatedAt", "frozenCount") == [["2026-01-01T00:01:00.000Z", 2]]
    assert [name for _, name, _ in places(here, board_id)] == (["bert", "anna"] if resolution == "close" else ["anna"])
    assert found_wrong(here) == []


@pytest.mark.parametrize("resolution", ["freeze", "close"])
def test_a_merge_comes_after_the_end_that_was_due(resolution: str) -> None:
    """What it finds does not depend on when due work runs."""
    found = []
    for late in (False, True):
        here, lobby_id, _ = _duel(resolution)
        before = Since(here)
        if late:
            here.now += 70 * SECOND
        else:
            here.advance(seconds=70)
        ask(here.server, "players.merge", external_id="anna", to_external_id="bert")
        here.advance(hours=1)
        found.append({**_outcome(here, before, lobby_id), "kinds": sorted(set(before.kinds))})
    assert found[0] == found[1]
