"""Players as they see themselves, as the specification and the wire contract show it."""

from __future__ import annotations

from typing import Final

import attrs

from livecore.kernel.errors import JsonObject
from livecore.world import Caller
from tests.contract.expected import KEY, NOON, Area, Route, SdkCall, ServerCall
from tests.contract.stories import MARK, Life, Scene, Step, Thing, Walk

# -- samples --------------------------------------------------------------------------------------------------------------

IDENTITY: Final[JsonObject] = {"name": "Brisk Otter", "avatar": None, "country": "SE"}
SET: Final[JsonObject] = {"displayIdentity": IDENTITY}
CHOSEN: Final[JsonObject] = {"privacy": {"discoverable": False, "presenceTo": "friends"}}
PRESENCE: Final[JsonObject] = {"online": True, "lastActiveAt": NOON, "status": None}
REGISTERED: Final[JsonObject] = {
    "playerSecret": "lcs_new",
    "player": {"playerId": "plr_01JZ0000000000000000000000", "externalPlayerId": "anna"},
    "country": "SE",
    "syntheticIdentity": IDENTITY,
    "displayIdentity": IDENTITY,
    "anonymizedIdentity": IDENTITY,
}
PROFILE: Final[JsonObject] = {
    "playerId": "plr_01JZ0000000000000000000000",
    "externalPlayerId": "anna",
    "displayIdentity": IDENTITY,
    "anonymizedIdentity": IDENTITY,
    "syntheticIdentity": IDENTITY,
    "country": None,
    "platform": {"key": "linux", "registered": True},
    "appVersion": "1.4.0",
    "sessions": 3,
    "loginStreak": {"current": 2, "best": 5},
    "firstSeenAt": NOON,
    "lastSeenAt": NOON,
}

# -- operations -----------------------------------------------------------------------------------------------------------


def _newcomer(scene: Scene) -> None:
    """Somebody who is not registered yet."""
    scene.variables["externalId"] = "new"


_SDK: Final = (
    Route(
        "sdk", "players.register", "POST /register",
        credential="client_key",
        statuses=(201, 200),
        asks=f"force? playerContext? {KEY}",
        query="force",
        answers="playerSecret player:ref country syntheticIdentity:identity displayIdentity:identity "
                "anonymizedIdentity:identity",
        refusals="test_environment_only player_banned registration_by_backend idempotency_conflict "
                 "player_already_registered storage_limit_reached",
        repeats="derived",
        ready=_newcomer,
        calls=(
            SdkCall(lambda c: c.players.register(), REGISTERED),
            SdkCall(
                lambda c: c.players.register(force=True, player_context={"country": "SE"}),
                REGISTERED,
                query={"force": "true"}, body={"playerContext": {"country": "SE"}}, status=200, note="forced",
            ),
        ),
    ),
    Route(
        "sdk", "players.setIdentity", "PUT /identity",
        asks=f"name avatar? {KEY}",
        answers="displayIdentity:identity",
        refusals="player_banned storage_limit_reached",
        calls=(
            SdkCall(
                lambda c: c.players.set_identity(name="Anna", avatar="cat"), SET, body={"name": "Anna", "avatar": "cat"}
            ),
        ),
    ),
    Route(
        "sdk", "players.setPrivacy", "PUT /privacy",
        asks=f"discoverable? presenceTo? {KEY}",
        answers="privacy:privacy",
        refusals="player_banned",
        calls=(
            SdkCall(lambda c: c.players.set_privacy(), CHOSEN, note="none"),
            SdkCall(
                lambda c: c.players.set_privacy(discoverable=False, presence_to="friends"),
                CHOSEN,
                body={"discoverable": False, "presenceTo": "friends"},
            ),
            SdkCall(
                lambda c: c.players.set_privacy(discoverable=None, presence_to=None),
                CHOSEN,
                body={"discoverable": None, "presenceTo": None}, note="as the game has it",
            ),
        ),
    ),
    Route(
        "sdk", "players.getProfile", "GET /profile",
        answers="playerId externalPlayerId displayIdentity:identity anonymizedIdentity:identity "
                "syntheticIdentity:identity country platform:platform appVersion sessions loginStreak:streak "
                "firstSeenAt lastSeenAt",
        calls=(SdkCall(lambda c: c.players.get_profile(), PROFILE),),
    ),
    Route(
        "sdk", "presence.heartbeat", "POST /presence",
        asks=f"status? {KEY}",
        answers="online lastActiveAt status",
        refusals="player_banned",
        repeats="new",  # it is no durable write
        calls=(
            SdkCall(lambda c: c.presence.heartbeat(), PRESENCE),
            SdkCall(lambda c: c.presence.heartbeat(status=None), PRESENCE, body={"status": None}, note="cleared"),
            SdkCall(
                lambda c: c.presence.heartbeat(status="In a match"),
                PRESENCE,
                body={"status": "In a match"}, note="labelled",
            ),
        ),
    ),
)  # fmt: skip

