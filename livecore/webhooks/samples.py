"""A payload of each kind with placeholder values, for sample deliveries and for the documents.

Values are looked up by the field's name, because a name means the same in every shape; a field without an entry gets a
value by its type. A sample never names a real player, and the same kind always gives the same sample. `placeholder` does
the same for any other shape: it makes the examples of requests and answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, Final, Literal, TypeVar, Union, cast, get_args, get_origin

import attrs

from livecore.kernel.time import DAY, Timestamp
from livecore.kernel.units.unit import Event
from livecore.kernel.wire import encode
from livecore.kernel.wire.shapes import ABSENT, SHOWN, Absent, ReadLater

Given = Mapping[object, Mapping[str, object]]
"""Values for fields of some shapes; an optional field is shown if it is named here."""
E = TypeVar("E", bound=Event)
_NOTHING: Final[Given] = MappingProxyType({})

_MOMENT = Timestamp.parse("2026-01-31T09:30:00.000Z")
_LATER = _MOMENT + 7 * DAY

_SECOND_PLAYER = ("friend_", "recipient_", "target_", "to_")
"""The prefix of the fields of the other player, in events about two players."""

_PREFIXES = {
    "_game_id": "gam",
    "_attempt_id": "att",
    "_endpoint_id": "whe",
    "_entry_id": "ent",
    "_donation_id": "don",
    "_event_id": "evn",
    "_event_team_id": "etm",
    "_event_window_id": "win",
    "_guild_id": "gld",
    "_leaderboard_id": "lbd",
    "_lobby_id": "lob",
    "_member_id": "mbr",
    "_player_id": "plr",
    "_purchase_id": "pur",
    "_request_id": "frq",
}
"""The type prefix of an id, by the end of its field's name."""

_TEXTS = {
    "anonymized_external_id": "__deleted_01940000-0000-7000-8000-000000000000__",
    "anonymized_external_player_id": "__merged_01940000-0000-7000-8000-000000000000__",
    "acked_by": "server_api",
    "contents_grant_id": "01940000-0000-7000-8000-000000000002",
    "crate_id": "01940000-0000-7000-8000-000000000001",
    "currency": "USD",
    "economy_key": "gold",
    "country": "CA",
    "external_id": "sample-player-1",
    "friend_code": "K7QX2M",
    "friend_external_id": "sample-player-2",
    "blocked_external_id": "sample-player-2",
    "gift_id": "01940000-0000-7000-8000-000000000003",
    "grant_id": "01940000-0000-7000-8000-000000000001",
    "reward_grant_id": "01940000-0000-7000-8000-000000000004",
    "join_type": "open",
    "item_key": "potion",
    "key": "gold",
    "player_secret": "lcs_sample-secret",
    "last_error": "the endpoint answered 500",
    "milestones_fired": "sample-milestone",
    "message": "This is a sample.",
    "resource_key": "potion",
    "secret_prefix": "lcs_sample",
    "source_kind": "api",
    "url": "https://example.com/webhooks",
}
_NUMBERS = {
    "amount": 25,
    "amount_minor": 499,
    "balance": 125,
    "consecutive_failures": 5,
    "delta": 25,
    "last_status": 500,
    "lifetime_amount_minor": 998,
    "normalized_amount_minor": 499,
    "quantity": 125,
    "threshold": 5,
}


def sample_of(payload: type[E]) -> E:
    """Return the placeholder payload of a class, always the same."""
    return payload(**_fields(payload, _NOTHING))


def placeholder(name: str, kind: object, given: Given = _NOTHING) -> object:
    """Return a placeholder for a field called `name` of the type `kind`, which may be a shape; always the same."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin in {Union, UnionType}:
        (kind,) = (part for part in parts if part not in {NoneType, Absent})
        return placeholder(name, kind, given)
    if origin is Annotated:
        later = next((rule.kind for rule in parts[1:] if isinstance(rule, ReadLater)), None)
        return placeholder(name, parts[0], given) if later is None else encode(placeholder(name, later, given))
    if origin is Literal:
        return parts[0]
    if origin is tuple:
        return (placeholder(name, parts[0], given),)
    if origin is dict:
        return {}
    return _plain(name, kind, given)


def _fields(kind: type, given: Given) -> dict[str, object]:
    """A value for each field of a shape, without optional fields. A shape may define its own example."""
    attrs.resolve_types(kind)
    own = given.get(kind) or vars(kind).get("example", _NOTHING)
    fields = (field for field in attrs.fields(kind) if field.default is not ABSENT or field.name in own)
    return {field.name: _field(field, own.get(field.name, SHOWN), given) for field in fields}


def _field(field: attrs.Attribute[Any], value: object, given: Given) -> object:
    return placeholder(field.name, field.type, given) if value is SHOWN else value


def _plain(name: str, kind: object, given: Given) -> object:
    if kind is Timestamp:
        return _LATER if name.startswith(("ends", "expires", "fill")) else _MOMENT
    if kind is str:
        return _text(name)
    if kind is bool:
        return False
    if kind is int:
        return _NUMBERS.get(name, 1)
    if kind is float:
        return 1.0
    nested = cast("type", kind)
    return nested(**_fields(nested, given))


def _text(name: str) -> str:
    if name in _TEXTS:
        return _TEXTS[name]
    player = "2" if name.startswith(_SECOND_PLAYER) else "1"
    if name.endswith("external_player_id"):
        return f"sample-player-{player}"
    for end, prefix in _PREFIXES.items():
        if f"_{name}".endswith(end):
            return f"{prefix}_0000000000000000000000000{player}"
    return f"sample-{name.removesuffix('_id').removesuffix('_key').replace('_', '-')}"
