"""Deliveries of webhooks: what was sent where, how often, with which answer, and sending it again."""

from __future__ import annotations

import json
from functools import partial
from typing import Any, Final
from urllib.parse import quote

import attrs

from livecore_server.portal.filters import filtered
from livecore_server.portal.forms import Field
from livecore_server.portal.here import Here
from livecore_server.portal.pages.webhooks import KINDS
from livecore_server.portal.views import Action, PreparedAction, View, WebPage
from livecore_server.portal.words import DELIVERY_STATES, counted_up_to

_PATH: Final = "/portal/studios/{studioId}/games/{gameId}/deliveries"


async def _fields(here: Here, operation: str, *, every_state: str = "") -> tuple[Field, ...]:
    field = partial(Field, operation=operation)
    endpoints = (await here.read("webhooks.list"))["endpoints"]
    known = ((one["endpointId"], one["key"]) for one in endpoints)
    states = DELIVERY_STATES if every_state else {}
    return (
        field(name="endpoint", label="Endpoint", choices=(("", "All endpoints"), *known), required=False),
        field(
            name="kind",
            label="Kind of event",
            choices=(("", "All kinds"), *((kind, kind) for kind in KINDS)),
            required=False,
        ),
        field(
            name="status",
            label="State",
            labels=states,
            nothing=every_state,
            required=False,
        ),
        field(name="player", label="Player", hint="The player's id in your game"),
    )


def _filled(here: Here, field: Field) -> Field:
    """A field with what the filters of the list were set to, as far as it offers that."""
    value = here.query.get(field.name, "")
    offered = {choice for choice, _ in field.choices}
    return field if field.choices and value not in offered else attrs.evolve(field, value=value)


async def _show(here: Here) -> WebPage:
    found = await filtered(here, "deliveries.list", await _fields(here, "deliveries.list", every_state="All states"))
    total = found.data["total"] if found.data else None
    shown = {
        "found": found,
        "total": None if total is None else counted_up_to(total),
    }
    return WebPage(template="deliveries.html", title="Deliveries", status=found.status, shown=shown)


async def _show_one(here: Here) -> WebPage:
    found = await here.read("deliveries.get")
    body = found["request"]["body"]
    shown: dict[str, Any] = {**found, "readable": None if body is None else _readable(body)}
    title = f"{found['delivery']['kind']} to {found['delivery']['endpointKey'] or 'a removed endpoint'}"
    return WebPage(template="delivery.html", title=title, above=here.above("deliveries"), shown=shown)


def _readable(body: str) -> str:
    """The body with its members on lines of their own."""
    try:
        return json.dumps(json.loads(body), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return body


async def _begin_replay(here: Here) -> PreparedAction:
    delivery = (await here.read("deliveries.get"))["delivery"]
    target = delivery["endpointKey"] or delivery["endpointId"]
    return PreparedAction(
        says=f"This delivery ({delivery['kind']}) is sent to {{name}} again, with the same body and a new signature.",
        name=target,
    )


async def _begin_replay_many(here: Here) -> PreparedAction:
    fields = await _fields(here, "deliveries.replayMany")
    return PreparedAction(
        says="All deliveries of {name} that match are sent again, with the same bodies and new signatures.",
        name=f"the {here.environment} environment",
        fields=tuple(_filled(here, field) for field in fields),
    )


ROUTES: Final = (
    View(_PATH, _show, "deliveries"),
    Action(
        path=f"{_PATH}/replay",
        operation="deliveries.replayMany",
        title="Send many deliveries again",
        button="Send them again",
        begin=_begin_replay_many,
        message="replayed-many",
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
        message="replayed",
        area="deliveries",
    ),
)
