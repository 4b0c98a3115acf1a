"""The boards of lobbies that are closed: what the readers of a stream and the studio's backend are told."""

from __future__ import annotations

from typing import Any, Final

import pytest

from livecore.kernel.errors import JsonObject
from livecore.kernel.time import SECOND
from livecore.world import World
from livecore.world.stream import WorldStream
from tests.commerce.shop import found_wrong
from tests.competition.playing import begin, board, progress
from tests.lobbies.groups import FILL_SECONDS, arena, lobby_of, push, waiting
from tests.worlds import Since, ask

_CLOSE: Final[JsonObject] = {"triggers": [{"label": "won", "type": "first_to_target"}], "resolution": "close"}
_BOTS: Final[JsonObject] = {
    "scoreAt": [{"afterSeconds": 10, "min": 5, "max": 5}, {"afterSeconds": 100, "min": 50, "max": 50}]
}


def _follow(here: World, board_id: object) -> WorldStream:
    return here.player("reader").follow("leaderboards.stream", leaderboard_id=board_id)


def _end_of(stream: WorldStream) -> tuple[object, object]:
    """Why a stream has ended, and the state of its board."""
    last: Any = stream.read()[-1]
    assert last.event == "closed"
    return last.data["reason"], last.data["status"]


@pytest.mark.parametrize("seats", [4, 60])
def test_readers_learn_that_a_board_was_closed_with_its_lobby(seats: int) -> None:
    """Also where so many bots move at that moment that one notice is about all boards, and who comes afterwards."""
    here = arena({"bots": _BOTS}, capacity=seats, target=1_000, session=_CLOSE)
    board_id = push(here, "k", "anna", fill_bots=True).text("lobby.leaderboardId")
    anna = here.player("anna")
    attempt = begin(anna).text("attempt.attemptId")
    stream = _follow(here, board_id)
    stream.read()
    here.now += 10 * SECOND
    progress(anna, attempt, points=1_000)
    assert _end_of(stream) == ("lobby_closed", "finalized")
    assert _end_of(_follow(here, board_id)) == ("lobby_closed", "finalized")


def test_a_board_that_ends_with_its_window_is_finalized() -> None:
    """Nothing is said of the lobby."""
    here = arena(capacity=2)
    board_id = push(here, "k", "anna").text("lobby.leaderboardId")
    here.advance(hours=1)
    assert _end_of(_follow(here, board_id)) == ("finalized", "finalized")


@pytest.mark.parametrize("why", ["emptied", "unfilled"])
def test_the_board_of_a_lobby_that_never_started_is_final_with_it(why: str) -> None:
    """Which is told once, like the end of every board."""
    here = arena()
    anna = here.player("anna")
    lobby_id = waiting(anna)
    before = Since(here)
    if why == "emptied":
        here.advance(seconds=5)
        ask(anna, "lobbies.leave", lobby_id=lobby_id)
    else:
        here.advance(seconds=FILL_SECONDS)
    lobby = lobby_of(here, lobby_id)
    (told,) = before.of("leaderboard.finalized")
    assert [told[name] for name in ("leaderboardId", "lobbyId", "entryCount", "topRanks", "endsAt")] == [
        lobby["leaderboardId"], lobby_id, 0, [], lobby["closedAt"],
    ]  # fmt: skip
    assert board(here, lobby["leaderboardId"])["leaderboard.endsAt"] == told["endsAt"]
    assert _end_of(_follow(here, lobby["leaderboardId"])) == ("lobby_closed", "finalized")
    here.advance(hours=1)
    assert len(before.of("leaderboard.finalized")) == 1
    assert [row["reason"] for row in before.of("lobby.closed")] == [why]
    assert found_wrong(here) == []
