"""Webhook endpoints: where events are sent, and managing that."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from livecore.api.areas import AREAS
from livecore.kernel.scope import Scope
from livecore_server.background.webhooks.paused import unpause_command
from livecore_server.portal.forms import Field
from livecore_server.portal.here import Here
from livecore_server.portal.problems import NotHere
from livecore_server.portal.views import Action, PreparedAction, View, WebPage

_PATH: Final = "/portal/studios/{studioId}/games/{gameId}/webhooks"
_ONE: Final = f"{_PATH}/{{endpointId}}"
KINDS: Final = tuple(sorted(AREAS.events))
"""The kinds of events."""


async def _show(here: Here) -> WebPage:
    endpoints = (await here.read("webhooks.list"))["endpoints"]
    scope = Scope(here.places["gameId"], here.environment)
    commands = {one["endpointId"]: unpause_command(scope, one["endpointId"]) for one in endpoints}
    shown = {"endpoints": endpoints, "commands": commands, "twins": _twins(endpoints)}
    return WebPage(template="webhooks.html", title="Webhooks", shown=shown)


def _twins(endpoints: list[dict[str, Any]]) -> dict[str, list[str]]:
    """For each endpoint the keys of the others with the same address, as far as the viewer sees addresses."""
    return {
        one["endpointId"]: [
            other["key"]
            for other in endpoints
            if other["url"] == one["url"] and other["endpointId"] != one["endpointId"]
        ]
        for one in endpoints
    }


async def _endpoint(here: Here) -> dict[str, Any]:
    endpoints = (await here.read("webhooks.list"))["endpoints"]
    for endpoint in endpoints:
        if endpoint["endpointId"] == here.places["endpointId"]:
            return dict(endpoint)
    raise NotHere


_ADDRESSES: Final = {
    "live": "It begins with https:// and has a public host name.",
    "test": (
        "It begins with https:// and has a public host name. While you develop, a receiver on the server's own machine "
        "will also do, such as http://localhost:9797/hooks."
    ),
}


def _fields(here: Here, operation: str, key: str, url: str, events: list[str]) -> tuple[Field, ...]:
    field = partial(Field, operation=operation)
    return (
        field(name="key", label="Name", value=key, hint="Such as “backend”."),
        field(name="url", label="Address", kind="url", value=url, hint=_ADDRESSES[here.environment], required=True),
        field(
            name="events",
            label="Kinds of events",
            choices=(("*", "all kinds, also those to come"), *((kind, kind) for kind in KINDS)),
            value=" ".join(events),
            required=True,
        ),
    )


def _all_or_some(body: dict[str, Any]) -> dict[str, Any]:
    return {**body, "events": ["*"]} if "*" in body["events"] else body


async def _begin_add(here: Here) -> PreparedAction:
    return PreparedAction(
        says=f"Events of the {here.environment} environment of {{name}} are sent to the address from now on.",
        name="" if here.game is None else here.game.name,
        fields=_fields(here, "webhooks.create", "", "", ["*"]),
        shape=_all_or_some,
    )


async def _begin_change(here: Here) -> PreparedAction:
    endpoint = await _endpoint(here)
    return PreparedAction(
        says="What you change of {name} holds for everything that is sent from now on, also again.",
        name=endpoint["key"],
        fields=_fields(here, "webhooks.update", endpoint["key"], endpoint["url"], endpoint["events"]),
        shape=_all_or_some,
    )


async def _begin_sample(here: Here) -> PreparedAction:
    endpoint = await _endpoint(here)
    kinds = tuple((one, one) for one in KINDS)
    return PreparedAction(
        says="One delivery with made-up values goes to {name}, signed like all, and marked as a sample.",
        name=endpoint["key"],
        fields=(Field(operation="webhooks.sample", name="kind", label="Kind of event", choices=kinds),),
    )


def _begin(says: str) -> Any:  # noqa: ANN401 - the beginning of an action
    async def begin(here: Here) -> PreparedAction:
        endpoint = await _endpoint(here)
        return PreparedAction(says=says, name=endpoint["key"])

    return begin


ROUTES: Final = (
    View(_PATH, _show, "webhooks"),
    Action(
        path=f"{_PATH}/add",
        operation="webhooks.create",
        title="Add a webhook endpoint",
        button="Add the endpoint",
        begin=_begin_add,
        reveals="secret",
        area="webhooks",
    ),
    Action(
        path=f"{_ONE}/change",
        operation="webhooks.update",
        title="Change a webhook endpoint",
        button="Change the endpoint",
        begin=_begin_change,
        message="endpoint-changed",
        area="webhooks",
    ),
    Action(
        path=f"{_ONE}/sample",
        operation="webhooks.sample",
        title="Send a sample",
        button="Send the sample",
        begin=_begin_sample,
        back=lambda here: here.to("/deliveries", endpoint=here.places["endpointId"]),
        message="sample-sent",
        area="webhooks",
    ),
    Action(
        path=f"{_ONE}/pause",
        operation="webhooks.pause",
        title="Pause a webhook endpoint",
        button="Pause the endpoint",
        begin=_begin("Nothing is sent to {name} until you let it go on; what happens meanwhile waits."),
        fields=(),
        message="endpoint-paused",
        area="webhooks",
    ),
    Action(
        path=f"{_ONE}/unpause",
        operation="webhooks.unpause",
        title="Let a webhook endpoint go on",
        button="Let it go on",
        begin=_begin("What has waited is sent to {name}, and everything from now on."),
        fields=(),
        message="endpoint-unpaused",
        area="webhooks",
    ),
    Action(
        path=f"{_ONE}/secret",
        operation="webhooks.rotateSecret",
        title="New signing secret",
        button="Make a new secret",
        begin=_begin("Deliveries to {name} are signed with a new secret, and for a while with the old one as well."),
        reveals="secret",
        area="webhooks",
    ),
    Action(
        path=f"{_ONE}/remove",
        operation="webhooks.remove",
        title="Remove a webhook endpoint",
        button="Remove the endpoint",
        begin=_begin("Nothing is sent to {name} any more, and what waits for it is dropped."),
        fields=(),
        message="endpoint-removed",
        grave=True,
        area="webhooks",
    ),
)
