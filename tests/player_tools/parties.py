"""A game in which operations and events name many players at once, and what one can ask of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import pytest

from livecore import World
from livecore.api.application import Application
from livecore.api.deploying import new_deployment
from livecore.api.operations import OPERATIONS
from livecore.api.requests.answer_mentions import ANSWER_MENTIONS
from livecore.api.requests.idempotency import ANSWERS
from livecore.api.table.operation import Operation
from livecore.api.table.player_routes import SERVER
from livecore.events.webhook_events import LeaderboardFinalized
from livecore.kernel.errors import Json
from livecore.kernel.storage.store import Store
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import ExternalPlayerId, IdempotencyKey, ShownExternalId
from livecore.leaderboards.webhook_events import RankRow
from livecore.webhooks.dispatch import lease_due, record_attempt
from livecore.webhooks.endpoints import PlainVault, add_endpoint
from livecore.webhooks.mentions import EVENT_MENTIONS
from livecore.webhooks.outbox import EVENTS
from livecore.webhooks.outcome import Outcome
from tests.worlds import Reply, ask, config, http, rows_of

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


def world_over(store: Store, monkeypatch: pytest.MonkeyPatch) -> World:
    """A world over that store, with the ten and the two operations that name them."""
    monkeypatch.setattr("livecore.world.game.MemoryStore", lambda: store)
    world = World(config())
    world.application = Application(
        world.store,
        clock=lambda: world.now,
        seeds=world.application.seeds,
        deployment=new_deployment(ephemeral=world.ephemeral),
        limits=world.application.limits,
        operations=(*OPERATIONS, LED, FORMED),
    )
    for name in TEN:
        grant_contact(world, name)
    return world


def grant_contact(world: World, name: str) -> None:
    """Have the service know a player."""
    entries: Json = [{"type": "currency", "resourceKey": "gold", "amount": 1}]
    key = f"contact-{name}-{world.draws.idempotency_key('server', f'contact-{name}')}"
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


def listening(world: World, *keys: str) -> None:
    """Have endpoints that are told everything."""
    for key in keys:
        add = partial(add_endpoint, vault=PlainVault(), key=key, url=f"https://{key}.example/", events=["*"])
        world.unit_of_work(add)


def settled(world: World, names: tuple[str, ...] = TEN) -> None:
    """Have a leaderboard settled, on which these players have the first places, and a bot the last."""
    ids = {row["externalPlayerId"]: row["id"] for row in (details(world, name) for name in names)}
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
    world.now += 1  # ids of one millisecond are in no order


def details(world: World, name: str) -> dict[str, Json]:
    """A player as the studio sees them."""
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
