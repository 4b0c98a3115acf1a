"""Bots: their names, and scores that never fall and are the same on every read."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from livecore.kernel.time import SECOND
from livecore.leaderboards.definition_rows import Order
from livecore.lobbies.bot_scores import Move, moves, next_move, score_after
from livecore.lobbies.config import ScorePoint
from livecore.world import World
from tests.commerce.shop import found_wrong
from tests.competition.playing import begin, board, gold, progress
from tests.lobbies.groups import BOTS, FILL_SECONDS, arena, lobby_of, push, waiting
from tests.worlds import Since, ask

_POINTS = st.lists(
    st.tuples(st.integers(0, 1_000), st.integers(-1_000, 1_000), st.integers(0, 500)),
    min_size=1,
    max_size=6,
    unique_by=lambda point: point[0],
).map(
    lambda points: tuple(
        ScorePoint(after_seconds=at, min=least, max=least + more) for at, least, more in sorted(points)
    )
)
_SEEDS = st.binary(min_size=16, max_size=16).map(bytes.hex)


# -- the function ---------------------------------------------------------------------------------------------------------


@given(_POINTS, st.sampled_from(["desc", "asc"]), _SEEDS, st.integers(0, 199))
@settings(max_examples=200)
def test_scores_never_fall_and_are_within_their_bounds(
    points: tuple[ScorePoint, ...], order: Order, seed: str, number: int
) -> None:
    """At each moment that the event names, a bot is between its bounds, or where it was already above them."""
    made = moves(points, order, seed, number)
    assert all(one.after < other.after and one.score < other.score for one, other in pairwise(made))
    reached = None
    for point in points:
        at = score_after(made, point.after_seconds * SECOND)
        assert at is not None
        least = point.min if reached is None else max(point.min, reached)
        most = point.max if reached is None else max(point.max, reached)
        assert least <= at.score <= most
        reached = at.score
    assert made[-1].after <= points[-1].after_seconds * SECOND
    assert moves(points, order, seed, number) == made


@given(_POINTS, _SEEDS, st.integers(-10, 1_100_000))
def test_a_move_is_the_last_one_until_the_next(points: tuple[ScorePoint, ...], seed: str, elapsed: int) -> None:
    """What is written at a moment, and when there is more to write."""
    made = moves(points, "desc", seed, 0)
    last, following = score_after(made, elapsed), next_move(made, elapsed)
    assert (last is None) == (made[0].after > elapsed)
    assert (following is None) == (made[-1].after <= elapsed)
    if last is not None and following is not None:
        assert last.after <= elapsed < following


def test_where_less_is_better_bots_stand_still_between_moments() -> None:
    """A score on the way there would be a better one."""
    points = (ScorePoint(after_seconds=10, min=50, max=60), ScorePoint(after_seconds=20, min=70, max=80))
    made = moves(points, "asc", "00" * 16, 0)
    assert [move.after for move in made] == [10_000, 20_000]
    assert made == (Move(10_000, made[0].score), Move(20_000, made[1].score))


# -- on a board -----------------------------------------------------------------------------------------------------------


def _with_bots(**fields: Any) -> tuple[World, dict[str, Any]]:  # noqa: ANN401 - JSON
    here = arena({"bots": BOTS}, **fields)
    lobby_id = waiting(here.player("anna"))
    here.advance(seconds=FILL_SECONDS)
    return here, lobby_of(here, lobby_id)


def _bots(here: World, lobby: dict[str, Any]) -> dict[object, int]:
    entries: Any = board(here, lobby["leaderboardId"]).list("entries")
    return {row["name"]: row["score"] for row in entries if row["isBot"]}


def test_bots_climb_the_board() -> None:
    """As the event says; each read at one moment is the same, and a later one is never lower."""
    here, lobby = _with_bots()
    seen: list[dict[object, int]] = [_bots(here, lobby)]
    bounds = {10: (5, 9), 60: (40, 80), 300: (100, 400)}
    for second in range(1, 310):
        here.advance(seconds=1)
        now = _bots(here, lobby)
        assert all(now[name] >= score for name, score in seen[-1].items())
        if second in bounds:
            least, most = bounds[second]
            assert all(least <= score <= most for score in now.values())
        seen.append(now)
    assert len({tuple(sorted(scores.items(), key=str)) for scores in seen}) > 12
    assert found_wrong(here) == []


def test_an_entry_of_a_bot_has_no_player() -> None:
    """No ids and no country; its name is that of the lobby's list."""
    here, lobby = _with_bots()
    here.advance(seconds=10)
    rows: Any = board(here, lobby["leaderboardId"]).list("entries")
    named = {row["displayIdentity"]["name"] for row in lobby["participants"] if row["isBot"]}
    assert {row["name"] for row in rows} == named
    for row in rows:
        assert (row["playerId"], row["externalPlayerId"], row["country"]) == (None, None, None)
        assert (row["anonymizedName"], row["anonymizedAvatar"]) == (row["name"], row["avatar"])


