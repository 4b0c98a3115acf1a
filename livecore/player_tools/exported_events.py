"""The part of an export for webhooks: bodies about the player that wait in the queues of endpoints.

An event is kept for thirty days, but one that was delivered is a copy of what the other lists show, and the studio has it.
What still waits may be held for long, at a paused endpoint. A body may name several players. Then everything of the others
but their ids is taken out, by what the shape of the event's kind declares of its fields.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Final, TypeAlias, Union, cast, get_args, get_origin

import attrs

from livecore.kernel.declarations.area import Areas
from livecore.kernel.declarations.player_lifecycle import Exported, Slice
from livecore.kernel.errors import Json, JsonObject, camel
from livecore.kernel.storage.reads import Get, Scan
from livecore.kernel.storage.records import PlayerId
from livecore.kernel.time import Timestamp, stamp
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire.shapes import NamesPlayer
from livecore.player_tools.accounts import Track, exported_over_accounts, is_account
from livecore.player_tools.history_rows import ExportedEvent, WaitingDelivery
from livecore.players.player import PLAYERS
from livecore.webhooks.mentions import MENTIONS_OF_EVENT, MENTIONS_OF_PLAYER, EventMention
from livecore.webhooks.outbox import (
    ENDPOINTS,
    EVENTS,
    EVENTS_OF_OTHER,
    EVENTS_OF_PLAYER,
    OF_EVENT,
    Delivery,
    Personal,
    StoredEvent,
)

_MEMBER: Final = "member_id"
"""How the fields are named that hold the id of a member of the studio."""
IsMine: TypeAlias = "Callable[[object], bool]"
"""Whether an id is one of the player's."""

MOST_EVENTS: Final = 200
"""How many events a page has at most: a body may be as long as the longest request."""
_WITH_BODY: Final[tuple[Personal, ...]] = ("kept", "going")
WORDS_OF: Final[dict[str, dict[str, str]]] = {
    "gift.sent": {"message": "sender_player_id"},
    "guild.updated": {"changes": "by.player_id"},
}
"""By kind, the fields in which one of several players has written, each with the field that names who, or its path."""


def exported_events(unit: Unit, player_id: PlayerId, wanted: Slice) -> Exported:
    """Events that name the player and wait for an endpoint, of each account the newest first."""

    def show(waiting: _Waiting | None, account: str) -> ExportedEvent | None:
        return None if waiting is None else _shown(unit, player_id, waiting, account)

    page = Slice(min(wanted.limit, MOST_EVENTS), wanted.cursor)
    return exported_over_accounts(unit, player_id, page, _tracks, show, _read)


def _tracks(account: str) -> list[Track]:
    named: list[Track] = [
        (index, (account, personal)) for index in (EVENTS_OF_PLAYER, EVENTS_OF_OTHER) for personal in _WITH_BODY
    ]
    return [*named, (MENTIONS_OF_PLAYER, (account,))]


@attrs.define(eq=False)
class _Waiting:
    """An event that waits for an endpoint."""

    event: StoredEvent
    deliveries: Sequence[Delivery]
    """Those that are not over."""
    keys: Mapping[str, str] = attrs.field(factory=dict)
    """The keys of the endpoints that are still there, by their ids."""
    named: Sequence[str] = ()
    """The players whom it names, those of its row first."""


def _read(unit: Unit, rows: Sequence[StoredEvent | EventMention]) -> list[_Waiting | None]:
    """The events of these rows; `None` for those that do not wait."""
    stored = {row.event_id: row for row in rows if isinstance(row, StoredEvent)}
    mentioning = [row.event_id for row in rows if row.event_id not in stored]
    found: list[Any] = unit.tx.read_all(
        (
            *(Scan(OF_EVENT, (row.event_id,)) for row in rows),
            *(Get[Any](EVENTS, (event_id,)) for event_id in mentioning),
        )
    )
    stored |= {event.event_id: event for event in found[len(rows) :] if event is not None}
    read = [_waiting(stored.get(row.event_id), deliveries) for row, deliveries in zip(rows, found, strict=False)]
    _look_around(unit, [one for one in read if one is not None])
    return read


def _waiting(event: StoredEvent | None, deliveries: Sequence[Delivery]) -> _Waiting | None:
    left = [row for row in deliveries if row.status in ("pending", "held")]
    return None if event is None or not left or event.personal == "gone" else _Waiting(event, left)


