"""Idempotency keys: one effect and one answer, for 24 hours, within game, environment, surface and player."""

from __future__ import annotations

from typing import Final

import attrs
import pytest

from livecore.access.directory import API_KEYS, ApiKey
from livecore.access.keys import rotate_key
from livecore.api.operations import OPERATIONS
from livecore.api.requests.idempotency import ANSWERS
from livecore.economy.grants import GRANTS
from livecore.economy.ledger import ENTRIES
from livecore.kernel.entropy import Entropy
from livecore.kernel.errors import Json
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.time import DAY
from livecore.social.gifts import GIFTS
from livecore.world import Caller, World, WorldPlayer
from tests.worlds import Reply, Since, ask, ban, befriend, gift, give, grant, http, rows_of, total, world

REPLAYED: Final = "Idempotent-Replay"


def _friends() -> tuple[WorldPlayer, WorldPlayer]:
    game = world()
    anna, bert = game.player("anna"), game.player("bert")
    befriend(anna, bert)
    give(anna, "gold", 100)
    return anna, bert


def _credit(game: World, amount: int = 5, key: str = "k", **more: object) -> Reply:
    arguments = {"external_id": "anna", "economy_key": "gold", "amount": amount, "idempotency_key": key, **more}
    return ask(game.server, "wallet.credit", **arguments)


# -- a replay -------------------------------------------------------------------------------------------------------------


def test_a_replay_answers_the_same_and_does_nothing() -> None:
    """Same status, same bytes, the header, no second effect and no event."""
    anna, bert = _friends()
    first = gift(anna, bert, idempotency_key="k")
    seen = Since(anna.world)
    before = anna.world.store.dump()
    again = gift(anna, bert, idempotency_key="k")
    assert (first.status, first.header(REPLAYED)) == (201, None)
    assert (again.status, again.header(REPLAYED)) == (201, "true")
    assert again.response.body == first.response.body
    assert seen.kinds == []
    assert anna.world.store.dump() == before


def test_a_replay_tells_what_was_true_then() -> None:
    """The answer is the one of the first time, whatever has happened to the gift since."""
    anna, bert = _friends()
    first = gift(anna, bert, idempotency_key="k")
    ask(bert, "gifts.claim", gift_id=first["gift.giftId"])
    assert gift(anna, bert, idempotency_key="k")["gift.status"] == "pending"


def test_a_grants_replay_answers_200() -> None:
    """Created 201, replayed 200, with the same grant."""
    anna, _ = _friends()
    first, again = grant(anna), grant(anna)
    assert (first.status, again.status, again.header(REPLAYED)) == (201, 200, "true")
    assert again.data == first.data
    assert len(rows_of(anna.world, GRANTS)) == 1


@pytest.mark.parametrize(
    "body",
    [
        '{"amount": 5, "reason": "r", "idempotencyKey": "k"}',
        '{"idempotencyKey":"k","reason":"r","amount":5}',
        '{"amount": 5.0, "reason": "\\u0072", "idempotencyKey": "k"}',
    ],
)
def test_the_same_body_may_be_written_differently(body: str) -> None:
    """The fingerprint covers the canonical body: order, spaces and spellings of a value do not matter."""
    anna, _ = _friends()
    first = _credit(anna.world, reason="r")
    again = http(anna.world.server, "POST", "/server/v1/players/anna/wallet/gold/credit", body.encode())
    assert again.header(REPLAYED) == "true"
    assert again.data == first.data


def test_the_key_may_come_in_the_header_or_the_body() -> None:
    """It is the same key, and both together must agree."""
    anna, _ = _friends()
    first = _credit(anna.world)
    path = "/server/v1/players/anna/wallet/gold/credit"
    header = http(anna.world.server, "POST", path, {"amount": 5}, headers={"idempotency-key": "k"})
    both = http(anna.world.server, "POST", path, {"amount": 5, "idempotencyKey": "k"}, headers={"idempotency-key": "k"})
    assert first.data == header.data == both.data
    other = http(
        anna.world.server, "POST", path, {"amount": 5, "idempotencyKey": "k"}, headers={"idempotency-key": "j"}
    )
    assert other.refusal == (400, "validation_failed")
    assert other.fields == ["idempotencyKey"]