def test_a_rank_in_an_answer_knows_the_bots() -> None:
    """Also where their moves are due and have not been written."""
    here, lobby = _with_bots()
    anna = here.player("anna")
    attempt = begin(anna).text("attempt.attemptId")
    here.now += 10 * SECOND
    assert progress(anna, attempt, points=1)["rank"] == 3
    assert [row["score"] > 4 for row in board(here, lobby["leaderboardId"]).list("entries")[:2]] == [True, True]  # type: ignore[operator] # numbers
    assert progress(anna, attempt, points=1_000)["rank"] == 1


def test_rewards_skip_bots_and_not_their_ranks() -> None:
    """Who is third behind two bots wins what the third rank wins."""
    rewards = [{"from": rank, "to": rank, "entries": [gold(rank)]} for rank in (1, 2, 3)]
    here, lobby = _with_bots(rankRewards=rewards)
    anna = here.player("anna")
    attempt = begin(anna).text("attempt.attemptId")
    progress(anna, attempt, points=1)
    here.advance(minutes=2)
    before = Since(here)
    here.advance(minutes=30)
    (won,) = before.of("grant.created")
    assert won["entries"] == [{"type": "currency", "resourceKey": "gold", "amount": 3}]
    (told,) = before.of("leaderboard.finalized")
    assert told["entryCount"] == 3
    assert [row["playerId"] is None for row in told["topRanks"]] == [True, True, False]  # type: ignore[union-attr,index,call-overload] # JSON
    assert len(board(here, lobby["leaderboardId"]).list("entries")) == 3


def test_no_bot_moves_after_the_end() -> None:
    """Neither after the window nor after it was ended early."""
    here, lobby = _with_bots()
    here.advance(seconds=10)
    ask(here.server, "dev.endWindow", event_key="race")
    final = _bots(here, lobby)
    here.advance(minutes=20)
    assert _bots(here, lobby) == final


def test_names_are_given_once_before_any_is_repeated() -> None:
    """Then with a number; without a list the names are those of the identity pool."""
    here = arena({"bots": BOTS})
    lobby: Any = push(here, "k", "anna", capacity=8, fill_bots=True).data["lobby"]
    names = [row["displayIdentity"]["name"] for row in lobby["participants"] if row["isBot"]]
    assert len(set(names)) == 7
    assert sorted(Counter(name.partition(" ")[0] for name in names).values()) == [2, 2, 3]
    nameless = arena({"bots": {"scoreAt": BOTS["scoreAt"]}})
    drawn: Any = push(nameless, "k", "anna", capacity=8, fill_bots=True).data["lobby"]
    assert all(" " in row["displayIdentity"]["name"] for row in drawn["participants"] if row["isBot"])


def test_a_repeated_name_is_no_longer_than_a_player_s() -> None:
    """It is cut for the number to fit; a bot's name is as a player's may be."""
    here = arena({"bots": {**BOTS, "names": ["x" * 40]}})
    lobby: Any = push(here, "k", "anna", capacity=3, fill_bots=True).data["lobby"]
    names = [row["displayIdentity"]["name"] for row in lobby["participants"] if row["isBot"]]
    assert names == ["x" * 40, "x" * 38 + " 2"]


def test_bots_stand_on_the_stream_too() -> None:
    """A reader sees their moves."""
    here, lobby = _with_bots()
    stream = here.player("reader").follow("leaderboards.stream", leaderboard_id=lobby["leaderboardId"])
    here.advance(seconds=10)
    moved: Any = [message.data for message in stream.read() if message.event == "score_update"]
    assert moved
    assert all(message["entry"]["isBot"] for message in moved)