_SERVER: Final = (
    Route(
        "server", "players.setIdentity", "PUT /identity",
        asks=f"name? avatar? country? {KEY}",
        answers="displayIdentity:identity",
        refusals="player_not_found",
        calls=(
            ServerCall(
                lambda c: c.players.set_identity("anna", name="Anna", country=None),
                SET,
                body={"name": "Anna", "country": None},
            ),
            ServerCall(
                lambda c: c.players.set_identity("anna", country="NO"), SET, body={"country": "NO"}, note="of a country"
            ),
            ServerCall(
                lambda c: c.players.set_identity("anna", name=None, avatar=None),
                SET,
                body={"name": None, "avatar": None}, note="reset",
            ),
        ),
    ),
    Route(
        "server", "players.rotateSecret", "POST /rotate-secret",
        asks=KEY,
        answers="playerSecret secretPrefix secretRotatedAt",
        refusals="player_not_found idempotency_conflict",
        repeats="new",  # its answer shows a secret, which is not kept
        calls=(
            ServerCall(
                lambda c: c.players.rotate_secret("anna"),
                {"playerSecret": "lcs_new", "secretPrefix": "lcs_ne", "secretRotatedAt": NOON},
            ),
        ),
    ),
)  # fmt: skip

# -- the walk -------------------------------------------------------------------------------------------------------------


def _arrive(walk: Walk) -> None:
    game = walk.world
    stranger = Caller(game, "sdk", {"authorization": f"Bearer {game.keys['client']}"}, "dora")
    walk.ask(stranger, "players.register", player_context={"country": "SE"})
    walk.ask(stranger, "players.register", force=True)
    anna, bert, carl = (walk.player(name) for name in ("anna", "bert", "carl"))
    on_a_phone = attrs.evolve(anna, headers={**anna.headers, "x-svc-platform": "ios"})
    walk.ask(on_a_phone, "players.setIdentity", name="Anna", avatar="fox")
    walk.ask(walk.server, "players.setIdentity", external_id="bert", name="Bert", country="NO")
    for player in (on_a_phone, bert):
        walk.ask(player, "players.getProfile")
    walk.ask(carl, "presence.heartbeat", status="Lobby")
    walk.ask(carl, "players.setPrivacy", presence_to="friends")


def _part(walk: Walk) -> None:
    walk.ask(walk.server, "players.rotateSecret", external_id="bert")


_WALK: Final = (
    # dora, who is forced, anna, bert and carl
    Step("arrive", _arrive, {"player.registered": 4, "player.secret_set": 4, "player.secret_rotated": 1}),
    Step("part", _part, {"player.secret_rotated": 1}),
)

# -- the marked life ------------------------------------------------------------------------------------------------------


def _arrive_marked(life: Life) -> None:
    life.ask(life.marked, "players.setIdentity", name=MARK, avatar=MARK)
    life.ask(life.marked, "presence.heartbeat", status=MARK)
    life.ask(life.marked, "players.setPrivacy", discoverable=True, presence_to="friends")
    life.ask(life.server, "players.setIdentity", external_id=MARK, name=MARK, avatar=MARK, country="SE")


def _leave_marked(life: Life) -> None:
    """Last of all, because the marked player's own secret is no more."""
    life.ask(life.server, "players.rotateSecret", external_id=MARK)


AREA: Final = Area(
    routes=(*_SDK, *_SERVER),
    rows={
        "identity": "name avatar country",
        "ref": "playerId externalPlayerId",
        "platform": "key registered",
        "streak": "current best",
        "presence": "online lastActiveAt status",
        "privacy": "discoverable presenceTo",
    },
    refusals={
        401: "player_secret_invalid",
        403: "test_environment_only player_banned registration_by_backend",
        404: "player_not_found",
        409: "player_already_registered storage_limit_reached",
    },
    walk=_WALK,
    marked=(Step("arrive", _arrive_marked), Step("leave", _leave_marked)),
    things={"externalId": Thing(lambda _: "me")},
)
