"""Runs an action: shows what it will do, does it when the form is sent, and shows the form again if it is refused."""

from __future__ import annotations

from typing import Any, Final

from livecore.api.requests.http import Request, Response
from livecore_server.portal.asking import Refused, admin_operation
from livecore_server.portal.downloads import download
from livecore_server.portal.forms import REVIEWED, Form, Typed, body_of, read_form
from livecore_server.portal.here import Here
from livecore_server.portal.views import Action, Following, Page, Step

__all__ = ["act"]

_NOT_OF_THE_FORM: Final = frozenset({401, 403, 429})
"""Refusals that concern the caller and not what was typed."""


async def act(action: Action, here: Here, request: Request) -> Page | Response | Following:
    """The page of an action, or after it is done a file or the page that follows.

    Raises `Forbidden`, `BadForm`, `Refused`.
    """
    here.require(action.operation)
    step = await action.begin(here)
    if request.method != "POST":
        return _page(action, step, Form(step.fields))
    typed = read_form(request.headers.get("content-type"), request.body)
    body, faults = body_of(step.fields, typed)
    if faults:
        return _page(action, step, Form(step.fields, typed, faults), status=400)
    if action.review is not None:
        reviewed = await _review(action, step, here, typed, body)
        if isinstance(reviewed, Page):
            return reviewed
        body = reviewed
    return await _do(action, step, here, typed, body)


async def _review(action: Action, step: Step, here: Here, typed: Typed, body: dict[str, Any]) -> Page | dict[str, Any]:
    """The second step of an action, or after it the body of the operation. Raises `Refused`."""
    assert action.review is not None  # noqa: S101 - the caller has looked
    try:
        second = await action.review(here, body)
    except Refused as refused:
        return _refused(action, step, typed, refused)
    read = typed.get(REVIEWED, ())
    if list(read) != [second.seen]:
        problem = "It is not the same any more as what you have read. Read it again." if read else None
        form = Form(second.fields, _first_shown(second, typed), problem=problem)
        return _page(action, second, form, status=409 if read else 200, second=True)
    return body_of(second.fields, typed)[0]


async def _do(
    action: Action, step: Step, here: Here, typed: Typed, body: dict[str, Any]
) -> Page | Response | Following:
    operation = admin_operation(action.operation)
    places = {name: str(body.pop(name)) for name in operation.variables if name in body}
    if step.shape is not None:
        body = step.shape(body)
    try:
        if action.downloads:
            return await download(here, action.operation, action.downloads)
        said = await here.write(action.operation, {**body, **step.body}, places)
    except Refused as refused:
        return _refused(action, step, typed, refused)
    if action.reveals:
        return _revealed(action, step, said.data)
    address = step.back if action.then is None else action.then(here, places, said.data)
    return Following(address, action.notice)


def _first_shown(step: Step, typed: Typed) -> Typed:
    """The fields of a second step: those of the first as they were typed, the others as the step gives them."""
    return {field.name: typed.get(field.name) or ([field.value] if field.value else []) for field in step.fields}


def _page(action: Action, step: Step, form: Form, *, status: int = 200, second: bool = False) -> Page:
    shown = {"action": action, "step": step, "form": form, "second": second}
    return Page(template="action.html", title=action.title, above=step.above, status=status, shown=shown)


def _refused(action: Action, step: Step, typed: Typed, refused: Refused) -> Page:
    """The form again, with what is wrong. Raises `Refused` where nothing in the form is."""
    if refused.status >= 500 or (refused.status in _NOT_OF_THE_FORM and refused.code != "permission_denied"):
        raise refused
    faults = refused.fields
    form = Form(step.fields, typed, faults, None if faults else refused.message)
    return _page(action, step, form, status=refused.status)


def _revealed(action: Action, step: Step, data: dict[str, Any]) -> Page:
    shown = {"action": action, "step": step, "secret": data[action.reveals]}
    return Page(template="revealed.html", title=action.title, above=step.above, shown=shown)
