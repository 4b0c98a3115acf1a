"""A way more to play an event, in this one file: a duel of two, which the first to reach a score wins.

Two players who start at the event meet in a duel with a leaderboard of its own. Who comes first is answered 202 until
somebody else is there. When one of the two has reached the score, the duel is over, and neither makes progress any more.
Nothing of the service knows of duels.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, cast

import pytest

from livecore.api.areas import AREAS
from livecore.api.configuration.game_config import config_schema, parse_config
from livecore.api.operations import ROWS, table_of
from livecore.events.attempt_records import Attempt
from livecore.events.definition import EventDefinition, FormatPart
from livecore.events.format import ClosingStep, Entrant, EventFormat
from livecore.events.window_records import EventWindow, definition_of, new_board
from livecore.kernel.declarations.area import Area
from livecore.kernel.declarations.jobs import Cursor
from livecore.kernel.declarations.player_lifecycle import Merging
from livecore.kernel.errors import Conflict, Json, JsonObject, NotYet, ValidationFailed
from livecore.kernel.storage.reads import AnyRead, Scan
from livecore.kernel.storage.records import PlayerId, evolve
from livecore.kernel.storage.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.time import DAY
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as record
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.codec import encode
from livecore.kernel.wire.config import Fault
from livecore.kernel.wire.shapes import Int
from livecore.leaderboards.boards import BOARDS, Leaderboard, board_id_of
from livecore_server.cli.new_games import create_game
from livecore_server.storage.database import store_at
from tests.added_game import STORES, AddedGame, findings, headers_for
from tests.server.serving import serving
from tests.worlds import RACES, config

# -- the format -----------------------------------------------------------------------------------------------------------


@shape
class DuelRules:
    """A duel of two, which is over when one of them has reached this score."""

    first_to: Annotated[int, Int(1, 1_000)]


def _faults(_: object, event: EventDefinition, path: str) -> Iterator[Fault]:
    if DUEL.of(event) is not None and event.board.by != "window":
        yield f"{path}.board.by", "cannot be given with 'duel': each duel has a leaderboard of its own"


DUEL: Final = FormatPart("duel", DuelRules, faults=_faults, groups="duel")


@record
class DuelSeat:
    """A player in a duel; `waiting` is the window as long as nobody else is in it."""

    board_id: str
    player_id: PlayerId
    window_id: str
    waiting: str | None
    won: bool = False


SEATS = Table(
    "duel_seats",
    DuelSeat,
    key=("board_id", "player_id"),
    players={"player_id": PlayerColumn(Merge.FOLD, Erase.DELETE)},
    export=None,
)
WAITING = SEATS.index("waiting", prefix=("waiting",), order=("board_id",))
OF_PLAYER = SEATS.index("of_player", prefix=("player_id",), order=("window_id", "board_id"))
OF_BOARD = SEATS.index("of_board", prefix=("board_id",), order=("player_id",))
OF_WINDOW = SEATS.index("of_window", prefix=("window_id",), order=("board_id", "player_id"))


class DuelWaiting(NotYet):
    """Nobody else is in the duel yet."""

    code = "duel_waiting"
    text = "The duel waits for a second player."
    remedy = "Start again in a while; nothing was charged."


class DuelOver(Conflict):
    """One of the two has reached the score."""

    code = "duel_over"
    text = "The duel is over."
    remedy = "Read the leaderboard."


def _own(entrant: Entrant) -> Scan[DuelSeat]:
    window_id = entrant.window.window_id
    return Scan(OF_PLAYER, (entrant.player.player_id,), start=(window_id,), stop=(f"{window_id}~",), limit=1)


def _waiting(entrant: Entrant) -> Scan[DuelSeat]:
    return Scan(WAITING, (entrant.window.window_id,), limit=1)


def _forget(step: ClosingStep, _: Cursor) -> Cursor | None:
    """Delete the seats of the window, which nothing needs any more."""
    seats = step.unit.tx.scan(OF_WINDOW, step.window.window_id, limit=step.rows_left)
    for seat in seats:
        step.unit.tx.delete(SEATS, seat.board_id, seat.player_id)
    return () if len(seats) == step.rows_left else None


def _unite(unit: Unit, merging: Merging) -> None:
    """Give the target the seats of the source, but for one in a duel in which the target sits."""
    for seat in unit.tx.scan(OF_PLAYER, merging.source_id):
        unit.tx.delete(SEATS, seat.board_id, seat.player_id)
        if unit.tx.get(SEATS, seat.board_id, merging.target_id) is None:
            unit.tx.insert(SEATS, evolve(seat, player_id=merging.target_id))


class DuelFormat(EventFormat):
    """Duels of two."""

    parts: ClassVar = (DUEL,)
    refusals: ClassVar = {"events.start": (DuelWaiting,), "events.progress": (DuelOver,)}
    clean_up: ClassVar = {"duels": _forget}

    def reads_to_start(self, unit: Unit, entrant: Entrant) -> Iterable[AnyRead]:
        """The own seat, and one that waits."""
        return _own(entrant), _waiting(entrant)

    def seat(self, unit: Unit, entrant: Entrant) -> Leaderboard | NotYet:
        """The board of the duel, once two are in it."""
        own, waiting = unit.tx.read_together(_own(entrant), _waiting(entrant))
        if own:
            board = unit.tx.existing(BOARDS, (own[0].board_id,))[0]
            return DuelWaiting() if own[0].waiting else board
        if waiting:
            (other,) = waiting
            unit.tx.put(SEATS, evolve(other, waiting=None))
            unit.tx.insert(SEATS, evolve(other, player_id=entrant.player.player_id, waiting=None))
            return unit.tx.existing(BOARDS, (other.board_id,))[0]
        board = new_board(unit, entrant.window, entrant.definition)
        board = evolve(board, board_id=board_id_of(unit.scope.id, unit.now, entrant.player.player_id, board.board_id))
        unit.tx.insert(BOARDS, board)
        window_id = entrant.window.window_id
        player_id = entrant.player.player_id
        seat = DuelSeat(board_id=board.board_id, player_id=player_id, window_id=window_id, waiting=window_id)
        unit.tx.insert(SEATS, seat)
        return DuelWaiting()

    def reads_to_progress(self, unit: Unit, attempt: Attempt) -> Iterable[AnyRead]:
        """Both seats."""
        return (Scan(OF_BOARD, (attempt.board_id,)),)

    def require_in_play(self, unit: Unit, attempt: Attempt, window: EventWindow) -> None:
        """Raises `DuelOver` once one of the two has won."""
        if any(seat.won for seat in unit.tx.scan(OF_BOARD, attempt.board_id)):
            raise DuelOver

    def scored(self, unit: Unit, attempt: Attempt, window: EventWindow, before: int | None) -> None:
        """Note who has reached the score."""
        rules, seat = DUEL.of(definition_of(window)), unit.tx.get(SEATS, attempt.board_id, attempt.player_id)
        if rules is not None and seat is not None and (attempt.score or 0) >= rules.first_to:
            unit.tx.put(SEATS, evolve(seat, won=True))


AREA: Final = Area(
    name="duels",
    tables=(SEATS,),
    refusals=(DuelWaiting, DuelOver),
    folds={SEATS: _unite},
    provides=(DuelFormat(),),
)
LARGER: Final = AREAS.plus(AREA)


# Other tests of the process know nothing of duels.
DUEL.withdraw()
SEATS.withdraw()


@pytest.fixture(autouse=True)
def _duels() -> Iterator[None]:
    DUEL.declare()
    SEATS.declare()
    yield
    DUEL.withdraw()
    SEATS.withdraw()


# -- a game with it -------------------------------------------------------------------------------------------------------


def duelling(**more: Json) -> JsonObject:
    """A configuration with a duel to ten points, which pays its first rank."""
    event: JsonObject = {
        "key": "duel",
        "name": "Duel",
        "schedule": {"startsAt": "2026-01-01T00:00:00Z", "everySeconds": 86_400, "durationSeconds": 86_400},
        "metrics": [{"key": "points"}],
        "rankRewards": [{"from": 1, "to": 1, "entries": [{"type": "currency", "resourceKey": "gold", "amount": 5}]}],
        "duel": {"firstTo": 10},
        **more,
    }
    return {**config(), "events": [*RACES, event]}


def start(game: AddedGame, name: str) -> Any:  # noqa: ANN401 - an answer
    """Start the duel as a player, at an event that has one."""
    return game.as_player(name, "POST", "/events/duel/start", {})


def report(game: AddedGame, name: str, attempt: JsonObject, points: int) -> Any:  # noqa: ANN401 - an answer
    """Report points of an attempt."""
    path = f"/events/duel/attempts/{attempt['attemptId']}/progress"
    return game.as_player(name, "POST", path, {"metrics": {"points": points}})


@pytest.fixture(params=sorted(STORES))
def game(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AddedGame]:
    """A game with duels over each of the stores, and three players."""
    with STORES[request.param](tmp_path) as store:
        made = AddedGame(store, areas=LARGER, config=parse_config(duelling()))
        for name in ("anna", "ben", "cleo"):
            made.register(name)
        yield made


def test_two_meet_and_the_first_to_ten_wins(game: AddedGame) -> None:
    """The first is answered 202, both are on one leaderboard, and once one has ten points nothing counts any more."""
    waiting = start(game, "anna")
    assert (waiting.status, waiting.json["error"]["code"]) == (202, "duel_waiting")
    bens = start(game, "ben").json["data"]["attempt"]
    annas = start(game, "anna").json["data"]["attempt"]
    assert annas["leaderboardId"] == bens["leaderboardId"]
    assert report(game, "ben", bens, 4).status == 200
    assert report(game, "anna", annas, 7).json["data"]["rank"] == 1
    assert report(game, "anna", annas, 3).status == 200
    assert {report(game, "anna", annas, 1).code, report(game, "ben", bens, 1).code} == {"duel_over"}
    path = f"/sdk/v1/event-leaderboards/{bens['leaderboardId']}"
    rows = game.ask("GET", path, headers=headers_for(game.key("client"))).json["data"]["entries"]
    assert [(row["externalPlayerId"], row["score"]) for row in rows] == [("anna", 10), ("ben", 4)]


def test_a_third_waits_for_a_fourth(game: AddedGame) -> None:
    """A duel has two seats; a repetition under an idempotency key is answered as the first time."""
    start(game, "anna")
    start(game, "ben")
    first = game.as_player("cleo", "POST", "/events/duel/start", {"idempotencyKey": "k"})
    again = game.as_player("cleo", "POST", "/events/duel/start", {"idempotencyKey": "k"})
    assert (first.status, first.json["error"]["code"]) == (202, "duel_waiting")
    assert again.response.body == first.response.body
    assert len({seat.board_id for seat in game.rows(SEATS)}) == 2


def test_the_close_pays_each_duel_and_removes_its_seats(game: AddedGame) -> None:
    """The window closes as every window does: the winner of the duel has the reward of the first rank."""
    start(game, "anna")
    bens, annas = start(game, "ben").json["data"]["attempt"], start(game, "anna").json["data"]["attempt"]
    report(game, "ben", bens, 2)
    report(game, "anna", annas, 10)
    game.now += DAY
    for _ in range(5):
        game.run_due()
    grants = game.as_player("anna", "GET", "/pending-grants").json["data"]["grants"]
    assert [(grant["sourceKind"], grant["sourceRefId"]) for grant in grants] == [("event_rank", annas["leaderboardId"])]
    assert game.as_player("ben", "GET", "/pending-grants").json["data"]["grants"] == []
    assert game.rows(SEATS) == []


def test_checking_and_merging_know_it(tmp_path: Path) -> None:
    """The checker finds nothing wrong, and the rows of who was merged are the other player's."""
    with STORES["sqlite"](tmp_path) as store:
        game = AddedGame(store, areas=LARGER, config=parse_config(duelling()))
        for name in ("anna", "ben", "cleo"):
            game.register(name)
        start(game, "anna")
        bens = start(game, "ben").json["data"]["attempt"]
        report(game, "ben", bens, 3)
        headers = headers_for(game.key("server"))
        merged = game.ask("POST", "/server/v1/players/ben/merge-into/cleo", {}, headers=headers)
        assert merged.status == 200, merged.json
        assert report(game, "cleo", bens, 7).status == 200
        assert findings(game, LARGER) == []