def _look_around(unit: Unit, waiting: Sequence[_Waiting]) -> None:
    """Fill in the endpoints and the players, and have the players' rows at hand."""
    endpoint_ids = sorted({row.endpoint_id for one in waiting for row in one.deliveries})
    further = [one.event.event_id for one in waiting if one.event.other_player_id is not None]
    found: list[Any] = unit.tx.read_all(
        (
            *(Get[Any](ENDPOINTS, (endpoint_id,)) for endpoint_id in endpoint_ids),
            *(Scan(MENTIONS_OF_EVENT, (event_id,)) for event_id in further),
        )
    )
    endpoints = found[: len(endpoint_ids)]
    keys = {endpoint.endpoint_id: endpoint.key for endpoint in endpoints if endpoint is not None}
    mentions = dict(zip(further, found[len(endpoint_ids) :], strict=True))
    for one in waiting:
        event = one.event
        own = (named for named in (event.player_id, event.other_player_id) if named is not None)
        one.keys, one.named = keys, [*own, *(row.player_id for row in mentions.get(event.event_id, ()))]
    # Whose ids a body holds is found out one by one, but most of them are named here.
    unit.tx.read_all(Get(PLAYERS, (named,)) for named in sorted({named for one in waiting for named in one.named}))


def _shown(unit: Unit, player_id: PlayerId, waiting: _Waiting, account: str) -> ExportedEvent | None:
    event = waiting.event

    def is_mine(other: object) -> bool:
        return isinstance(other, str) and is_account(unit, player_id, other)

    # An event that names several accounts of the person is shown once.
    if next(filter(is_mine, waiting.named), None) != account:
        return None
    return ExportedEvent(
        event_id=event.event_id,
        event_name=event.kind,
        occurred_at=Timestamp(event.occurred_at),
        data=_body(unit, event, is_mine),
        deliveries=tuple(_delivery(row, waiting.keys.get(row.endpoint_id)) for row in waiting.deliveries),
    )


def _body(unit: Unit, event: StoredEvent, is_mine: IsMine) -> JsonObject | None:
    data = cast(JsonObject, json.loads(event.data))
    kind = Areas.of(unit).events.get(event.kind)
    if kind is not None:
        return without_others(kind, data, is_mine)
    # A kind of an area that is not there any more: its body may be shown only if it names nobody else.
    return data if event.other_player_id is None else None


def _delivery(row: Delivery, key: str | None) -> WaitingDelivery:
    return WaitingDelivery(
        delivery_id=row.delivery_id,
        endpoint_key=key,
        status="held" if row.status == "held" else "pending",
        attempt=row.attempt,
        queued_at=Timestamp(row.queued_at),
        due_at=stamp(row.due_at),
    )


# -- what is shown of a body ----------------------------------------------------------------------------------------------


def without_others(kind: type, data: JsonObject, is_mine: IsMine) -> JsonObject:
    """A payload of this kind with nothing of other people but their ids: what is taken out is null."""
    attrs.resolve_types(cast(Any, kind), include_extras=True)
    words = WORDS_OF.get(getattr(kind, "kind", ""), {})
    shown: JsonObject = {}
    for field in attrs.fields(cast(Any, kind)):
        name = camel(field.name)
        if name not in data:
            continue
        author = words.get(field.name)
        hidden = author is not None and not is_mine(_at(data, author))
        shown[name] = None if hidden else _member(field.name, field.type, data, is_mine)
    return shown


def _at(data: JsonObject, path: str) -> Json:
    """What a payload has at a path."""
    found: Json = data
    for name in path.split("."):
        found = found.get(camel(name)) if isinstance(found, dict) else None
    return found


def _member(name: str, kind: Any, data: JsonObject, is_mine: IsMine) -> Json:  # noqa: ANN401 - a type expression
    value = data[camel(name)]
    rules, inner = _parts(kind)
    if name == _MEMBER or name.endswith(f"_{_MEMBER}"):
        return None
    if any(isinstance(rule, NamesPlayer) and rule.by == "external_id" for rule in rules):
        of_player = camel(name.replace("external_player_id", "player_id"))
        return value if is_mine(data.get(of_player)) else None
    if attrs.has(inner) and isinstance(value, dict):
        return _nested(inner, value, is_mine)
    if isinstance(value, list) and get_origin(inner) is tuple and attrs.has(get_args(inner)[0]):
        row = get_args(inner)[0]
        return [_nested(row, member, is_mine) for member in value if isinstance(member, dict)]
    return value


def _nested(kind: type, data: JsonObject, is_mine: IsMine) -> JsonObject:
    """A part of a payload; of one that is about another player only the id."""
    other = data.get("playerId")
    shown = without_others(kind, data, is_mine)
    if other is None or is_mine(other):
        return shown
    return {name: value if name == "playerId" else None for name, value in shown.items()}


def _parts(kind: Any) -> tuple[tuple[Any, ...], Any]:  # noqa: ANN401 - a type expression
    """The rules of a field's type, and the type itself, without what may stand in its place."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin in {Union, UnionType}:
        present = [part for part in parts if part is not NoneType and getattr(part, "__name__", "") != "Absent"]
        return _parts(present[0]) if len(present) == 1 else ((), kind)
    if origin is Annotated:
        return parts[1:], parts[0]
    return (), kind
