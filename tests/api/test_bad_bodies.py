"""Bodies that are not what they should be: JSON of every bad kind, media types, sizes, shapes and numbers."""

from __future__ import annotations

import base64
import json
from typing import Final

import pytest

from livecore.kernel.errors import Json
from livecore.world import WorldPlayer
from tests.worlds import Reply, ask, befriend, give, http, world

MALFORMED: Final[dict[str, bytes]] = {
    "nothing but space": b"  ",
    "open object": b'{"name": "Anna"',
    "open string": b'{"name": "Anna}',
    "trailing comma": b'{"name": "Anna",}',
    "single quotes": b"{'name': 'Anna'}",
    "bare word": b'{"name": Anna}',
    "two values": b'{"name": "Anna"} {}',
    "comment": b'{"name": "Anna"} // hello',
    "NaN": b'{"name": NaN}',
    "Infinity": b'{"name": Infinity}',
    "minus Infinity": b'{"name": -Infinity}',
    "number beyond all floats": b'{"name": 1e999}',
    "leading zero": b'{"name": 01}',
    "leading plus": b'{"name": +1}',
    "hexadecimal": b'{"name": 0x10}',
    "doubled key": b'{"name": "Anna", "name": "Berta"}',
    "doubled key inside": b'{"name": "Anna", "avatar": {"a": 1, "a": 1}}',
    "doubled key spelt differently": b'{"name": "Anna", "n\\u0061me": "Berta"}',
    "lone high surrogate": b'{"name": "\\ud800"}',
    "lone low surrogate": b'{"name": "\\udc00x"}',
    "surrogates the wrong way round": b'{"name": "\\udc00\\ud800"}',
    "lone surrogate in a key": b'{"\\ud800": 1}',
    "surrogate in UTF-8": b'{"name": "\xed\xa0\x80"}',
    "not UTF-8": b'{"name": "\xff"}',
    "UTF-16": '{"name": "Anna"}'.encode("utf-16"),
    "byte order mark": b'\xef\xbb\xbf{"name": "Anna"}',
    "control character in a string": b'{"name": "a\nb"}',
    "bad escape": b'{"name": "\\x41"}',
    "65 deep": b'{"name": ' + b"[" * 64 + b"]" * 64 + b"}",
    "60000 deep": b"[" * 60_000,
    "13000 deep objects": b'{"a":' * 13_000,
}


def _put(player: WorldPlayer, body: bytes, **headers: str | None) -> Reply:
    return http(player, "PUT", "/sdk/v1/players/anna/identity", body, headers=headers)


@pytest.mark.parametrize("kind", MALFORMED)
def test_malformed_json(kind: str) -> None:
    """400 `malformed_json` on either surface."""
    anna = world().player("anna")
    assert _put(anna, MALFORMED[kind]).refusal == (400, "malformed_json")
    reply = http(anna.world.server, "PUT", "/server/v1/players/anna/identity", MALFORMED[kind])
    assert reply.refusal == (400, "malformed_json")


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (b' \r\n\t{"name" : "Anna"}\n', "Anna"),
        (b'{"name": "\\ud83d\\ude00"}', "\U0001f600"),
        (b'{"n\\u0061me": "[[[{{{\\"\\\\"}', '[[[{{{"\\'),
        ('{"name": "Ännä"}'.encode(), "Ännä"),
    ],
)
def test_unusual_but_well_formed_json(body: bytes, name: str) -> None:
    """Spaces, escapes, surrogate pairs and brackets inside strings are fine."""
    assert _put(world().player("anna"), body)["displayIdentity.name"] == name


def test_sixty_four_deep_is_well_formed() -> None:
    """The deepest that is allowed is judged by the shape, which refuses the field and not the body."""
    deep = b'{"name": ' + b"[" * 63 + b"]" * 63 + b"}"
    assert _put(world().player("anna"), deep).refusal == (400, "validation_failed")


def test_brackets_in_strings_are_no_depth() -> None:
    """Seventy open brackets inside a string nest nothing."""
    body = json.dumps({"name": "A", "avatar": "[" * 70 + "{" * 70}).encode()
    assert _put(world().player("anna"), body).status == 200


@pytest.mark.parametrize("body", [b"[]", b'"text"', b"1", b"null", b"true", b"[{}]"])
def test_a_body_is_an_object(body: bytes) -> None:
    """Any other JSON value is well-formed, and refused as `validation_failed`."""
    reply = _put(world().player("anna"), body)
    assert reply.refusal == (400, "validation_failed")
    assert reply.fields == ["body"]


# -- media type and size ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("media", ["application/json", "Application/JSON", "application/json; charset=utf-8"])
def test_json_is_declared_as_json(media: str) -> None:
    """In any case of letters, with or without parameters."""
    assert _put(world().player("anna"), b'{"name": "Anna"}', **{"content-type": media}).status == 200


@pytest.mark.parametrize("media", [None, "", "text/plain", "application/x-www-form-urlencoded", "application/jsonx"])
def test_other_media_types_are_refused(media: str | None) -> None:
    """415, before the body is read as JSON."""
    for body in (b'{"name": "Anna"}', b"{"):
        reply = _put(world().player("anna"), body, **{"content-type": media})
        assert reply.refusal == (415, "unsupported_media_type")