def test_its_part_of_the_configuration_is_read_strictly() -> None:
    """Wrong values, contradictions and unknown members are faults with their paths, and the schema has the part."""
    with pytest.raises(ValidationFailed) as fault:
        parse_config(duelling(duel={"firstTo": 0, "most": 1}))
    assert set(fault.value.fields) == {f"events[{len(RACES)}].duel.firstTo", f"events[{len(RACES)}].duel.most"}
    with pytest.raises(ValidationFailed) as fault:
        parse_config(duelling(board={"by": "segment", "segment": "country"}))
    assert set(fault.value.fields) == {f"events[{len(RACES)}].board.by"}
    definitions: Any = config_schema()["$defs"]
    assert "duel" in definitions["EventDefinition"]["properties"]


def test_an_event_without_it_says_nothing_of_it() -> None:
    """So what is stored of such an event can be read where nobody knows duels any more."""
    race, *_, duel = parse_config(duelling()).events
    assert "duel" not in cast("JsonObject", encode(race))
    assert cast("JsonObject", encode(duel))["duel"] == {"firstTo": 10}


def test_its_refusals_are_in_the_operations() -> None:
    """What the format refuses with is listed where the operation is, and nowhere else."""
    table = {entry.id: entry for entry in table_of(ROWS, LARGER)}
    assert DuelWaiting in table["sdk:events.start"].errors
    assert DuelOver in table["sdk:events.progress"].errors
    assert DuelOver not in table["sdk:events.start"].errors