@pytest.mark.parametrize("bad", ["", "x" * 256, "ключ", "a\tb", "a\x7f"])
def test_a_key_has_1_to_255_printable_characters(bad: str) -> None:
    """In either place."""
    anna, _ = _friends()
    path = "/server/v1/players/anna/wallet/gold/credit"
    body: Json = {"amount": 5, "idempotencyKey": bad}
    assert http(anna.world.server, "POST", path, body).fields == ["idempotencyKey"]
    header = http(anna.world.server, "POST", path, {"amount": 5}, headers={"idempotency-key": bad})
    assert header.fields == ["Idempotency-Key"]
    assert total(anna, "gold") == 100


def test_the_longest_key() -> None:
    """255 characters are fine, spaces among them."""
    anna, _ = _friends()
    assert _credit(anna.world, key="a b" * 85).status == 200


# -- conflicts ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("players/anna/wallet/gold/credit", {"amount": 6}),
        ("players/anna/wallet/gold/credit", {"amount": 5, "reason": "other"}),
        ("players/anna/wallet/gold/debit", {"amount": 5}),
        ("players/anna/wallet/gems/credit", {"amount": 5}),
        ("players/bert/wallet/gold/credit", {"amount": 5}),
    ],
)
def test_the_same_key_with_another_request_is_a_conflict(path: str, body: dict[str, Json]) -> None:
    """409 `idempotency_conflict` for another body, operation, key of the economy or player; and nothing happens."""
    anna, _ = _friends()
    _credit(anna.world)
    reply = http(anna.world.server, "POST", f"/server/v1/{path}", {**body, "idempotencyKey": "k"})
    assert reply.refusal == (409, "idempotency_conflict")


def test_a_malformed_request_is_told_before_the_conflict() -> None:
    """The shape comes before the key is looked up."""
    anna, _ = _friends()
    _credit(anna.world)
    assert _credit(anna.world, amount=0).refusal == (400, "validation_failed")


def test_a_refused_write_leaves_no_record() -> None:
    """It may be tried again with the same key, with another body even, and then has its effect."""
    anna, bert = _friends()
    assert gift(anna, bert, amount=500, idempotency_key="k").status == 400
    assert rows_of(anna.world, ANSWERS) == []
    assert gift(anna, bert, amount=5, idempotency_key="k").status == 201


# -- scopes ---------------------------------------------------------------------------------------------------------------


def test_players_have_keys_of_their_own() -> None:
    """Two players may use the same key; each has an effect."""
    anna, bert = _friends()
    give(bert, "gold", 100)
    assert [gift(anna, bert, idempotency_key="k").status, gift(bert, anna, idempotency_key="k").status] == [201, 201]


def test_surfaces_have_keys_of_their_own() -> None:
    """The studio's key does not meet the player's."""
    anna, _ = _friends()
    assert _credit(anna.world).status == 200
    own = ask(anna, "wallet.debit", economy_key="gold", amount=5, idempotency_key="k")
    assert (own.status, own.header(REPLAYED)) == (200, None)


def test_environments_have_keys_of_their_own() -> None:
    """The live player's grant is not the test player's."""
    anna, _ = _friends()
    assert grant(anna).status == 201
    live = Caller(anna.world, "server", {"authorization": f"Bearer {anna.world.all_keys['live_server']}"}, None)
    entries = [{"type": "currency", "resourceKey": "gold", "amount": 10}]
    made = ask(live, "grants.create", external_id="anna", idempotency_key="g", entries=entries)
    assert made.status == 201


def test_a_rotated_api_key_does_not_run_a_write_twice() -> None:
    """The record is never the API key's: the successor's try meets the answer of the old key's."""
    anna, _ = _friends()
    game = anna.world
    first = _credit(game)
    keys = [row for row in game.store.dump()[DIRECTORY.id][API_KEYS.name] if isinstance(row, ApiKey)]
    old = next(key for key in keys if (key.environment, key.permission) == ("test", "server"))
    successor = game.store.write(
        DIRECTORY, lambda tx: rotate_key(tx, old.game_id, old.key_id, game.now, Entropy(b"rotate"))
    )
    again = http(
        game, "POST", "/server/v1/players/anna/wallet/gold/credit", {"amount": 5, "idempotencyKey": "k"},
        headers={"authorization": f"Bearer {successor.text}"},
    )  # fmt: skip
    assert again.header(REPLAYED) == "true"
    assert again.data == first.data


