"""Who may call what: every operation of the table with every wrong credential, each with its exact status and code."""

from __future__ import annotations

from functools import cache
from typing import Final

import attrs
import pytest

from livecore.access.keys import GRACE, revoke_key, rotate_key
from livecore.api.examples import argument_examples
from livecore.api.game_config import parse_config
from livecore.api.operation import Operation
from livecore.api.operations import OPERATIONS
from livecore.api.upkeep import make_game
from livecore.kernel.entropy import Entropy
from livecore.kernel.errors import Json, JsonObject
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.store import Transaction
from livecore.kernel.unit import SYSTEM
from livecore.world import World, WorldPlayer
from tests.worlds import Reply, ask, ban, befriend, config, gift, give, grant, http, world

GUARDED: Final = [operation for operation in OPERATIONS if operation.credential != "none"]
PLAYERS_OWN: Final = [operation for operation in GUARDED if operation.credential == "player"]
OF_A_PLAYER: Final = [operation for operation in GUARDED if operation.subject == "existing"]
NAMES = [operation.id for operation in GUARDED]

BODIES: Final[dict[str, JsonObject]] = {
    "friends.sendRequest": {"externalPlayerId": "third"},
    "friends.block": {"externalPlayerId": "third"},
    "gifts.send": {"externalPlayerId": "friend", "type": "currency", "resourceKey": "gold", "amount": 1},
    "grants.create": {
        "idempotencyKey": "k",
        "entries": [{"type": "currency", "resourceKey": "gold", "amount": 1}],
    },
    "wallet.debit": {"amount": 1},
    "wallet.credit": {"amount": 1},
    "inventory.consume": {"quantity": 1},
    "inventory.grant": {"quantity": 1},
    "inventory.revoke": {"quantity": 1},
}
"""Bodies with which an operation would succeed in the scene if the caller were the right one, where not any body would."""


@attrs.frozen
class Scene:
    """A player with a friend, an open request each way, a gift, a grant and things to spend; and three further players."""

    world: World
    me: WorldPlayer
    friend: WorldPlayer
    variables: dict[str, str]
    revoked: dict[str, str]
    rotated: dict[str, str]
    foreign: dict[str, str]

    def path(self, operation: Operation, **other: str) -> str:
        """The operation's path, about the player and what they own."""
        path = operation.path
        for name in operation.variables:
            path = path.replace("{" + name + "}", {**self.variables, **other}[name])
        return path

    def call(self, operation: Operation, key: str | None, secret: str | None, **other: str) -> Reply:
        """Make a good request with these credentials."""
        headers = {
            "authorization": None if key is None else f"Bearer {key}",
            "x-player-secret": secret,
        }
        body: Json | bytes = self._body(operation) if operation.takes_body else b""
        query = "q=me" if operation.name == "friends.search" else ""
        return http(self.world, operation.method, self.path(operation, **other), body, query=query, headers=headers)

    @staticmethod
    def _body(operation: Operation) -> JsonObject:
        """A body that fits the scene, or else the one that the documents show."""
        return BODIES.get(operation.name) or argument_examples(operation, "body")

    def key_of(self, operation: Operation) -> str:
        """The right key."""
        return self.world.keys[_permission(operation)]


def _permission(operation: Operation) -> str:
    return "server" if operation.credential == "server_key" else "client"


def _other(permission: str) -> str:
    return "client" if permission == "server" else "server"


def _more_keys(game: World) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """A revoked pair of keys, a rotated pair, and the pair of another game in the same deployment."""

    def make(tx: Transaction) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
        entropy = Entropy(b"further keys")
        games = [
            make_game(tx, parse_config(config()), game.now, entropy, studio_name="Other", actor=SYSTEM)
            for _ in range(3)
        ]
        texts = [{name: made.keys["test", name].text for name in ("client", "server")} for made in games]
        for name in ("client", "server"):
            first, second = (made.keys["test", name].key for made in games[:2])
            revoke_key(tx, first.game_id, first.key_id, game.now)
            rotate_key(tx, second.game_id, second.key_id, game.now, entropy)
        return texts[0], texts[1], texts[2]

    return game.store.write(DIRECTORY, make)


