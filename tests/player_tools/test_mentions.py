"""Texts that name many players: erasing any one of them removes each such text, on every store."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest

from livecore import World
from livecore.api import idempotency
from livecore.api.answer_mentions import ANSWER_MENTIONS
from livecore.api.application import Application
from livecore.api.idempotency import ANSWERS
from livecore.api.operation import Operation
from livecore.api.operations import OPERATIONS
from livecore.api.player_routes import SERVER
from livecore.kernel import policies
from livecore.kernel.errors import Json
from livecore.kernel.memory import MemoryStore
from livecore.kernel.shapes import ExternalPlayerId, IdempotencyKey, ShownExternalId, Timestamp, shape
from livecore.kernel.store import Store
from livecore.kernel.time import DAY
from livecore.kernel.unit import Unit
from livecore.webhooks import policies as webhook_policies
from livecore.webhooks.catalog.guilds import By, GuildHelpDonated
from livecore.webhooks.catalog.windows import LeaderboardFinalized, RankRow
from livecore.webhooks.dispatch import lease_due, record_attempt
from livecore.webhooks.endpoints import PlainVault, add_endpoint
from livecore.webhooks.history import DeliveryFilter, find_deliveries
from livecore.webhooks.mentions import EVENT_MENTIONS
from livecore.webhooks.outbox import EVENTS
from livecore.webhooks.outcome import Outcome
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.sqlite import SqliteStore
from tests.player_tools.soundness import faults_of
from tests.postgres.server import ready_database, started_server
from tests.worlds import Reply, ask, befriend, config, gift, give, http, rows_of

TEN: Final = tuple(f"rank-{number}" for number in range(1, 11))


# -- a game whose operations name many players ----------------------------------------------------------------------------


@shape
class FormParty:
    """Several players who are to be in one party."""

    members: tuple[ExternalPlayerId, ...]
    idempotency_key: IdempotencyKey | None = None


@shape
class PartyMember:
    """One of them."""

    external_player_id: ShownExternalId


@shape
class Party:
    """All of them."""

    members: tuple[PartyMember, ...]


def _form(_: Unit, args: FormParty) -> Party:
    return Party(members=tuple(PartyMember(external_player_id=name) for name in args.members))


LED = SERVER.write("parties.lead", "POST /party", FormParty, {200: Party}, _form, summary="Form a player's party.")
FORMED = Operation(
    name="parties.form",
    surface="server",
    method="POST",
    path="/server/v1/parties",
    credential="server_key",
    bucket="server_api",
    args=FormParty,
    answers={200: Party},
    handler=_form,
    summary="Form a party that is nobody's.",
    writes=True,
    keyed=True,
)


@pytest.fixture(params=[policies.FEW, 0], ids=["row by row", "in bulk"], autouse=True)
def few(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything holds however many rows a player has; the world is too small to have many."""
    monkeypatch.setattr(policies, "FEW", request.param)


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """Each of the three stores."""
    if request.param == "memory":
        yield MemoryStore()
    elif request.param == "sqlite":
        with closing(SqliteStore(tmp_path / "game.db")) as near:
            yield near
    else:
        with started_server(), ready_database() as url, closing(PostgresStore(url)) as distant:
            yield distant


@pytest.fixture
def game(store: Store, monkeypatch: pytest.MonkeyPatch) -> World:
    """A world over that store, with the ten and the two operations that name them."""
    return _world_over(store, monkeypatch)


