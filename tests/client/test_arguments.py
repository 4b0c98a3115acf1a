"""What a program passes is checked before it is sent: each mistake with the words in which it is told."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import attrs
import httpx
import pytest
import respx
from hypothesis import given
from hypothesis import strategies as st

from livecore.api.operations import ROWS
from livecore.economy.rows import CreateGrant
from livecore.kernel.time import Timestamp
from livecore.kernel.wire import encode
from livecore.kernel.wire.exact import is_exact_request
from livecore.kernel.wire.shapes import ABSENT
from livecore.surfaces.arguments import instant, integers, json_object, listed
from livecore.surfaces.checking import checked
from livecore.world import World
from livecore_client import ServerClient, errors
from livecore_client.rows import BalanceRow, MigratePlayerRow, RewardEntry
from tests.client.flavours import AnyServer, Flavour

GOLD = RewardEntry(type="currency", resource_key="gold", amount=5)
Call = Callable[[Any], object]
MISTAKES: dict[str, tuple[Call, str]] = {
    "a dict without its fields": (
        lambda studio: studio.grants.create("anna", entries=[{"type": "currency"}]),
        (
            "entries[0].resource_key is required: text of 1 to 64 characters; "
            "entries[0].amount is required: an integer from 1 to 9007199254740991"
        ),
    ),
    "a dict with another name": (
        lambda studio: studio.grants.create(
            "anna", entries=[{"type": "currency", "resourceKey": "gold", "amount": 5, "reason": "a gift"}]
        ),
        "entries[0].reason is no field of RewardEntry, which has type, resource_key, amount, parameters",
    ),
    "both spellings": (
        lambda studio: studio.grants.create(
            "anna", entries=[{"type": "currency", "resourceKey": "gold", "resource_key": "gold", "amount": 5}]
        ),
        "entries[0].resource_key is given twice, in both spellings",
    ),
    "a wrong type in a dict": (
        lambda studio: studio.grants.create(
            "anna", entries=[GOLD, {"type": "currency", "resourceKey": 7, "amount": "5"}]
        ),
        (
            "entries[1].resource_key must be text of 1 to 64 characters, not 7; "
            "entries[1].amount must be an integer from 1 to 9007199254740991, not '5'"
        ),
    ),
    "a wrong type in a row": (
        lambda studio: studio.grants.create(
            "anna",
            entries=[RewardEntry(type="item", resource_key=b"x", amount=True)],  # type: ignore[arg-type] # mistake
        ),
        (
            "entries[0].resource_key must be text of 1 to 64 characters, not bytes; "
            "entries[0].amount must be an integer from 1 to 9007199254740991, not True"
        ),
    ),
    "another row": (
        lambda studio: studio.grants.create("anna", entries=[BalanceRow(key="gold", kind="currency", balance=1)]),
        "entries[0] must be a RewardEntry, or a dict with type, resource_key, amount, parameters, not BalanceRow",
    ),
    "one dict where a list is wanted": (
        lambda studio: studio.grants.create("anna", entries={"type": "currency"}),
        "entries must be a list of 1 to 50 RewardEntry, not dict",
    ),
    "one row where a list is wanted": (
        lambda studio: studio.grants.create("anna", entries=GOLD),
        "entries must be a list of 1 to 50 RewardEntry, not RewardEntry",
    ),
    "nothing where a list is wanted": (
        lambda studio: studio.grants.create("anna", entries=None),
        "entries must be a list of 1 to 50 RewardEntry, not None",
    ),
    "a moment without a zone": (
        lambda studio: studio.grants.create("anna", entries=[GOLD], expires_at=datetime(2026, 2, 1)),  # noqa: DTZ001 - the mistake
        "expires_at needs a time zone: use datetime(…, tzinfo=UTC)",
    ),
    "a moment in words": (
        lambda studio: studio.grants.create("anna", entries=[GOLD], expires_at="tomorrow"),
        "expires_at must be a datetime with a time zone or None, not 'tomorrow'",
    ),
    "a number of seconds": (
        lambda studio: studio.grants.create("anna", entries=[GOLD], expires_at=1_770_000_000),
        "expires_at must be a datetime with a time zone or None, not 1770000000",
    ),
    "an amount as text": (
        lambda studio: studio.wallet.credit("anna", "gold", amount="5"),
        "amount must be an integer from 1 to 9007199254740991, not '5'",
    ),
    "a fraction": (
        lambda studio: studio.wallet.credit("anna", "gold", amount=2.5),
        "amount must be an integer from 1 to 9007199254740991, not 2.5",
    ),
    "no amount": (
        lambda studio: studio.wallet.credit("anna", "gold", amount=None),
        "amount must be an integer from 1 to 9007199254740991, not None",
    ),
    "a number as the player": (
        lambda studio: studio.wallet.credit(7, "gold", amount=5),
        "external_player_id must be text, not 7",
    ),
    "a player with a slash": (
        lambda studio: studio.wallet.credit("a/b", "gold", amount=5),
        "external_player_id must not be empty, '.', '..', or hold '/' or control characters",
    ),
    "an empty key": (
        lambda studio: studio.wallet.credit("anna", "", amount=5),
        "economy_key must not be empty, '.', '..', or hold '/' or control characters",
    ),
    "a lone surrogate": (
        lambda studio: studio.wallet.credit("anna", "gold", amount=5, reason="\ud800"),
        "reason must be text that UTF-8 can carry",
    ),
    "an object in metadata": (
        lambda studio: studio.grants.create("anna", entries=[GOLD], metadata={"tags": ["a", {"b"}]}),
        "metadata['tags'][1] must be JSON (text, number, True, False, None, list or dict), not set",
    ),
    "NaN in metadata": (
        lambda studio: studio.grants.create("anna", entries=[GOLD], metadata={"rate": float("nan")}),
        "metadata['rate'] must be a number that JSON can hold, not nan",
    ),
    "a number as a name": (
        lambda studio: studio.grants.create("anna", entries=[GOLD], metadata={7: "a"}),
        "metadata must have text as names, not 7",
    ),
    "metadata as text": (
        lambda studio: studio.grants.create("anna", entries=[GOLD], metadata="{}"),
        "metadata must be a dict or None, not '{}'",
    ),
    "a wrong type in a row that is read by itself": (
        lambda studio: studio.migrate.players(rows=[MigratePlayerRow(idempotency_key="1", external_player_id=7)]),  # type: ignore[arg-type] # mistake
        "rows[0].external_player_id must be text of 1 to 128 characters, not 7",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_named_before_anything_is_sent(name: str, flavour: Flavour, router: respx.Router) -> None:
    """`AttributeError: 'dict' object has no attribute 'type'` named neither the argument nor what was wanted."""
    call, text = MISTAKES[name]
    with pytest.raises(errors.InvalidArgument) as caught:
        flavour.settle(call(flavour.server(router)))
    assert str(caught.value) == text
    assert len(router.calls) == 0


@pytest.mark.parametrize("name", MISTAKES)
def test_a_world_names_the_same_mistake(name: str, world: World) -> None:
    """A scenario that is written for a World and for a server fails in both in the same words, and changes nothing."""
    call, text = MISTAKES[name]
    events = len(world.events)
    with pytest.raises(errors.InvalidArgument) as caught:
        call(world.server)
    assert str(caught.value) == text
    assert len(world.events) == events


def test_a_world_takes_a_dict_for_a_row_and_spells_names(world: World) -> None:
    """As the client does."""
    entry: Any = {"type": "currency", "resourceKey": "gold", "amount": 5}
    assert world.server.grants.create("anna", entries=[entry]).grant.entries == (GOLD,)
    assert world.server.wallet.get("anna").balance("gold") == 0
    with pytest.raises(errors.ValidationFailed, match=r"^400 validation_failed: entries\[0\]\.resource_key: must be"):
        world.server.grants.create("anna", entries=[RewardEntry(type="currency", resource_key="not a key", amount=5)])


def _body(flavour: Flavour, router: respx.Router, call: Callable[[AnyServer], object]) -> Any:  # noqa: ANN401 - JSON
    """The body that a call sends; the answer is a refusal, because it does not matter here."""
    refusal = {"error": {"code": "grant_not_found", "message": "No."}}
    router.route().mock(return_value=httpx.Response(404, json=refusal))
    with pytest.raises(errors.GrantNotFound):
        flavour.settle(call(flavour.server(router)))
    return json.loads(router.calls.last.request.content)


@pytest.mark.parametrize(
    "entry",
    [
        GOLD,
        {"type": "currency", "resourceKey": "gold", "amount": 5},
        {"type": "currency", "resource_key": "gold", "amount": 5.0},
    ],
    ids=["row", "wire", "Python"],
)
def test_a_dict_is_taken_for_a_row(entry: Any, flavour: Flavour, router: respx.Router) -> None:  # noqa: ANN401 - mixed
    """Where all its names are fields of the row there is no doubt what is meant."""
    body = _body(flavour, router, lambda studio: studio.grants.create("anna", entries=[entry]))
    assert body["entries"] == [{"type": "currency", "resourceKey": "gold", "amount": 5}]


def test_a_text_is_taken_for_a_moment(flavour: Flavour, router: respx.Router) -> None:
    """What an answer showed as text can be given back."""
    moment: Any = "2026-02-01T12:00:00+01:00"
    body = _body(flavour, router, lambda studio: studio.grants.create("anna", entries=[GOLD], expires_at=moment))
    assert body["expiresAt"] == "2026-02-01T11:00:00.000Z"


def test_a_newer_service_decides_about_limits_and_enumerations(flavour: Flavour, router: respx.Router) -> None:
    """A client must not refuse a value because its limit was raised on the server, or because it is new there."""
    entry: Any = {"type": "badge", "resourceKey": "a key of a newer form " * 9, "amount": 0}
    kind: Any = "raffle"
    body = _body(flavour, router, lambda studio: studio.grants.create("anna", entries=[entry] * 51, kind=kind))
    assert (body["kind"], len(body["entries"]), body["entries"][0]["type"]) == ("raffle", 51, "badge")
    assert body["entries"][0]["amount"] == 0


def test_rows_that_are_read_one_by_one_are_left_to_the_service(server: ServerClient) -> None:
    """One wrong row fails alone; a dict of an older export is no reason to send none of them."""
    rows: Any = [
        MigratePlayerRow(idempotency_key="1", external_player_id="mia"),
        {"idempotencyKey": "2", "externalPlayerId": "noa"},
        {"idempotency_key": "3", "external_player_id": "ada"},
        {"nonsense": 1},
    ]
    outcome = server.migrate.players(rows=rows)
    assert (outcome.applied, outcome.failed) == (3, 1)


def test_the_service_still_refuses_what_it_alone_can_judge(server: ServerClient) -> None:
    """With the names of the program: `entries[0].resource_key` and not `entries[0].resourceKey`."""
    entry = RewardEntry(type="currency", resource_key="not a key", amount=5)
    with pytest.raises(errors.ValidationFailed) as caught:
        server.grants.create("anna", entries=[entry])
    assert caught.value.message.startswith("entries[0].resource_key: must be 1 to 64 letters")
    assert list(caught.value.details["fields"]) == ["entries[0].resourceKey"]  # type: ignore[arg-type] # JSON


# -- laws -----------------------------------------------------------------------------------------------------------------

SHAPES = sorted({row.args for row in ROWS if row.surface in {"sdk", "server"}}, key=lambda kind: kind.__name__)
ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(st.characters(exclude_categories=()), max_size=5),
    st.binary(max_size=3),
    st.datetimes(),
    st.datetimes(timezones=st.just(UTC)),
    st.just(object()),
    st.just(GOLD),
    st.just(ABSENT),
    st.just(Timestamp(0)),
    st.lists(st.one_of(st.integers(), st.text(max_size=3), st.just({"type": "item"}), st.just(GOLD)), max_size=2),
    st.dictionaries(st.one_of(st.text(max_size=3), st.integers()), st.one_of(st.integers(), st.floats()), max_size=2),
)


@given(data=st.data())
def test_whatever_is_passed_is_sent_or_named(data: st.DataObject) -> None:
    """For every operation: an argument of any type is an `InvalidArgument`, or can be written as JSON."""
    kind: Any = data.draw(st.sampled_from(SHAPES))
    fields = [field.name for field in attrs.fields(kind)]
    helpers: list[Callable[[Any], Any]] = [lambda value: value, listed, json_object, integers, instant]
    helper = st.sampled_from(helpers)
    values = {name: data.draw(helper)(data.draw(ANYTHING)) for name in fields}
    told = ""
    arguments = kind(**values)
    try:
        arguments = checked(arguments, "/anywhere")
    except errors.InvalidArgument as fault:
        told = str(fault)
    if told:
        assert told.startswith(tuple(fields))
    else:
        json.dumps(encode(arguments), allow_nan=False, ensure_ascii=False).encode()


def test_what_is_right_is_passed_on_as_it_is() -> None:
    """Arguments that need nothing are not copied: a World's calls go through this too."""
    grant = CreateGrant(idempotency_key="k", entries=(GOLD,))
    assert is_exact_request(CreateGrant)(grant)
    assert checked(grant, "/server/v1/players/{externalId}/grants", "anna") is grant
