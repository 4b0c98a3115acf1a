"""Deliveries of webhooks: what was sent where, how often, with which answer, and sending it again."""

from __future__ import annotations

import json
from typing import Any, Final
from urllib.parse import quote

import attrs

from livecore_server.portal.filters import filtered
from livecore_server.portal.forms import Field
from livecore_server.portal.here import Here
from livecore_server.portal.pages.webhooks import KINDS
from livecore_server.portal.views import Action, Page, Step, View
from livecore_server.portal.words import DELIVERY_STATES, counted_up_to

__all__ = ["ROUTES"]

_PATH: Final = "/portal/studios/{studioId}/games/{gameId}/deliveries"
_STATES: Final = tuple(DELIVERY_STATES.items())
_FILTERS: Final = ("endpoint", "kind", "status", "player")


async def _fields(here: Here, *, every_state: bool, filled: bool = False) -> tuple[Field, ...]:
    endpoints = (await here.read("webhooks.list"))["endpoints"]
    known = tuple((one["endpointId"], one["key"]) for one in endpoints)
    states = (("", "All states"), *_STATES) if every_state else (("failed", "failed"), ("delivered", "delivered"))
    fields = (
        Field(
            name="endpoint", label="Endpoint", kind="select", choices=(("", "All endpoints"), *known), required=False
        ),
        Field(
            name="kind",
            label="Kind of event",
            kind="select",
            choices=(("", "All kinds"), *((kind, kind) for kind in KINDS)),
            required=False,
        ),
        Field(name="status", label="State", kind="select", choices=states, required=False),
        Field(name="player", label="Player", hint="The player's id in your game", required=False, most=128),
    )
    if not filled:
        return fields
    chosen = {name: here.query.get(name, "") for name in _FILTERS}
    return tuple(_filled(field, chosen[field.name]) for field in fields)


def _filled(field: Field, value: str) -> Field:
    offered = {choice for choice, _ in field.choices}
    return field if field.choices and value not in offered else attrs.evolve(field, value=value)


async def _show(here: Here) -> Page:
    found = await filtered(here, "deliveries.list", await _fields(here, every_state=True))
    total = found.data["total"] if found.data else None
    shown = {
        "found": found,
        "rows": found.data["deliveries"] if found.data else (),
        "next_cursor": found.data["nextCursor"] if found.data else None,
        "total": None if total is None else counted_up_to(total),
    }
    return Page(template="deliveries.html", title="Deliveries", status=found.status, shown=shown)


async def _show_one(here: Here) -> Page:
    found = await here.read("deliveries.get")
    body = found["request"]["body"]
    shown: dict[str, Any] = {**found, "readable": None if body is None else _readable(body)}
    title = f"{found['delivery']['kind']} to {found['delivery']['endpointKey'] or 'a removed endpoint'}"
    return Page(template="delivery.html", title=title, above=here.above("deliveries"), shown=shown)


def _readable(body: str) -> str:
    """The body with its members on lines of their own."""
    try:
        return json.dumps(json.loads(body), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return body


async def _begin_replay(here: Here) -> Step:
    delivery = (await here.read("deliveries.get"))["delivery"]
    target = delivery["endpointKey"] or delivery["endpointId"]
    return Step(
        says=f"This delivery ({delivery['kind']}) is sent to {{name}} again, with the same body and a new signature.",
        name=target,
    )


async def _begin_replay_many(here: Here) -> Step:
    return Step(
        says="All deliveries of {name} that match are sent again, with the same bodies and new signatures.",
        name=f"the {here.environment} environment",
        fields=await _fields(here, every_state=False, filled=True),
    )


ROUTES: Final = (
    View(_PATH, _show, "deliveries"),
    Action(
        path=f"{_PATH}/replay",
        operation="deliveries.replayMany",
        title="Send many deliveries again",
        button="Send them again",
        begin=_begin_replay_many,
        notice="replayed-many",
        area="deliveries",
    ),
    View(f"{_PATH}/{{deliveryId}}", _show_one, "deliveries"),
    Action(
        path=f"{_PATH}/{{deliveryId}}/replay",
        operation="deliveries.replay",
        title="Send a delivery again",
        button="Send it again",
        begin=_begin_replay,
        back=lambda here: here.to(f"/deliveries/{quote(here.places['deliveryId'], safe='')}"),
        fields=(),
        notice="replayed",
        area="deliveries",
    ),
)