def test_it_is_played_through_a_server(tmp_path: Path) -> None:
    """The same over HTTP: a server over a file of its own, with the larger service."""

    async def play() -> list[int]:
        database = f"sqlite:///{tmp_path / 'game.db'}"
        with store_at(database, create=True) as store:
            made = create_game(store, parse_config(duelling()), "Duels")
        async with serving(tmp_path, game=made, operations=table_of(ROWS, LARGER), areas=LARGER) as server:
            secrets = {name: await server.register(name) for name in ("anna", "ben")}

            async def ask(name: str, path: str, body: Json) -> Any:  # noqa: ANN401 - an answer
                return await server.sdk("POST", f"/{name}/events/duel{path}", body, secret=secrets[name])

            waiting = await ask("anna", "/start", {})
            started = {name: await ask(name, "/start", {}) for name in ("ben", "anna")}
            ids = {name: reply.json["data"]["attempt"]["attemptId"] for name, reply in started.items()}
            won = await ask("anna", f"/attempts/{ids['anna']}/progress", {"metrics": {"points": 10}})
            late = await ask("ben", f"/attempts/{ids['ben']}/progress", {"metrics": {"points": 1}})
            ended = await server.studio("POST", "/dev/events/duel/end-now")
            assert ended.json["data"]["windows"][0]["grantsCreated"] == 1, ended
            return [reply.status for reply in (waiting, *started.values(), won, late, ended)]

    assert asyncio.run(play()) == [202, 201, 201, 200, 409, 200]