def test_no_body_needs_no_media_type() -> None:
    """An operation whose request is none takes no body at all, `{}`, or the idempotency key alone."""
    for body, status in ((b"", 200), (b"{}", 200), (b'{"idempotencyKey": "k"}', 200), (b'{"note": "hello"}', 400)):
        game = world()
        anna, bert = game.player("anna"), game.player("bert")
        asked = ask(anna, "friends.sendRequest", external_player_id="bert").text("request.requestId")
        reply = http(bert, "POST", f"/sdk/v1/players/bert/friends/requests/{asked}/accept", body)
        assert reply.status == status


@pytest.mark.parametrize(
    ("size", "refusal"), [(64 * 1024, (400, "validation_failed")), (64 * 1024 + 1, (413, "body_too_large"))]
)
def test_a_body_of_a_client_has_at_most_64_kib(size: int, refusal: tuple[int, str]) -> None:
    """One byte more is 413, before media type and JSON are looked at."""
    body = b'{"name": "' + b"x" * (size - 12) + b'"}'
    assert len(body) == size
    anna = world().player("anna")
    assert _put(anna, body).refusal == refusal
    if size > 64 * 1024:
        assert _put(anna, b"\xff" * size, **{"content-type": "text/plain"}).refusal == refusal


def test_reading_carries_no_body() -> None:
    """A body is too large, whatever it says."""
    anna = world().player("anna")
    for body in (b"{}", b"{"):
        assert http(anna, "GET", "/sdk/v1/players/anna/friends", body).refusal == (413, "body_too_large")


def test_deleting_carries_the_key_at_most() -> None:
    """A body that says anything else is refused: the path says all there is to say."""
    anna = world().player("anna")
    path = "/sdk/v1/players/anna/friends/bert"
    assert http(anna, "DELETE", path, b"{").refusal == (400, "malformed_json")
    assert http(anna, "DELETE", path, b'{"reason": "x"}').fields == ["reason"]
    assert http(anna, "DELETE", path, b'{"friendExternalId": "bert"}').fields == ["friendExternalId"]


# -- fields -----------------------------------------------------------------------------------------------------------------


def test_every_bad_field_is_named_at_once() -> None:
    """Missing, mistyped, too long and unknown, all with their paths, each with a reason."""
    game = world()
    game.player("anna")
    body: Json = {
        "kind": "gift",
        "expiresAt": "tomorrow",
        "metadata": [],
        "colour": "red",
        "entries": [
            {"type": "currency", "resourceKey": "gold", "amount": 1},
            {"type": "car", "resourceKey": "", "amount": 0, "extra": None},
            {"type": "item", "amount": "one"},
            "entry",
        ],
    }
    reply = http(game.server, "POST", "/server/v1/players/anna/grants", body)
    assert reply.refusal == (400, "validation_failed")
    assert reply.fields == [
        "colour", "entries[1].amount", "entries[1].extra", "entries[1].resourceKey", "entries[1].type",
        "entries[2].amount", "entries[2].resourceKey", "entries[3]", "expiresAt", "idempotencyKey", "kind", "metadata",
    ]  # fmt: skip
    details = reply["details.fields"]
    assert isinstance(details, dict)
    assert all(isinstance(text, str) and text for text in details.values())


def test_faults_of_query_header_and_body_are_told_together() -> None:
    """An unknown parameter, a differing key and a bad field come in one answer."""
    anna = world().player("anna")
    reply = http(
        anna, "PUT", "/sdk/v1/players/anna/identity", {"name": 5, "idempotencyKey": "a", "more": 1},
        query="dry=true", headers={"idempotency-key": "b"},
    )  # fmt: skip
    assert reply.fields == ["dry", "idempotencyKey", "more", "name"]


@pytest.mark.parametrize("query", ["colour=red", "limit=1&limit=2", "limit=x", "limit=0", "limit=201", "LIMIT=1"])
def test_query_parameters_are_checked(query: str) -> None:
    """Unknown ones, doubled ones and bad values are 400 and named."""
    reply = http(world().player("anna"), "GET", "/sdk/v1/players/anna/friends", query=query)
    assert reply.refusal == (400, "validation_failed")
    assert reply.fields == [query.partition("=")[0]]


@pytest.mark.parametrize("query", ["a=%ff", "x" * 9000, "&".join(f"a{number}=1" for number in range(101))])
def test_a_query_that_is_no_query(query: str) -> None:
    """Bytes that are no text, and too much of it."""
    reply = http(world().player("anna"), "GET", "/sdk/v1/players/anna/friends", query=query)
    assert reply.refusal == (400, "validation_failed")


def test_path_parameters_do_not_travel_in_the_body() -> None:
    """The path is where they belong, even when both agree."""
    anna = world().player("anna")
    reply = http(anna, "POST", "/sdk/v1/players/anna/wallet/gold/debit", {"amount": 1, "economyKey": "gold"})
    assert reply.fields == ["economyKey"]
    reply = http(anna, "PUT", "/sdk/v1/players/anna/identity", {"name": "Anna", "externalId": "anna"})
    assert reply.fields == ["externalId"]


