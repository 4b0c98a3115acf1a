"""A studio that has something on every page of the portal, with names that are meant to harm."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final
from urllib.parse import quote

from livecore.access.member_rows import Role
from livecore.access.roles import ROLES
from livecore.demo import DEMO
from livecore.kernel.units.unit import Unit
from livecore.webhooks.dispatch import lease_due, record_attempt
from livecore.webhooks.outcome import answered, unanswered
from livecore.world import World, WorldRefused
from tests.worlds import sign_in_with_account

HOSTILE: Final = (
    "\"'><planted data-planted onclick=alert(1)>{{7*7}}&amp;",
    "\u05e9\u05dc\u05d5\u05dd (1) !\u0645\u0631\u062d\u0628\u0627",
    "\U0001f30b" * 20,
    "W" * 40,
)
"""Names with markup, that are written from right to left, and that are wide."""


PLAYER: Final = "anna <b>&'\" é?#%2F"
"""The id of a player, which is hard to put into an address."""

BANNED: Final = "bob"
"""A player who is banned, and a debug account."""
_FOR_THE_BANNED: Final = ("/unban", "/debug-off")


def made_studio() -> World:
    """The studio."""
    world = World(DEMO)
    owner = world.operator()
    owner.call("studios.update", name=HOSTILE[0])
    owner.call("members.invite", email="colleague@example.com", role="VIEWER")
    sign_in_with_account(world, "colleague@example.com")
    for role in ROLES:
        world.operator(email_of(role), role).call("personalKeys.create", name=HOSTILE[0], expires_in_days=90)
    owner.call("keys.create", environment="test", permission="server", name=HOSTILE[0])
    made = owner.call("webhooks.create", url="https://example.com/hook", key=HOSTILE[0][:40], events=["*"])
    assert isinstance(made["endpoint"], dict)
    paused = owner.call("webhooks.create", url="https://example.com/second", key="paused", events=["gift.sent"])
    assert isinstance(paused["endpoint"], dict)
    _play(world)
    _send(world)
    present: Any = owner.call("settings.get")
    changed = {**present["config"], "name": HOSTILE[0][:60]}
    owner.call("settings.apply", config=changed, version=present["version"])
    owner.call("webhooks.pause", endpoint_id=str(paused["endpoint"]["endpointId"]))
    return world


def _play(world: World) -> None:
    """Players with names that are meant to harm, and something in every list about them."""
    owner = world.operator()
    players = [world.player(name) for name in (PLAYER, "bob", "cleo", "dora")]
    for player, name in zip(players, HOSTILE, strict=True):
        player.call("players.setIdentity", name=name[:40])
    anna, bob, cleo, _ = players
    anna.call("friends.sendRequest", external_player_id="bob")
    bob.call("friends.sendRequest", external_player_id=PLAYER)
    cleo.call("friends.sendRequest", external_player_id=PLAYER)
    anna.call("friends.block", external_player_id="dora")
    owner.call("wallet.adjust", external_id=PLAYER, economy_key="gold", delta=2000, reason=HOSTILE[0])
    owner.call("wallet.adjust", external_id="bob", economy_key="gold", delta=500, reason="contest")
    owner.call("inventory.adjust", external_id=PLAYER, item_key="sword", delta=1, reason=HOSTILE[1])
    owner.call("inventory.setAttributes", external_id=PLAYER, item_key="sword", parameters={HOSTILE[0]: HOSTILE[0]})
    world.advance(minutes=7)
    owner.call(
        "grants.create", idempotency_key="a", external_player_id=PLAYER, source_ref_id=HOSTILE[0][:40],
        entries=[{"type": "currency", "resourceKey": "gold", "amount": 250}],
    )  # fmt: skip
    anna.call("gifts.send", external_player_id="bob", type="currency", resource_key="gold", amount=10)
    bob.call("gifts.send", external_player_id=PLAYER, type="currency", resource_key="gold", amount=25)
    world.advance(hours=3)
    attempt: Any = anna.call("events.start", key="daily-dash")["attempt"]
    anna.call("events.progress", key="daily-dash", attempt_id=attempt["attemptId"], metrics={"points": 130})
    other: Any = bob.call("events.start", key="daily-dash")["attempt"]
    bob.call("events.progress", key="daily-dash", attempt_id=other["attemptId"], metrics={"points": 1000})
    anna.call("teams.create", key="expedition", name=HOSTILE[0][:40])
    with suppress(WorldRefused):
        cleo.call("events.start", key="arena")
    founded: Any = anna.call("guilds.create", name=HOSTILE[0][:40])["guild"]
    bob.call("guilds.join", guild_id=founded["guildId"])
    anna.call(
        "purchases.track", store="google", transaction_id="t-1", product_id=HOSTILE[0][:40], product_type="consumable",
        amount_minor=499, currency="USD",
    )  # fmt: skip
    owner.call("players.ban", external_id=BANNED, reason=HOSTILE[0])
    owner.call("players.flagDebug", external_id=BANNED, reason=HOSTILE[0])


def _send(world: World) -> None:
    """Attempt what waits to be sent, with all kinds of outcomes."""

    def attempt(unit: Unit) -> int:
        leased = lease_due(unit, 100)
        for number, one in enumerate(leased):
            ended = (answered(200, now=unit.now), answered(503, now=unit.now), unanswered("timeout"))[number % 3]
            record_attempt(unit, one.delivery_id, one.number, ended)
        return len(leased)

    while world.unit_of_work(attempt):
        pass


def email_of(role: str) -> str:
    """The address of the member with a role."""
    return f"{role.lower()}@example.com"


def _member(world: World, _: Role) -> str:
    listed: Any = world.operator().call("members.list")
    return str(next(one["memberId"] for one in listed["members"] if one["email"] == "colleague@example.com"))


def _personal_key(world: World, role: Role) -> str:
    listed: Any = world.operator(email_of(role), role).call("personalKeys.list")
    return str(next(one["keyId"] for one in listed["personalKeys"] if one["email"] == email_of(role)))


def _grant(world: World, _: Role) -> str:
    found: Any = world.operator().call("players.get", external_id=PLAYER)
    return str(next(one["grantId"] for one in found["grants"] if one["sourceKind"] == "admin"))


def _key(world: World, _: Role) -> str:
    listed: Any = world.operator().call("keys.list")
    return str(next(one["keyId"] for one in listed["keys"] if one["environment"] == "test"))


def _guild(world: World, _: Role) -> str:
    found: Any = world.operator().call("guilds.list")
    return str(found["guilds"][0]["guildId"])


def _window(event: str) -> Callable[[World, Role], str]:
    def find(world: World, _: Role) -> str:
        found: Any = world.operator().call("events.get", event_key=event)
        return str(found["event"]["window"]["eventWindowId"])

    return find


def _attempt(state: str) -> Callable[[World, Role], str]:
    def find(world: World, role: Role) -> str:
        found: Any = world.operator().call(
            "attempts.listOfWindow", event_key="daily-dash", window_id=_window("daily-dash")(world, role)
        )
        return str(next(one["attemptId"] for one in found["attempts"] if one["status"] == state))

    return find


def _board(world: World, role: Role) -> str:
    found: Any = world.operator().call("attempts.get", attempt_id=_attempt("in_progress")(world, role))
    return str(found["attempt"]["leaderboardId"])


def _lobby(world: World, role: Role) -> str:
    found: Any = world.operator().call(
        "lobbies.listOfWindow", event_key="arena", window_id=_window("arena")(world, role)
    )
    return str(found["lobbies"][0]["lobbyId"])


def _team(world: World, role: Role) -> str:
    found: Any = world.operator().call(
        "teams.listOfWindow", event_key="expedition", window_id=_window("expedition")(world, role)
    )
    return str(found["teams"][0]["eventTeamId"])


def _endpoint(world: World, state: str) -> str:
    found: Any = world.operator().call("webhooks.list")
    return str(next(one["endpointId"] for one in found["endpoints"] if one["status"] == state))


def _delivery(world: World, _: Role) -> str:
    found: Any = world.operator().call("deliveries.list", kind="player.banned")
    return str(found["deliveries"][0]["deliveryId"])


_PLACES: Final[dict[str, Callable[[World, Role], str]]] = {
    "/list/{list}": lambda *_: "gifts",
    "/wallet/{economyKey}": lambda *_: "gold",
    "/inventory/{itemKey}": lambda *_: "sword",
    "/claim/{grantId}": _grant,
    "/webhooks/{endpointId}/unpause": lambda world, _: _endpoint(world, "paused"),
    "/webhooks/{endpointId}": lambda world, _: _endpoint(world, "active"),
    "/deliveries/{deliveryId}": _delivery,
    "/windows/{windowId}/lobbies": _window("arena"),
    "/windows/{windowId}/teams": _window("expedition"),
    "/windows/{windowId}": _window("daily-dash"),
    "/attempts/{attemptId}/rewards": _attempt("completed"),
    "/attempts/{attemptId}": _attempt("in_progress"),
    "/leaderboards/{leaderboardId}": _board,
    "/lobbies/{lobbyId}": _lobby,
    "/teams/{teamId}": _team,
    "/members/{memberExternalId}": lambda *_: PLAYER,
    "/guilds/{guildId}": _guild,
    "/history/{version}": lambda *_: "1",
    "/players/{externalId}": lambda *_: PLAYER,
    "/personal-keys/{keyId}": _personal_key,
    "/keys/{keyId}": _key,
    "/members/{memberId}": _member,
    "/studios/{studioId}": lambda world, _: world.game.studio_id,
    "/games/{gameId}": lambda world, _: world.game.game_id,
}
"""Where the variables of addresses get their values."""


def places(world: World, path: str, environment: str = "test", role: Role = "OWNER") -> str:
    """The address of a page with things of this studio in it, which are in its test environment."""
    for what, event in (("lobbies", "arena"), ("teams", "expedition"), ("", "daily-dash")):
        if path.endswith(f"/windows/{{windowId}}/{what}") or not what:
            path = path.replace("{eventKey}", event)
    if path.endswith(_FOR_THE_BANNED):
        path = path.replace("{externalId}", BANNED)
    for piece, found in _PLACES.items():
        if piece in path:
            value = quote(found(world, role), safe="")
            path = path.replace(piece, re.sub(r"\{\w+\}", value, piece))
    return f"{path}?environment={environment}" if "/games/" in path else path
