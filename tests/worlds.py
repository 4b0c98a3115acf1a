"""What the example-based tests share: a game with everything switched on, and ways to ask it and to look into it.

`ask` calls an operation by name and `http` sends a request as it stands; both give a `Reply`, whatever the status. `Since`
watches what a piece of a test emits.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TypeVar, cast

import attrs

from livecore import World
from livecore.access.binding import Account
from livecore.access.signing_in import sign_in
from livecore.api.configuration.game_config import parse_config
from livecore.api.requests.http import Request, Response
from livecore.api.requests.limits import RateLimits
from livecore.kernel.entropy import Entropy
from livecore.kernel.errors import Json, JsonObject
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.records import evolve
from livecore.kernel.storage.tables import Table
from livecore.kernel.units.unit import Unit
from livecore.players.player import PLAYERS, Player
from livecore.world import Caller, WorldPlayer

R = TypeVar("R")

_ECONOMY: list[Json] = [
    {"key": "gold"},
    {"key": "gems", "public": False},
    {"key": "xp", "kind": "progression"},
]
ITEMS: list[Json] = [{"key": "potion", "name": "Potion"}, {"key": "sword", "parameters": {"level": 1, "gem": None}}]
GIFTING: JsonObject = {
    "enabled": True,
    "resources": [
        {"type": "currency", "key": "gold", "maxAmount": 100, "costsSender": True},
        {"type": "currency", "key": "gems", "maxAmount": 10},
        {"type": "currency", "key": "xp", "maxAmount": 50},
        {"type": "item", "key": "potion", "maxAmount": 5},
        {"type": "item", "key": "sword", "maxAmount": 1, "costsSender": True},
    ],
}
CRATES: list[Json] = [
    {
        "key": "chest",
        "name": "Chest",
        "guaranteed": [{"type": "currency", "resourceKey": "gold", "amount": 2}],
        "rolls": [
            {
                "rows": [
                    {"weight": 3, "entries": [{"type": "item", "resourceKey": "potion", "amount": 1}]},
                    {"weight": 1, "entries": [{"type": "item", "resourceKey": "sword", "amount": 1}]},
                ],
                "pity": {"after": 4, "row": 1},
            }
        ],
    }
]
GUILDS: JsonObject = {
    "enabled": True,
    "help": {
        "resources": [
            {"type": "currency", "key": "gold", "maxRequest": 50, "maxDonation": 20},
            {
                "type": "item",
                "key": "potion",
                "maxRequest": 10,
                "maxDonation": 4,
                "costsDonor": True,
                "donorReward": [{"type": "currency", "resourceKey": "gems", "amount": 1}],
            },
        ],
    },
}
LEADERBOARDS: list[Json] = [{"key": "best", "name": "The best"}]


def _for_teams(key: str, **teams: Json) -> JsonObject:
    """An event that is played in teams, with a milestone, a goal and a first rank that win gold."""
    gold: list[Json] = [{"type": "currency", "resourceKey": "gold", "amount": 1}]
    return {
        "key": key,
        "name": key.title(),
        "schedule": {"windows": [{"startsAt": "2026-01-01T00:00:00Z", "endsAt": "2026-01-08T00:00:00Z"}]},
        "metrics": [{"key": "points"}],
        "teams": {
            "goal": {"target": 50, "perMember": True},
            "milestones": [{"key": "warm", "threshold": 10, "entries": gold}],
            "goalRewards": gold,
            "rankRewards": [{"from": 1, "to": 1, "entries": gold}],
            **teams,
        },
    }


RACES: list[Json] = [
    {
        "key": "race",
        "name": "Race",
        "schedule": {
            "windows": [
                {"startsAt": "2026-01-01T00:00:00Z", "endsAt": "2026-01-08T00:00:00Z"},
                {"startsAt": "2026-03-01T00:00:00Z", "endsAt": "2026-03-08T00:00:00Z"},
            ]
        },
        "metrics": [{"key": "points"}, {"key": "lap", "aggregation": "lowest"}],
        "target": 100,
        "attempts": {"durationSeconds": 3_600, "maxPerWindow": 3},
        "entryCost": [
            {"type": "currency", "resourceKey": "gold", "amount": 5},
            {"type": "item", "resourceKey": "potion", "amount": 1},
        ],
        "milestones": [
            {"key": "half", "threshold": 50, "entries": [{"type": "currency", "resourceKey": "gold", "amount": 1}]},
            {"key": "full", "threshold": 100},
        ],
        "completionRewards": [{"type": "item", "resourceKey": "sword", "amount": 1, "parameters": {"level": 2}}],
        "rankRewards": [{"from": 1, "to": 3, "entries": [{"type": "currency", "resourceKey": "gems", "amount": 3}]}],
        "validators": [{"key": "jump", "kind": "range", "metric": "lap", "min": 10, "verdict": "flag"}],
    },
    {
        "key": "arena",
        "name": "Arena",
        "schedule": {"windows": [{"startsAt": "2026-01-01T00:00:00Z", "endsAt": "2026-01-08T00:00:00Z"}]},
        "metrics": [{"key": "points"}],
        "target": 100,
        "lobby": {
            "capacity": 3,
            "fillSeconds": 3_600,
            "bots": {"scoreAt": [{"afterSeconds": 3_600, "min": 5, "max": 50}]},
        },
        "session": {"triggers": [{"label": "won", "type": "first_to_target"}]},
    },
    _for_teams("crews", formation="open", size={"min": 2, "max": 3}),
    _for_teams("duo", formation="partner"),
    _for_teams("war", formation="external", size={"max": 200}),
]
"""Events whose first window is open when a world begins: one with everything that an event without lobbies can have, one
that is played in lobbies, and one for each way to form teams; they are no part of `config`."""


def config(**changes: object) -> JsonObject:
    """The configuration of a game with everything but events, and `changes` to its sections (in the wire's spelling)."""
    usual = {"economy": _ECONOMY, "items": ITEMS, "crates": CRATES, "gifting": GIFTING, "leaderboards": LEADERBOARDS}
    decided = {"registration": {"knownPlayers": "client"}, "privacy": {"strangers": {}}}
    return cast(JsonObject, {"economyMode": "platform", **decided, **usual, "guilds": GUILDS, **changes})


def world(*, limits: RateLimits | None = None, environment: str = "test", **changes: object) -> World:
    """A world of that game."""
    return World(config(**changes), limits=limits, environment=environment)


def studio_world() -> World:
    """A world whose studio keeps the economy itself; its gift list has a line that no file may have any more."""
    free = [{"type": "currency", "key": key, "maxAmount": 50} for key in ("gold", "xp")]
    paid = {"type": "item", "key": "potion", "maxAmount": 5, "costsSender": True}
    read = parse_config(config(gifting={"enabled": True, "resources": [*free, paid]}))
    return World(evolve(read, economy_mode="studio"))


# -- asking ---------------------------------------------------------------------------------------------------------------


@attrs.frozen
class Reply:
    """An answer, read: `reply["gift.player"]` walks the data or, where the request was refused, the error."""

    response: Response

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.response.status

    @property
    def body(self) -> JsonObject:
        """The whole envelope."""
        return cast(JsonObject, json.loads(self.response.body))

    @property
    def data(self) -> JsonObject:
        """What lies under `data`."""
        return cast(JsonObject, self.body["data"])

    @property
    def code(self) -> str | None:
        """The error's code, or nothing where the request was answered."""
        error = self.body.get("error")
        return str(error["code"]) if isinstance(error, dict) else None

    @property
    def refusal(self) -> tuple[int, str | None]:
        """Status and code."""
        return self.status, self.code

    @property
    def details(self) -> Json:
        """What the refusal tells besides its code."""
        return self["details"]

    @property
    def fields(self) -> list[str]:
        """The paths of the fields that a `validation_failed` names, sorted."""
        return sorted(cast("dict[str, str]", self["details.fields"]))

    def header(self, name: str) -> str | None:
        """A header."""
        return self.response.header(name)

    def __getitem__(self, path: str) -> Json:
        body = self.body
        here = body["data"] if "data" in body else body["error"]
        for step in path.split("."):
            here = here[int(step)] if isinstance(here, list) else cast(JsonObject, here)[step]
        return here

    def text(self, path: str) -> str:
        """A string of the answer."""
        found = self[path]
        assert isinstance(found, str)
        return found

    def list(self, path: str) -> list[JsonObject]:
        """A list of objects of the answer."""
        return cast("list[JsonObject]", self[path])


def ask(
    caller: Caller,
    operation: str,
    **arguments: object,
) -> Reply:
    """Call an operation by name; `headers` and `remote`, which no operation takes, change the request's."""
    headers = cast("Mapping[str, str]", arguments.pop("headers", {}))
    remote = str(arguments.pop("remote", "127.0.0.1"))
    made = caller.request(operation, **arguments)
    request = Request(made.method, made.path, made.query, {**made.headers, **headers}, made.body, remote)
    return Reply(caller.world.handle(request))


def ask_all_pages(caller: Caller, name: str, rows: str, **arguments: object) -> list[JsonObject]:
    """The rows of all pages of a list, one page after another."""
    found: list[JsonObject] = []
    cursor: object = None
    while True:
        page = ask(caller, name, cursor=cursor, **arguments)
        found += page.list(rows)
        cursor = page["nextCursor"]
        if cursor is None:
            return found


def http(
    caller: Caller | World,
    method: str,
    path: str,
    body: object = b"",
    *,
    query: str = "",
    headers: Mapping[str, str | None] | None = None,
    remote: str = "127.0.0.1",
) -> Reply:
    """Send a request as it stands; a header that is `None` is left out."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    given: dict[str, str | None] = {} if isinstance(caller, World) else dict(caller.headers)
    if raw:
        given["content-type"] = "application/json"
    given |= headers or {}
    sent = {name: value for name, value in given.items() if value is not None}
    asked = caller if isinstance(caller, World) else caller.world
    return Reply(asked.handle(Request(method, path, query, sent, raw, remote)))


# -- making things happen -------------------------------------------------------------------------------------------------


def befriend(one: WorldPlayer, other: WorldPlayer) -> str:
    """Make two players friends; gives the request's id."""
    asked = ask(one, "friends.sendRequest", external_player_id=other.external_id)
    ask(other, "friends.acceptRequest", request_id=asked.text("request.requestId"))
    return asked.text("request.requestId")


def give(player: WorldPlayer, key: str, amount: int) -> None:
    """Put a currency into a player's wallet, or an item into the inventory."""
    if key in {"potion", "sword"}:
        player.world.server.call("inventory.grant", external_id=player.external_id, item_key=key, quantity=amount)
    else:
        player.world.server.call("wallet.credit", external_id=player.external_id, economy_key=key, amount=amount)


def gift(sender: WorldPlayer, target: WorldPlayer, key: str = "gold", amount: int = 10, **more: object) -> Reply:
    """Ask to send a gift."""
    kind = "item" if key in {"potion", "sword"} else "currency"
    return ask(
        sender, "gifts.send", external_player_id=target.external_id, type=kind, resource_key=key, amount=amount, **more
    )


def grant(target: WorldPlayer, key: str = "gold", amount: int = 10, *, named: str = "g", **more: object) -> Reply:
    """Ask to create a grant of one entry, as the studio."""
    kind = "item" if key in {"potion", "sword"} else "currency"
    entry = {"type": kind, "resourceKey": key, "amount": amount}
    return ask(
        target.world.server, "grants.create", external_id=target.external_id, idempotency_key=named,
        entries=[entry], **more,
    )  # fmt: skip


def crate(target: WorldPlayer, key: str = "chest", *, named: str = "c", **more: object) -> Reply:
    """Ask to give a crate, as the studio."""
    entry = {"type": "crate", "resourceKey": key, "amount": 1}
    return ask(
        target.world.server, "grants.create", external_id=target.external_id, idempotency_key=named, kind="crate",
        entries=[entry], **more,
    )  # fmt: skip


# -- looking inside -------------------------------------------------------------------------------------------------------


def scope_of(world: World, environment: str | None = None) -> Scope:
    """The world's scope."""
    return Scope(world.game.game_id, environment or world.environment)


def rows_of(world: World, table: Table[R], environment: str | None = None) -> list[R]:
    """The rows of a table in the world's scope."""
    return cast("list[R]", world.store.dump().get(scope_of(world, environment).id, {}).get(table.name, []))


def put(world: World, table: Table[R], *rows: R) -> None:
    """Store rows behind the operations' back."""

    def work(unit: Unit) -> None:
        for row in rows:
            unit.tx.put(table, row)

    world.unit_of_work(work)


def player_row(player: WorldPlayer) -> Player:
    """A player's row, with everything observed lately."""
    player.world.flush()
    (found,) = (row for row in rows_of(player.world, PLAYERS) if row.player_id == player.player_id)
    return found


def ban(player: WorldPlayer) -> None:
    """Ban a player, as the studio's backend does."""
    ask(player.world.server, "players.ban", external_id=player.external_id, reason="cheating")


def total(player: WorldPlayer, key: str) -> int:
    """What a player has of a currency or an item."""
    if key in {"potion", "sword"}:
        items = ask(player, "inventory.get").list("items")
        return next((cast(int, row["quantity"]) for row in items if row["itemKey"] == key), 0)
    balances = ask(player, "wallet.get").list("balances")
    return next(cast(int, row["balance"]) for row in balances if row["key"] == key)


class Since:
    """What a world has emitted since this was made."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._first = len(world.events)

    @property
    def kinds(self) -> list[str]:
        """The kinds, sorted: no order is promised between events."""
        return sorted(event.kind for event in self._world.events[self._first :])

    def of(self, kind: str) -> list[JsonObject]:
        """The payloads of one kind."""
        return [event.data for event in self._world.events[self._first :] if event.kind == kind]


def text_at(answer: JsonObject, *steps: str) -> str:
    """The text that lies at the end of some steps into an answer's data."""
    found: Json = answer
    for step in steps:
        assert isinstance(found, dict)
        found = found[step]
    return str(found)


def sign_in_with_account(world: World, email: str) -> None:
    """Sign a member in with an account of an identity provider, which binds the membership."""
    account = Account("https://id.example", f"subject of {email}")
    entropy = Entropy(email.encode())
    world.store.write(
        DIRECTORY, lambda tx: sign_in(tx, email, None, world.now, entropy, through=account.issuer, account=account)
    )
