"""The live stream of a leaderboard in a world: what a reader is sent, first, then, and when it comes back."""

from __future__ import annotations

from random import Random
from typing import Any, Final

import pytest

from livecore.kernel.scope import scope_of
from livecore.kernel.storage.paging import pack
from livecore.kernel.units.unit import Unit
from livecore.leaderboards.boards import BOARDS, entry_of, remove_entry
from livecore.leaderboards.standings import standings
from livecore.world import Caller, World, WorldRefused
from livecore.world.stream import Received, WorldStream
from tests.competition.games import event, with_events

SOME: Final = 40
FORGED: Final = ((1, -5, "plr_x"), (1, 1, ""), (1, 1, "é"), (1, 1, "x" * 100))
"""Places that no participant can have."""


class Race:
    """A world with an event whose score is the last one given, so that it can also fall."""

    def __init__(self, **fields: object) -> None:
        attempts = {"counts": "last", "maxPerWindow": None}
        race = event(metrics=[{"key": "points", "aggregation": "last"}], attempts=attempts)
        self.world: World = with_events(race, **fields)
        self.reader = Caller(self.world, "sdk", {"authorization": f"Bearer {self.world.keys['client']}"}, None)
        self._attempts: dict[str, str] = {}
        self.world.advance(seconds=1)
        self.board = str(self._attempt("first")["leaderboardId"])

    def _attempt(self, name: str) -> dict[str, Any]:
        answer: dict[str, Any] = self.world.player(name).call("events.start", key="race")
        attempt: dict[str, Any] = answer["attempt"]
        self._attempts[name] = attempt["attemptId"]
        return attempt

    def score(self, name: str, points: int) -> int:
        """Give a player so many points; returns the rank in the answer."""
        if name not in self._attempts:
            self._attempt(name)
        answer = self.world.player(name).call(
            "events.progress", key="race", attempt_id=self._attempts[name], metrics={"points": points}
        )
        rank = answer["rank"]
        assert isinstance(rank, int)
        return rank

    def follow(self, last: str | None = None) -> WorldStream:
        """Open the stream."""
        return self.reader.follow("leaderboards.stream", leaderboard_id=self.board, last_event_id=last)

    def page(self) -> list[Any]:
        """The first entries, as a page has them."""
        entries = self.reader.call("leaderboards.getEvent", leaderboard_id=self.board, limit=200)["entries"]
        assert isinstance(entries, list)
        return entries

    def remove(self, name: str) -> None:
        """Take a player off the board."""
        self.world.server.call("leaderboards.removeEventEntry", external_id=name, leaderboard_id=self.board)


@pytest.fixture
def race() -> Race:
    """A race without scores."""
    return Race()


def test_a_reader_who_has_to_read_again_is_sent_nothing_of_the_state_before(race: Race) -> None:
    """Another reader may have had the ranking loaded anew, whose messages are numbered from the first on."""
    race.score("anna", 0)
    slow, quick = race.follow(), race.follow()
    for points in (10, 20):
        race.score("anna", points)
    for stream in (slow, quick):
        stream.read()
    race.world.store.notices.miss()
    quick.read()
    race.score("anna", 30)
    data: list[Any] = [message.data for message in slow.read() if message.event == "score_update"]
    assert [each["entry"]["score"] for each in data] in ([], [30])


def _update(message: Received) -> tuple[str, int, int, int | None]:
    assert message.event == "score_update"
    entry: Any = message.data["entry"]
    return entry["externalPlayerId"], entry["score"], entry["rank"], message.data["previousRank"]  # type: ignore[return-value] # JSON


def test_it_begins_with_the_state_and_goes_on_with_changes(race: Race) -> None:
    """Each change with the whole entry, its rank, and the rank before; an unchanged score is no change."""
    race.score("anna", 10)
    stream = race.follow()
    (ready,) = stream.read()
    assert ready.data == {
        "leaderboardId": race.board, "status": "open", "entryCount": 1, "revision": int(ready.id or "")
    }  # fmt: skip
    race.score("bert", 20)
    race.score("anna", 30)
    race.score("anna", 30)
    bert, anna = stream.read()
    assert (_update(bert), _update(anna)) == (("bert", 20, 1, None), ("anna", 30, 1, 2))
    assert anna.data["entry"] == race.page()[0]
    assert int(ready.id or "") < int(bert.id or "") < int(anna.id or "")
    assert anna.data["revision"] == int(anna.id or "")