# -- who asks comes first -------------------------------------------------------------------------------------------------


def test_authentication_comes_before_a_replay() -> None:
    """A wrong secret and a dead key get no stored answer."""
    anna, bert = _friends()
    gift(anna, bert, idempotency_key="k")
    assert gift(anna, bert, idempotency_key="k", headers={"x-player-secret": "lcs_guess"}).status == 401
    assert gift(anna, bert, idempotency_key="k", headers={"authorization": "Bearer x"}).status == 401


def test_a_ban_comes_before_a_replay() -> None:
    """A player who was banned meanwhile is told so, and not what was answered before."""
    anna, bert = _friends()
    gift(anna, bert, idempotency_key="k")
    ban(anna)
    assert gift(anna, bert, idempotency_key="k").refusal == (403, "player_banned")


# -- time -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("wait", "replayed"), [(DAY - 1, True), (DAY, False)])
def test_answers_are_kept_for_a_day(wait: int, replayed: bool) -> None:
    """An operation without a key of its own in a row runs again after 24 hours."""
    anna, _ = _friends()
    ask(anna, "players.setIdentity", name="Anna", idempotency_key="k")
    ask(anna, "players.setIdentity", name="Berta")
    anna.world.now += wait
    again = ask(anna, "players.setIdentity", name="Anna", idempotency_key="k")
    assert (again.header(REPLAYED) == "true") == replayed
    assert ask(anna, "players.getProfile")["displayIdentity.name"] == ("Berta" if replayed else "Anna")


def test_the_sweep_forgets_answers() -> None:
    """Within an hour after their day answers are gone from the store."""
    anna, _ = _friends()
    _credit(anna.world)
    anna.world.advance(hours=24)
    assert rows_of(anna.world, ANSWERS) == []


LATE: Final = 40
"""Days after which a client tries again."""


@pytest.mark.parametrize("operation", ["wallet.credit", "wallet.debit", "inventory.grant", "inventory.revoke"])
def test_a_late_retry_of_an_adjustment_has_no_second_effect(operation: str) -> None:
    """The ledger entry keeps its key for good: the same entry is answered, marked as a replay."""
    anna, _ = _friends()
    give(anna, "potion", 50)
    what = {"economy_key": "gold", "amount": 5} if "wallet" in operation else {"item_key": "potion", "quantity": 5}
    call = {"external_id": "anna", "idempotency_key": "k", **what}
    first = ask(anna.world.server, operation, **call)
    anna.world.advance(days=LATE)
    entries = len(rows_of(anna.world, ENTRIES))
    again = ask(anna.world.server, operation, **call)
    assert (again.status, again.header(REPLAYED)) == (200, "true")
    assert again.data == first.data
    assert len(rows_of(anna.world, ENTRIES)) == entries
    other = ask(anna.world.server, operation, **{**call, list(what)[1]: 6})
    assert other.refusal == (409, "idempotency_conflict")


@pytest.mark.parametrize("operation", ["wallet.debit", "inventory.consume"])
def test_a_late_retry_of_a_players_own_debit_has_no_second_effect(operation: str) -> None:
    """On the client surface too."""
    anna, _ = _friends()
    give(anna, "potion", 50)
    what = {"economy_key": "gold", "amount": 5} if "wallet" in operation else {"item_key": "potion", "quantity": 5}
    first = ask(anna, operation, idempotency_key="k", **what)
    anna.world.advance(days=LATE)
    again = ask(anna, operation, idempotency_key="k", **what)
    assert again.data == first.data
    assert again.header(REPLAYED) == "true"