def build() -> Scene:
    """The scene."""
    game = world()
    me, friend, _, fourth = (game.player(name) for name in ("me", "friend", "third", "fourth"))
    befriend(me, friend)
    for key in ("gold", "potion"):
        give(me, key, 10)
        give(friend, key, 10)
    sent = gift(friend, me, "gold", 1)
    made = grant(me)
    asked = ask(fourth, "friends.sendRequest", external_player_id="me")
    ask(me, "friends.block", external_player_id="fifth")
    return Scene(
        game,
        me,
        friend,
        {
            "externalId": "me",
            "requestId": asked.text("request.requestId"),
            "friendExternalId": "friend",
            "blockedExternalId": "third",
            "toExternalId": "fourth",
            "giftId": sent.text("gift.giftId"),
            "grantId": made.text("grant.grantId"),
            "economyKey": "gold",
            "itemKey": "potion",
        },
        *_more_keys(game),
    )


@cache
def scene() -> Scene:
    """A scene for requests that are refused, which leave it as it is."""
    return build()


@pytest.mark.parametrize("operation", GUARDED, ids=lambda operation: operation.id)
def test_without_a_key(operation: Operation) -> None:
    """401 `api_key_missing`, whatever secret comes along."""
    assert scene().call(operation, None, scene().me.secret).refusal == (401, "api_key_missing")


@pytest.mark.parametrize("scheme", ["", "Bearer", "Bearer ", "Basic abc", "lc_test_client_abc"])
@pytest.mark.parametrize("operation", GUARDED[:1] + GUARDED[-1:], ids=lambda operation: operation.id)
def test_without_a_bearer_token(operation: Operation, scheme: str) -> None:
    """Another scheme, or none, is no key."""
    reply = http(scene().world, operation.method, scene().path(operation), headers={"authorization": scheme})
    assert reply.refusal == (401, "api_key_missing")


@pytest.mark.parametrize("text", ["x", "lc_test_client_abc_00000000", "svc_pk_abc_00000000", "ключ", "a" * 5000])
@pytest.mark.parametrize("operation", GUARDED, ids=lambda operation: operation.id)
def test_with_an_unknown_key(operation: Operation, text: str) -> None:
    """401 `api_key_invalid`, however it is malformed."""
    assert scene().call(operation, text, scene().me.secret).refusal == (401, "api_key_invalid")


@pytest.mark.parametrize("operation", GUARDED, ids=lambda operation: operation.id)
def test_with_a_key_that_is_nearly_right(operation: Operation) -> None:
    """A key with its last character changed, in capitals, or with something added is unknown."""
    key = scene().key_of(operation)
    for wrong in (key[:-1] + ("0" if key[-1] != "0" else "1"), key.upper(), key + "0"):
        assert scene().call(operation, wrong, scene().me.secret).refusal == (401, "api_key_invalid")


@pytest.mark.parametrize("operation", GUARDED, ids=lambda operation: operation.id)
def test_with_a_revoked_key(operation: Operation) -> None:
    """401 `api_key_revoked`, also where the permission set would be the wrong one."""
    for name in ("client", "server"):
        reply = scene().call(operation, scene().revoked[name], scene().me.secret)
        assert reply.refusal == (401, "api_key_revoked")


@pytest.mark.parametrize("operation", GUARDED, ids=lambda operation: operation.id)
def test_with_the_other_permission_set(operation: Operation) -> None:
    """403 `wrong_permission_set`: a client key on a server route, a server key on a client route."""
    key = scene().world.keys[_other(_permission(operation))]
    assert scene().call(operation, key, scene().me.secret).refusal == (403, "wrong_permission_set")


@pytest.mark.parametrize("operation", OF_A_PLAYER, ids=lambda operation: operation.id)
def test_with_a_key_of_the_other_environment(operation: Operation) -> None:
    """404 `player_not_found`: the player belongs to the environment that registered it."""
    key = scene().world.all_keys[f"live_{_permission(operation)}"]
    assert scene().call(operation, key, scene().me.secret).refusal == (404, "player_not_found")


@pytest.mark.parametrize("operation", OF_A_PLAYER, ids=lambda operation: operation.id)
def test_with_a_key_of_another_game(operation: Operation) -> None:
    """404 `player_not_found`: another game's players are not there."""
    key = scene().foreign[_permission(operation)]
    assert scene().call(operation, key, scene().me.secret).refusal == (404, "player_not_found")