def _world_over(store: Store, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setattr("livecore.world.MemoryStore", lambda: store)
    world = World(config())
    world.application = Application(
        world.store,
        clock=lambda: world.now,
        seeds=world._seed,
        volatile=world.volatile,
        limits=world.application.limits,
        operations=(*OPERATIONS, LED, FORMED),
    )
    for name in TEN:
        grant_contact(world, name)
    return world


def grant_contact(world: World, name: str) -> None:
    """Have the service know a player."""
    entries: Json = [{"type": "currency", "resourceKey": "gold", "amount": 1}]
    key = f"contact-{world._drawn}"
    assert ask(world.server, "grants.create", external_id=name, entries=entries, idempotency_key=key).status == 201


def form(world: World, key: str, members: tuple[str, ...] = TEN, leader: str | None = None) -> Reply:
    """Form a party."""
    path = "/server/v1/parties" if leader is None else f"/server/v1/players/{leader}/party"
    reply = http(world.server, "POST", path, {"members": list(members), "idempotencyKey": key})
    assert reply.status == 200
    return reply


def is_kept(world: World, key: str, members: tuple[str, ...] = TEN, leader: str | None = None) -> bool:
    """Whether the answer is still kept: repeating the request replays it. If not, it is kept anew."""
    return form(world, key, members, leader).header("Idempotent-Replay") == "true"


def erase(world: World, name: str) -> None:
    """Erase a player."""
    assert ask(world.server, "players.erase", external_id=name)["status"] == "erased"


def merge(world: World, source: str, target: str) -> None:
    """Fold a player into another."""
    assert ask(world.server, "players.merge", external_id=source, to_external_id=target)["status"] == "merged"


def bodies(world: World) -> str:
    """Every kept answer and every event as text."""
    return repr([row.body for row in rows_of(world, ANSWERS)]) + repr([row.data for row in rows_of(world, EVENTS)])


def mentions(world: World) -> list[Any]:
    """Every row that mentions a player."""
    return [*rows_of(world, ANSWER_MENTIONS), *rows_of(world, EVENT_MENTIONS)]


# -- answers --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("leader", [None, "rank-3"])
def test_an_answer_that_names_ten_goes_with_each_of_them(game: World, leader: str | None) -> None:
    """Whichever it is, first or last; answers that name others stay, and are replayed."""
    for number, name in enumerate((TEN[0], TEN[4], TEN[9])):
        left = tuple(other for other in TEN if other != name)
        form(game, f"ten-{number}", leader=leader)
        form(game, f"nine-{number}", left, leader=leader)
        assert is_kept(game, f"ten-{number}", leader=leader)
        erase(game, name)
        assert name not in {row.name for row in rows_of(game, ANSWER_MENTIONS)}
        assert f'"{name}"' not in bodies(game)
        assert is_kept(game, f"nine-{number}", left, leader=leader)
        assert faults_of(game) == []
        game._players.clear()
        grant_contact(game, name)


def test_a_merge_takes_the_name_along(game: World) -> None:
    """What named the source is found by the target from then on: it stays for now, and goes with the target."""
    for name in ("account", "other"):
        grant_contact(game, name)
    form(game, "many")
    form(game, "both", ("rank-2", "account", "other"))
    merge(game, "rank-2", "account")
    assert is_kept(game, "many")
    assert is_kept(game, "both", ("rank-2", "account", "other"))
    assert "rank-2" not in {row.name for row in rows_of(game, ANSWER_MENTIONS)}
    assert faults_of(game) == []
    erase(game, "account")
    assert "rank-2" not in bodies(game)
    assert rows_of(game, ANSWER_MENTIONS) == []
    assert faults_of(game) == []


def test_whoever_takes_a_merged_id_anew_is_somebody_else(game: World) -> None:
    """Erasing the later owner of the id does not forget what named the earlier one."""
    grant_contact(game, "account")
    form(game, "many")
    merge(game, "rank-2", "account")
    grant_contact(game, "rank-2")
    erase(game, "rank-2")
    assert is_kept(game, "many")


def test_an_answer_about_somebody_goes_with_them_and_all_it_mentions(game: World) -> None:
    """Also where what it says of nine others is deleted in bulk."""
    for number in range(4):
        form(game, f"led-{number}", TEN[1:], leader=TEN[0])
    assert len(rows_of(game, ANSWER_MENTIONS)) == 4 * 9
    erase(game, TEN[0])
    assert mentions(game) == []
    assert faults_of(game) == []


def test_one_other_player_stands_in_the_answers_own_row(game: World) -> None:
    """As before: an answer that names one needs no further row, and who it is about is not another."""
    form(game, "one", ("rank-2",), leader="rank-1")
    form(game, "both", ("rank-1", "rank-2"), leader="rank-1")
    assert {row.shows for row in rows_of(game, ANSWERS) if "rank-2" in row.body} == {"rank-2"}
    assert mentions(game) == []
    erase(game, "rank-2")
    assert '"rank-2"' not in bodies(game)


def test_mentions_are_swept_with_their_answers(game: World) -> None:
    """After their day."""
    form(game, "many")
    assert len(mentions(game)) == 10
    game.advance(hours=25)
    assert (rows_of(game, ANSWERS), mentions(game)) == ([], [])


def test_a_later_answer_under_the_same_key_mentions_others(game: World) -> None:
    """Where the sweep is late, nothing of the first one's mentions is left."""
    form(game, "again")
    game.now += DAY
    form(game, "again", TEN[:3])
    assert sorted(row.name for row in rows_of(game, ANSWER_MENTIONS)) == sorted(TEN[:3])
    form(game, "again", TEN[:3])
    erase(game, TEN[9])
    assert is_kept(game, "again", TEN[:3])
    assert faults_of(game) == []


def test_very_many_answers_are_forgotten_in_batches(game: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """None is found by the name any more; the work that follows forgets all, and nothing of a new player with the id."""
    monkeypatch.setattr(idempotency, "MOST_ROWS", 3)
    for number in range(10):
        form(game, f"party-{number}", TEN[:3])
    erase(game, TEN[0])
    assert TEN[0] not in {row.name for row in rows_of(game, ANSWER_MENTIONS)}
    assert faults_of(game) == []
    grant_contact(game, TEN[0])
    form(game, "of the new one", TEN[:3])
    game.advance(seconds=1)
    assert {row.total for row in rows_of(game, ANSWER_MENTIONS)} == {3}
    assert len(rows_of(game, ANSWER_MENTIONS)) == 3
    assert is_kept(game, "of the new one", TEN[:3])
    assert not is_kept(game, "party-0", TEN[:3])
    assert faults_of(game) == []


# -- events ---------------------------------------------------------------------------------------------------------------


def listening(world: World, *keys: str) -> None:
    """Have endpoints that are told everything."""
    for key in keys:
        add = partial(add_endpoint, vault=PlainVault(), key=key, url=f"https://{key}.example/", events=["*"])
        world.unit_of_work(add)


def settled(world: World, names: tuple[str, ...] = TEN) -> None:
    """Have a leaderboard settled, on which these players have the first places, and a bot the last."""
    ids = {row["externalPlayerId"]: row["id"] for row in (_details(world, name) for name in names)}
    ranks = [RankRow(rank=0, score=0, name=name, player_id=str(ids[name]), external_player_id=name) for name in names]
    bot = RankRow(rank=99, score=0, name="bot", player_id=None, external_player_id=None)
    moment = Timestamp(world.now)
    world.unit_of_work(
        lambda unit: unit.emit(
            LeaderboardFinalized(
                leaderboard_id="lbd_1", event_id="evn_1", event_key="race", event_window_id="win_1", lobby_id=None,
                status="finalized", starts_at=moment, ends_at=moment, entry_count=11, top_ranks=(*ranks, bot),
                finalized_at=moment,
            )
        )
    )  # fmt: skip


def _details(world: World, name: str) -> dict[str, Json]:
    player = ask(world.server, "players.get", external_id=name).data["player"]
    assert isinstance(player, dict)
    return player


def delivered(world: World, *, fits: Callable[[str], bool] = lambda _: True) -> None:
    """Deliver what is due, to the endpoints that fit."""

    def work(unit: Unit) -> None:
        for attempt in lease_due(unit, 1_000):
            if fits(attempt.url):
                record_attempt(unit, attempt.delivery_id, attempt.number, Outcome(delivered=True, status=200))

    for _ in range(40):
        world.unit_of_work(work)


def boards(world: World) -> list[Any]:
    """The events of settled leaderboards, oldest first."""
    return [row for row in rows_of(world, EVENTS) if row.kind == "leaderboard.finalized"]


@pytest.mark.parametrize("name", [TEN[0], TEN[1], TEN[2], TEN[9]])
def test_an_event_that_names_ten_is_emptied_with_each_of_them(game: World, name: str) -> None:
    """Once it is delivered: at once, and nothing mentions anybody any more. Of two events the other stays."""
    listening(game, "a", "b")
    settled(game)
    settled(game, tuple(other for other in TEN if other != name))
    delivered(game)
    assert len(mentions(game)) == 8 + 7
    erase(game, name)
    first, second = boards(game)
    assert (first.data, first.personal) == ("{}", "gone")
    assert (second.personal, len(json.loads(second.data)["topRanks"])) == ("kept", 10)
    assert {row.event_id for row in mentions(game)} == {second.event_id}
    assert faults_of(game) == []


def test_what_is_on_its_way_is_emptied_when_the_last_has_it(game: World) -> None:
    """Both endpoints are told all of it; another erasure in the meantime changes nothing."""
    listening(game, "a", "b")
    settled(game)
    erase(game, TEN[9])
    (event,) = boards(game)
    assert event.personal == "going"
    delivered(game, fits=lambda url: "a.example" in url)
    erase(game, TEN[8])
    (event,) = boards(game)
    assert (event.personal, len(json.loads(event.data)["topRanks"])) == ("going", 11)
    assert faults_of(game) == []
    game.advance(minutes=2)
    delivered(game)
    (event,) = boards(game)
    assert (event.data, event.personal) == ("{}", "gone")
    assert mentions(game) == []
    assert faults_of(game) == []


def test_an_event_that_names_whoever_was_merged_is_emptied(game: World) -> None:
    """It names the source's id for good, and goes with the target."""
    listening(game, "a")
    grant_contact(game, "account")
    settled(game)
    delivered(game)
    merge(game, TEN[7], "account")
    assert boards(game)[0].personal == "kept"
    delivered(game)
    erase(game, "account")
    assert (boards(game)[0].data, mentions(game)) == ("{}", [])
    assert f'"{TEN[7]}"' not in bodies(game)
    assert faults_of(game) == []


def test_three_single_fields_are_found_like_a_list(game: World) -> None:
    """Who donated, who received, and an operator's player who caused it."""
    listening(game, "a")
    ids = [str(_details(game, name)["id"]) for name in TEN[:3]]
    game.unit_of_work(
        lambda unit: unit.emit(
            GuildHelpDonated(
                guild_id="gld_1", guild_name="G", by=By.player(ids[0], TEN[0]), request_id="r", donation_id="don_1",
                grant_id="gr", reward_grant_id=None, donor_player_id=ids[1], donor_external_player_id=TEN[1],
                recipient_player_id=ids[2], recipient_external_player_id=TEN[2], type="item", resource_key="potion",
                amount=1, costs_donor=False, costs_charged_by="platform", amount_received=1, amount_requested=1,
                filled=True, donated_at=Timestamp(0),
            )
        )
    )  # fmt: skip
    delivered(game)
    assert [row.player_id for row in mentions(game)] == [ids[2]]
    assert faults_of(game) == []
    erase(game, TEN[2])
    delivered(game)
    assert TEN[2] not in bodies(game)


def test_very_many_events_are_emptied_in_batches(game: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the erasure itself leaves is done right after it; of the three that it does, one tells of the erasure."""
    listening(game, "a")
    for _ in range(10):
        settled(game)
    delivered(game)
    monkeypatch.setattr(webhook_policies, "MOST_ROWS", 3)
    erase(game, TEN[9])
    assert [row.personal for row in boards(game)].count("kept") == 8
    game.advance(seconds=1)
    assert {row.personal for row in boards(game)} == {"gone"}
    assert mentions(game) == []
    assert faults_of(game) == []


def test_a_delivery_is_found_by_any_player_whom_its_event_names(game: World) -> None:
    """By one in the event's row, by one beyond it, and by nobody else."""
    listening(game, "a")
    settled(game, TEN[:9])
    ids = [str(_details(game, name)["id"]) for name in TEN]

    def kinds(player_id: str) -> list[str]:
        def look(unit: Unit) -> list[str]:
            found = find_deliveries(unit, DeliveryFilter(player_id=player_id)).rows
            events = [unit.tx.get(EVENTS, row.event_id) for row in found]
            return [event.kind for event in events if event is not None]

        return game.unit_of_work(look)

    assert [kinds(ids[place]) for place in (0, 1, 2, 8, 9)] == [["leaderboard.finalized"]] * 4 + [[]]


def test_mentions_are_swept_with_their_events(game: World) -> None:
    """After thirty days, with the last delivery."""
    listening(game, "a")
    settled(game)
    delivered(game)
    game.advance(days=32)
    assert (boards(game), mentions(game)) == ([], [])


# -- databases from before ------------------------------------------------------------------------------------------------

_NEW: Final = (ANSWER_MENTIONS.name, EVENT_MENTIONS.name)
_FORGET: Final = (
    *(f"DROP TABLE {name}" for name in _NEW),
    "DELETE FROM livecore_migrations WHERE number = 3",
)


def _older(layout: str) -> str:
    tables = json.loads(layout)
    return json.dumps({name: table for name, table in tables.items() if name not in _NEW})


def _older_sqlite(path: Path) -> None:
    """Make a file what the code before this one left: no such tables, and no record of them."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for text in _FORGET:
            connection.execute(text)
        for number, layout in connection.execute("SELECT id, layout FROM livecore_migrations").fetchall():
            connection.execute("UPDATE livecore_migrations SET layout = ? WHERE id = ?", (_older(layout), number))


def _older_postgres(url: str) -> None:
    with psycopg.connect(url) as connection:
        for text in _FORGET:
            connection.execute(text.encode())
        for number, layout in connection.execute("SELECT id, layout FROM livecore_migrations").fetchall():
            connection.execute("UPDATE livecore_migrations SET layout = %s WHERE id = %s", (_older(layout), number))


def _lived(world: World) -> None:
    """A gift between two, its kept answer and its events."""
    listening(world, "a")
    anna, bert = world.player("anna"), world.player("bert")
    befriend(anna, bert)
    give(anna, "gold", 10)
    assert gift(anna, bert, idempotency_key="gift").status == 201
    delivered(world)


def _erased_well(world: World) -> None:
    """Erase the one whom the other's answer shows; no text names them any more, and new ones name many."""
    assert '"bert"' in bodies(world)
    erase(world, "bert")
    delivered(world)
    assert "bert" not in bodies(world)
    settled(world)
    erase(world, TEN[9])
    delivered(world)
    assert f'"{TEN[9]}"' not in bodies(world)
    assert faults_of(world) == []


def test_a_file_from_before_is_brought_forward(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its texts are erased as ever, and those that come name any number; older code is kept out from then on."""
    path = tmp_path / "old.db"
    with closing(SqliteStore(path)) as store:
        world = _world_over(store, monkeypatch)
        _lived(world)
    _older_sqlite(path)
    with closing(SqliteStore(path)) as store:
        assert store.migrated == ["mentions", "grow:answer_mentions,event_mentions"]
        _continue(world, store)
        _erased_well(world)


def test_a_postgres_database_from_before_is_brought_forward(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a file."""
    with started_server(), ready_database() as url:
        with closing(PostgresStore(url)) as store:
            world = _world_over(store, monkeypatch)
            _lived(world)
        _older_postgres(url)
        with closing(PostgresStore(url)) as store:
            assert store.migrated == ["mentions", "grow:answer_mentions,event_mentions"]
            _continue(world, store)
            _erased_well(world)


def _continue(world: World, store: Any) -> None:  # noqa: ANN401 - a store that is not the world's own
    world.store = store
    world.application.store = store