@pytest.mark.parametrize("shown", [True, False])
def test_countries_are_shown_to_players_where_the_game_shows_them_to_strangers(shown: bool) -> None:
    """A stream names no player, so all are strangers to its reader; operators see them, on a stream of the same board."""
    race = Race(privacy={"strangers": {"country": shown}})
    readers = [race.follow(), race.follow()]
    (ready,) = race.follow().read()
    operator = race.world.operator().follow("leaderboards.stream", leaderboard_id=race.board, last_event_id=None)
    for stream in (*readers, operator):
        stream.read()
    race.score("anna", 10)
    race.world.server.call("players.setIdentity", external_id="anna", country="NO")
    race.score("anna", 20)
    seen = [message.data["entry"]["country"] for stream in readers for message in stream.read()]  # type: ignore[index, call-overload] # JSON
    assert seen == ["NO" if shown else None] * 2
    assert [message.data["entry"]["country"] for message in operator.read()] == ["NO"]  # type: ignore[index, call-overload] # JSON
    _, missed = race.follow(ready.id).read()
    assert missed.data["entry"]["country"] == ("NO" if shown else None)  # type: ignore[index, call-overload] # JSON
    assert [entry["country"] for entry in race.page()] == ["NO" if shown else None]


def test_a_stream_that_is_open_follows_a_change_of_what_strangers_see(race: Race) -> None:
    """Its reader is told how things stand, and then sent no more than the game shows now; another change tells nothing."""
    race.score("anna", 10)
    race.world.server.call("players.setIdentity", external_id="anna", country="NO")
    stream = race.follow()
    stream.read()
    settings = race.world.operator().call("settings.get")
    config: Any = settings["config"]
    race.world.configure({**config, "name": "Renamed"})
    assert stream.read() == []
    race.world.configure({**config, "privacy": {"strangers": {"country": False}}})
    assert [message.event for message in stream.read()] == ["ready"]
    race.score("anna", 20)
    (update,) = stream.read()
    assert update.data["entry"]["country"] is None  # type: ignore[index, call-overload] # JSON


def test_updates_that_wait_are_joined_into_the_newest(race: Race) -> None:
    """One for each entry, in the order of the last changes."""
    stream = race.follow()
    stream.read()
    for name, points in (("anna", 1), ("bert", 2), ("anna", 3), ("anna", 4)):
        race.score(name, points)
    assert [_update(message) for message in stream.read()] == [("bert", 2, 1, None), ("anna", 4, 1, 1)]


def test_who_comes_back_is_sent_what_changed_since(race: Race) -> None:
    """One update for each entry, with its rank of now; and nothing but the state where nothing was missed."""
    (ready,) = race.follow().read()
    assert [message.event for message in race.follow(ready.id).read()] == ["ready"]
    for name, points in (("anna", 1), ("bert", 2), ("anna", 3)):
        race.score(name, points)
    again, bert, anna = race.follow(ready.id).read()
    assert "resync" not in again.data
    assert (_update(bert), _update(anna)) == (("bert", 2, 2, None), ("anna", 3, 1, None))
    assert (again.id, again.data["revision"]) == (ready.id, int(anna.id or ""))
    assert [_update(message) for message in race.follow(bert.id).read()[1:]] == [("anna", 3, 1, None)]


def test_who_loses_the_connection_among_the_missed_updates_misses_none(race: Race) -> None:
    """However many of the first messages have arrived, the last id leads to the rest."""
    (ready,) = race.follow().read()
    for name, points in (("anna", 1), ("bert", 2), ("carl", 3)):
        race.score(name, points)
    first = race.follow(ready.id).read()
    for arrived in range(1, len(first) + 1):
        rest = race.follow(first[arrived - 1].id).read()[1:]
        assert [_update(message) for message in rest] == [_update(message) for message in first[arrived:]]


def test_a_forged_cursor_is_refused_by_a_ranking_in_memory() -> None:
    """Whatever place it names, which no entry can have."""
    race = Race()
    race.score("anna", 1)
    race.follow().read()
    for place in FORGED:
        with pytest.raises(WorldRefused) as refused:
            race.reader.call("leaderboards.getEvent", leaderboard_id=race.board, cursor=pack(place))
        assert refused.value.code == "validation_failed"


@pytest.mark.parametrize("last", ["0", "x", "-1", "99999999999999999", "²"])
def test_an_unknown_revision_is_answered_with_resync(race: Race, last: str) -> None:
    """Also what is no revision at all."""
    race.score("anna", 1)
    (ready,) = race.follow(last).read()
    assert (ready.event, ready.data["resync"]) == ("ready", True)