@pytest.mark.parametrize("operation", PLAYERS_OWN, ids=lambda operation: operation.id)
def test_without_the_players_own_secret(operation: Operation) -> None:
    """401 `player_secret_invalid`: no secret, an empty one, a guess, a friend's, and one's own with something added."""
    here = build()
    for secret in (None, "", "lcs_guess", here.friend.secret, here.me.secret + "a"):
        assert here.call(operation, here.key_of(operation), secret).refusal == (401, "player_secret_invalid")


@pytest.mark.parametrize("operation", OF_A_PLAYER, ids=lambda operation: operation.id)
def test_about_an_unknown_player(operation: Operation) -> None:
    """404 `player_not_found`, whatever secret comes along: there is none to be wrong."""
    for secret in (None, scene().me.secret):
        reply = scene().call(operation, scene().key_of(operation), secret, externalId="nobody")
        assert reply.refusal == (404, "player_not_found")


FOREIGN_IDS: Final = {
    "requestId": "friend_request_not_found",
    "giftId": "gift_not_found",
    "grantId": "grant_not_found",
    "friendExternalId": "friend_not_found",
    "blockedExternalId": "block_not_found",
}


@pytest.mark.parametrize(
    "operation",
    [operation for operation in GUARDED if set(operation.variables) & set(FOREIGN_IDS)],
    ids=lambda operation: operation.id,
)
def test_with_another_players_things(operation: Operation) -> None:
    """404 for a request, gift or grant that is somebody else's, a friend or a block that is not one's own, or nobody's."""
    here = scene()
    third = here.world.player(f"stranger-{operation.id.replace(':', '-')}")
    (variable,) = set(operation.variables) & set(FOREIGN_IDS)
    for value in (here.variables[variable], "unknown"):
        reply = here.call(
            operation, here.key_of(operation), third.secret, externalId=str(third.external_id), **{variable: value}
        )
        assert reply.refusal == (404, FOREIGN_IDS[variable])


@pytest.mark.parametrize("operation", PLAYERS_OWN, ids=lambda operation: operation.id)
def test_as_a_banned_player(operation: Operation) -> None:
    """Every write of a banned player is 403 `player_banned`; every read works."""
    here = build()
    ban(here.me)
    reply = here.call(operation, here.key_of(operation), here.me.secret)
    assert reply.refusal == ((200, None) if operation.method == "GET" else (403, "player_banned"))


@pytest.mark.parametrize("operation", GUARDED, ids=lambda operation: operation.id)
def test_with_the_right_credentials(operation: Operation) -> None:
    """The same requests succeed, so that it was the credentials that were refused above."""
    here = build()
    if operation.name == "friends.unblock":
        ask(here.me, "friends.block", external_player_id="third")
    if operation.name == "friends.cancelRequest":
        asked = ask(here.me, "friends.sendRequest", external_player_id="third")
        here.variables["requestId"] = asked.text("request.requestId")
    if operation.name == "players.register":
        here.variables["externalId"] = "new"
    reply = here.call(operation, here.key_of(operation), here.me.secret)
    assert reply.status in operation.answers, reply.body


@pytest.mark.parametrize("permission", ["client", "server"])
def test_a_rotated_key_works_for_sixty_days(permission: str) -> None:
    """Up to the last millisecond of the grace; then it is 401 `api_key_revoked`."""
    here = build()
    path = "/server/v1/ping" if permission == "server" else "/sdk/v1/players/new/register"
    method = "GET" if permission == "server" else "POST"
    headers = {"authorization": f"Bearer {here.rotated[permission]}"}
    start = here.world.now
    for at, refusal in ((start, None), (start + GRACE - 1, None), (start + GRACE, "api_key_revoked")):
        here.world.now = at
        assert http(here.world, method, path.replace("new", f"new{at}"), headers=headers).code == refusal


def test_nothing_of_the_table_was_left_out() -> None:
    """The matrix is made from the table: all but the public operations are in it."""
    public = {operation.id for operation in OPERATIONS} - set(NAMES)
    assert all("openapi" in name or name.startswith("admin:") for name in public)
    assert len(NAMES) >= 41
