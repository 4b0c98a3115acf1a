"""The part of an export for webhooks: bodies about the player that wait in the queues of endpoints.

An event is kept for thirty days, but one that was delivered is a copy of what the other lists show, and the studio has it.
What still waits may be held for long, at a paused endpoint. A body may name several players. Then everything of the others
but their ids is taken out, by what the shape of the event's kind declares of its fields.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Final, TypeAlias, Union, cast, get_args, get_origin

import attrs

from livecore.kernel.errors import Json, JsonObject, camel
from livecore.kernel.player_lifecycle import Exported, Slice
from livecore.kernel.reads import Get, Scan
from livecore.kernel.records import PlayerId
from livecore.kernel.shapes import NamesPlayer, Timestamp
from livecore.kernel.store import Wanted
from livecore.kernel.time import stamp
from livecore.kernel.unit import Unit
from livecore.player_tools.accounts import Track, exported_over_accounts, is_account
from livecore.player_tools.history_rows import ExportedEvent, WaitingDelivery
from livecore.players.player import PLAYERS
from livecore.webhooks.catalog.registry import known
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

__all__ = ["WORDS_OF", "exported_events", "without_others"]

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

    def show(row: StoredEvent | EventMention, account: str) -> ExportedEvent | None:
        event = unit.tx.get(EVENTS, row.event_id) if isinstance(row, EventMention) else row
        return None if event is None else _waiting(unit, player_id, event, account)

    page = Slice(min(wanted.limit, MOST_EVENTS), wanted.cursor)
    return exported_over_accounts(unit, player_id, page, _tracks, show, _announce)


def _tracks(account: str) -> list[Track]:
    named: list[Track] = [
        (index, (account, personal)) for index in (EVENTS_OF_PLAYER, EVENTS_OF_OTHER) for personal in _WITH_BODY
    ]
    return [*named, (MENTIONS_OF_PLAYER, (account,))]


def _announce(unit: Unit, rows: Sequence[StoredEvent | EventMention]) -> None:
    """Announce what is read for each event: first for all, then for those that wait, then the players who are named."""
    unit.tx.prefetch(read for row in rows for read in (Scan(OF_EVENT, (row.event_id,)), Get(EVENTS, (row.event_id,))))
    stored = (unit.tx.get(EVENTS, row.event_id) for row in rows)
    waiting = [event for event in stored if event is not None and _deliveries(unit, event)]
    unit.tx.prefetch(wanted for event in waiting for wanted in _around(unit, event))
    unit.tx.prefetch(Get(PLAYERS, (named,)) for event in waiting for named in _named(unit, event))


def _around(unit: Unit, event: StoredEvent) -> Iterator[Wanted]:
    yield from (Get(ENDPOINTS, (row.endpoint_id,)) for row in _deliveries(unit, event))
    if event.other_player_id is not None:
        yield Scan(MENTIONS_OF_EVENT, (event.event_id,))


def _deliveries(unit: Unit, event: StoredEvent) -> list[Delivery]:
    """The deliveries of an event that are not over."""
    return [row for row in unit.tx.scan(OF_EVENT, event.event_id) if row.status in ("pending", "held")]


def _waiting(unit: Unit, player_id: PlayerId, event: StoredEvent, account: str) -> ExportedEvent | None:
    deliveries = _deliveries(unit, event)
    if not deliveries or event.personal == "gone":
        return None

    def is_mine(other: object) -> bool:
        return isinstance(other, str) and is_account(unit, player_id, other)

    # An event that names several accounts of the person is shown once.
    if next(filter(is_mine, _named(unit, event)), None) != account:
        return None
    return ExportedEvent(
        event_id=event.event_id,
        event_name=event.kind,
        occurred_at=Timestamp(event.occurred_at),
        data=_body(unit, event, is_mine),
        deliveries=tuple(_delivery(unit, row) for row in deliveries),
    )


def _named(unit: Unit, event: StoredEvent) -> Iterator[str]:
    """The players whom an event names, those of its row first."""
    yield from (named for named in (event.player_id, event.other_player_id) if named is not None)
    if event.other_player_id is not None:
        yield from (mention.player_id for mention in unit.tx.scan(MENTIONS_OF_EVENT, event.event_id))


def _body(unit: Unit, event: StoredEvent, is_mine: IsMine) -> JsonObject | None:
    data = cast(JsonObject, json.loads(event.data))
    kind = known(unit.areas).get(event.kind)
    if kind is not None:
        return without_others(kind, data, is_mine)
    # A kind of an area that is not there any more: its body may be shown only if it names nobody else.
    return data if event.other_player_id is None else None


def _delivery(unit: Unit, row: Delivery) -> WaitingDelivery:
    endpoint = unit.tx.get(ENDPOINTS, row.endpoint_id)
    return WaitingDelivery(
        delivery_id=row.delivery_id,
        endpoint_key=None if endpoint is None else endpoint.key,
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