def test_a_late_retry_of_a_gift_is_the_same_gift() -> None:
    """Past cooldown and record the gift keeps its key: 201 with the original gift as it stands now, nothing charged."""
    anna, bert = _friends()
    first = gift(anna, bert, idempotency_key="k")
    ask(bert, "gifts.claim", gift_id=first["gift.giftId"])
    anna.world.advance(days=LATE)
    again = gift(anna, bert, idempotency_key="k")
    assert (again.status, again.header(REPLAYED)) == (201, "true")
    assert (again["gift.giftId"], again["gift.status"]) == (first["gift.giftId"], "claimed")
    assert total(anna, "gold") == 90
    assert len(rows_of(anna.world, GIFTS)) == 1
    assert gift(anna, bert, amount=7, idempotency_key="k").refusal == (409, "idempotency_conflict")


def test_a_late_retry_of_a_grant_is_the_same_grant() -> None:
    """200, also where the first one has been claimed or has expired, and no second `grant.created`."""
    anna, _ = _friends()
    first = grant(anna)
    ask(anna, "grants.claim", grant_id=first["grant.grantId"])
    anna.world.advance(days=LATE)
    seen = Since(anna.world)
    again = grant(anna)
    assert (again.status, again["grant.status"], again.header(REPLAYED)) == (200, "claimed", "true")
    assert again["grant.grantId"] == first["grant.grantId"]
    assert seen.kinds == []
    assert grant(anna, amount=11).refusal == (409, "idempotency_conflict")


def test_a_repeated_key_returns_the_gift_instead_of_the_cooldown() -> None:
    """As the specification says of sending with a repeated key."""
    anna, bert = _friends()
    first = gift(anna, bert, idempotency_key="k")
    anna.world.advance(hours=1)
    assert gift(anna, bert, idempotency_key="k").data == first.data
    assert gift(anna, bert, idempotency_key="j").refusal == (409, "gift_cooldown")


# -- the table ------------------------------------------------------------------------------------------------------------


READ_BY_POST: Final = {"admin:settings.difference"}
"""What changes nothing, and whose question needs a body."""


def test_every_mutation_accepts_a_key() -> None:
    """Every operation that is no read has `idempotencyKey` in its arguments, and no read has, whatever its method is."""
    for operation in OPERATIONS:
        names = {field.name for field in attrs.fields(operation.args)}
        reads = operation.method == "GET" or operation.id in READ_BY_POST
        assert ("idempotency_key" in names) != reads, operation.id


def test_a_grant_needs_a_key() -> None:
    """400 naming `idempotencyKey`; the header is good enough."""
    anna, _ = _friends()
    body: Json = {"entries": [{"type": "currency", "resourceKey": "gold", "amount": 1}]}
    path = "/server/v1/players/anna/grants"
    assert http(anna.world.server, "POST", path, body).fields == ["idempotencyKey"]
    assert http(anna.world.server, "POST", path, body, headers={"idempotency-key": "k"}).status == 201


@pytest.mark.parametrize("body", [b"", b"{}", b'{"idempotencyKey": "k"}'])
def test_deleting_takes_the_key_in_the_header_or_the_body(body: bytes) -> None:
    """A request without arguments may have no body, an empty object or one with the key; the replay answers alike."""
    anna, _ = _friends()
    path = "/sdk/v1/players/anna/friends/bert"
    headers = {} if b"Key" in body else {"idempotency-key": "k"}
    first, again = (http(anna, "DELETE", path, body, headers=headers) for _ in range(2))
    assert (first.status, again.status, again.header(REPLAYED)) == (200, 200, "true")


def test_deleting_takes_the_key_in_the_header() -> None:
    """There is no body: a replayed removal answers as the first one, instead of 404."""
    anna, bert = _friends()
    path = "/sdk/v1/players/anna/friends/bert"
    first = http(anna, "DELETE", path, headers={"idempotency-key": "k"})
    again = http(anna, "DELETE", path, headers={"idempotency-key": "k"})
    assert (again.status, again.data, again.header(REPLAYED)) == (200, first.data, "true")
    assert http(anna, "DELETE", path, query="idempotencyKey=k").fields == ["idempotencyKey"]
    assert ask(bert, "friends.list").list("friends") == []