@pytest.mark.parametrize("cursor", ["x", "", "bnVsbA", "W10", "WzEsMl0", "ew", "%00", "WyJhIiwxXQ", "x" * 513])
def test_a_cursor_is_one_of_the_lists_own(cursor: str) -> None:
    """Whatever else is sent as one is 400."""
    anna = world().player("anna")
    for path in ("friends", "friends/blocks", "friends/gifts/inbox", "friends/gifts/sent", "pending-grants"):
        reply = http(anna, "GET", f"/sdk/v1/players/anna/{path}", query=f"cursor={cursor}")
        assert reply.fields == ["cursor"]


@pytest.mark.parametrize(
    "place", ['[1e400,"a"]', '[123456789012345678901234567890,"a"]', '[1,"\\ud800"]', '[true,"a"]', '[1.0,"a"]']
)
def test_a_forged_cursor_fits_no_list(place: str) -> None:
    """A cursor whose columns no store could hold is refused like any other nonsense."""
    cursor = base64.urlsafe_b64encode(place.encode()).decode().rstrip("=")
    reply = http(world().player("anna"), "GET", "/sdk/v1/players/anna/friends", query=f"cursor={cursor}")
    assert reply.fields == ["cursor"]


# -- numbers ----------------------------------------------------------------------------------------------------------------

LARGEST: Final = 2**53 - 1


@pytest.mark.parametrize("text", ["1", "1.0", "1e0", "10e-1", "9007199254740991", "9007199254740991.0"])
def test_whole_numbers_are_integers(text: str) -> None:
    """However they are written."""
    game = world()
    anna = game.player("anna")
    body = f'{{"amount": {text}}}'.encode()
    reply = http(game.server, "POST", "/server/v1/players/anna/wallet/gold/credit", body)
    assert reply["delta"] == int(float(text))
    assert isinstance(reply["delta"], int)
    assert {row["key"]: row["balance"] for row in ask(anna, "wallet.get").list("balances")}["gold"] == reply["delta"]


@pytest.mark.parametrize(
    "text", ["0", "-1", "1.5", "true", "false", '"1"', "null", "[1]", "{}", "9007199254740992", "1e16", "1e300", "-0"]
)
def test_what_is_no_amount(text: str) -> None:
    """Amounts are integers from 1 to 2^53-1; truth values, strings and fractions are none."""
    game = world()
    game.player("anna")
    body = f'{{"amount": {text}}}'.encode()
    for key in ("gold", "unknown"):
        reply = http(game.server, "POST", f"/server/v1/players/anna/wallet/{key}/credit", body)
        assert reply.refusal == (400, "validation_failed")
        assert reply.fields == ["amount"]


def test_the_largest_balance() -> None:
    """2^53-1 fits; one more is 409 `balance_overflow`, in the wallet and in the inventory."""
    game = world()
    anna = game.player("anna")
    give(anna, "gold", LARGEST)
    give(anna, "potion", LARGEST)
    one = {"external_id": "anna"}
    credit = ask(game.server, "wallet.credit", economy_key="gold", amount=1, **one)
    assert credit.refusal == (409, "balance_overflow")
    granted = ask(game.server, "inventory.grant", item_key="potion", quantity=1, **one)
    assert granted.refusal == (409, "balance_overflow")
    assert ask(anna, "wallet.get")["balances.0.balance"] == LARGEST


@pytest.mark.parametrize("message", ["x" * 201, 5, "a\u0000b", {}])
def test_a_gift_message_has_at_most_200_characters(message: Json) -> None:
    """Plain text or null."""
    game = world()
    anna, bert = game.player("anna"), game.player("bert")
    befriend(anna, bert)
    body: Json = {
        "externalPlayerId": "bert", "type": "currency", "resourceKey": "xp", "amount": 1, "message": message,
    }  # fmt: skip
    assert http(anna, "POST", "/sdk/v1/players/anna/friends/gifts", body).fields == ["message"]


@pytest.mark.parametrize(("length", "status"), [(500, 200), (501, 400)])
def test_a_reason_has_at_most_500_characters(length: int, status: int) -> None:
    """On either surface's adjustments."""
    game = world()
    give(game.player("anna"), "gold", 5)
    body: Json = {"amount": 1, "reason": "x" * length}
    assert http(game.server, "POST", "/server/v1/players/anna/wallet/gold/credit", body).status == status


@pytest.mark.parametrize(("size", "status"), [(16 * 1024, 201), (16 * 1024 + 1, 400)])
def test_metadata_has_at_most_16_kib(size: int, status: int) -> None:
    """Counted as compact JSON."""
    game = world()
    body: Json = {
        "idempotencyKey": "g",
        "entries": [{"type": "currency", "resourceKey": "gold", "amount": 1}],
        "metadata": {"a": "x" * (size - 8)},
    }
    assert http(game.server, "POST", "/server/v1/players/anna/grants", body).status == status