def test_a_revision_of_a_ranking_that_was_dropped_is_not_known(race: Race) -> None:
    """Notices may have been missed, so nobody knows what has changed since."""
    stream = race.follow()
    (ready,) = stream.read()
    race.world.store.notices.miss()
    race.score("anna", 1)
    (again,) = race.follow(ready.id).read()
    assert again.data["resync"] is True
    (for_the_open,) = stream.read()
    assert (for_the_open.event, for_the_open.data["resync"], for_the_open.data["entryCount"]) == ("ready", True, 1)
    race.score("bert", 2)
    assert [_update(message) for message in stream.read()] == [("bert", 2, 1, None)]


def test_a_removed_entry_has_readers_read_again(race: Race) -> None:
    """Those who follow, and those who come back."""
    race.score("anna", 1)
    race.score("bert", 2)
    stream = race.follow()
    (ready,) = stream.read()
    race.remove("bert")
    (again,) = stream.read()
    assert (again.event, again.data["resync"], again.data["entryCount"]) == ("ready", True, 1)
    (back,) = race.follow(ready.id).read()
    assert back.data["resync"] is True
    race.score("anna", 5)
    assert [_update(message) for message in stream.read()] == [("anna", 5, 1, 1)]


def test_a_final_board_is_ready_and_closed(race: Race) -> None:
    """An open stream is closed when the board becomes final; one that is opened later has both at once."""
    race.score("anna", 1)
    stream = race.follow()
    stream.read()
    race.world.advance(hours=1)
    last = stream.read()[-1]
    closed = {"leaderboardId": race.board, "status": "finalized", "reason": "finalized"}
    assert (last.event, last.data, stream.is_open) == ("closed", closed, False)
    ready, over = race.follow().read()
    assert (ready.data["status"], ready.data["entryCount"], over.data) == ("finalized", 1, closed)
    assert "resync" not in ready.data
    assert [message.data.get("resync") for message in race.follow("7").read()] == [True, None]
    assert "resync" not in race.follow(ready.id).read()[0].data


def test_unknown_boards_are_refused(race: Race) -> None:
    """As for a read."""
    with pytest.raises(WorldRefused) as refused:
        race.reader.follow("leaderboards.stream", leaderboard_id="lbd_unknown")
    assert refused.value.code == "leaderboard_not_found"


def test_ranks_and_pages_are_those_of_a_sort() -> None:
    """With a ranking in memory and without one: after each write the rank in the answer, the page, and the update."""
    race, chance = Race(), Random(7)  # noqa: S311 - a shuffled test
    stream = race.follow()
    stream.read()
    names = [f"p{number}" for number in range(SOME)]
    scores: dict[str, tuple[int, int]] = {}
    for turn in range(300):
        name = chance.choice(names)
        if chance.random() < 0.05 and name in scores:
            race.remove(name)
            del scores[name], race._attempts[name]
            (again,) = stream.read()
            assert (again.event, again.data["entryCount"]) == ("ready", len(scores))
            continue
        race.world.advance(seconds=1)
        points = chance.randrange(12)
        before = sorted(scores, key=lambda one: (-scores[one][0], scores[one][1]))
        if name not in scores or scores[name][0] != points:
            scores[name] = (points, turn)
        order = sorted(scores, key=lambda one: (-scores[one][0], scores[one][1]))
        assert race.score(name, points) == order.index(name) + 1
        assert [entry["externalPlayerId"] for entry in race.page()] == order
        assert [entry["rank"] for entry in race.page()] == list(range(1, len(order) + 1))
        previous = before.index(name) + 1 if name in before else None
        for message in stream.read():
            assert _update(message) == (name, points, order.index(name) + 1, previous)


def test_an_entry_written_in_a_unit_counts_in_it(race: Race) -> None:
    """The rows that a unit has written lie over the ranking."""
    race.score("anna", 10)
    race.follow().read()
    scope = scope_of(race.world.game.game_id, "test")

    def remove(unit: Unit) -> int:
        board = unit.tx.get(BOARDS, race.board)
        assert board is not None
        entry = entry_of(unit, race.board, race.world.player("anna").player_id)
        assert entry is not None
        remove_entry(unit, entry)
        return standings(unit, race.board).size()

    assert race.world.unit_of_work(remove, scope) == 0
