"""Runs an action: shows what it will do, does it when the form is sent, and shows the form again if it is refused.

A form that is the same for every object is sent on at once: only a page needs to know the object, and the operation itself
refuses what is not there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from livecore.api.requests.http import Request, Response
from livecore_server.portal.asking import Refused
from livecore_server.portal.downloads import download
from livecore_server.portal.forms import REVIEWED, Form, Typed, body_of, read_form
from livecore_server.portal.here import Here
from livecore_server.portal.problems import BadForm
from livecore_server.portal.views import Action, Crumb, Following, PreparedAction, WebPage

_NOT_OF_THE_FORM: Final = frozenset({401, 403, 429})
"""Refusals that concern the caller and not what was typed."""


async def act_at_once(action: Action, here: Here, request: Request) -> Following | Refused | None:
    """Do what a form says before anything is read for its page; nothing where there has to be a page."""
    if action.fields is None or not action.at_once or not here.may(action.operation):
        return None
    try:
        body, faults = body_of(action.fields, read_form(request))
    except BadForm:
        return None
    if faults:
        return None
    try:
        said = await here.write(action.operation, body)
    except Refused as refused:
        return refused
    return _following(action, here, body, said.data)


async def act(
    action: Action, here: Here, request: Request, refused: Refused | None = None
) -> WebPage | Response | Following:
    """The page of an action, or after it is done a file or the page that follows; `refused` is how it has ended already.

    Raises `Forbidden`, `BadForm`, `Refused`.
    """
    here.require(action.operation)
    prepared = await action.begin(here)
    fields = prepared.fields if action.fields is None else action.fields
    if request.method != "POST":
        return _page(action, here, prepared, Form(fields))
    typed = read_form(request)
    body, faults = body_of(fields, typed)
    if faults:
        return _page(action, here, prepared, Form(fields, typed, faults), status=400)
    try:
        if refused is not None:
            raise refused
        if action.review is not None:
            second = await action.review(here, body)
            read = list(typed.get(REVIEWED, ()))
            if read != [second.seen]:
                return _second_page(action, here, second, typed, read_before=bool(read))
            body = body_of(second.fields, typed)[0]
        return await _do(action, here, prepared, body)
    except Refused as problem:
        form = Form(fields, typed, problem.fields, None if problem.fields else problem.message)
        return _page(action, here, prepared, form, status=_status_of(problem))


async def _do(
    action: Action, here: Here, prepared: PreparedAction, body: dict[str, Any]
) -> WebPage | Response | Following:
    if prepared.shape is not None:
        body = prepared.shape(body)
    if action.downloads:
        return await download(here, action.operation, action.downloads)
    said = await here.write(action.operation, {**body, **prepared.body})
    if action.reveals:
        shown = {"action": action, "back": _back(action, here), "secret": said.data[action.reveals]}
        return WebPage(template="revealed.html", title=action.title, above=_above(action, here, prepared), shown=shown)
    return _following(action, here, body, said.data)


def _following(action: Action, here: Here, body: Mapping[str, Any], data: Mapping[str, Any]) -> Following:
    address = _back(action, here) if action.then is None else action.then(here, body, data)
    return Following(address, action.message)


def _back(action: Action, here: Here) -> str:
    return here.above(action.area)[0][1] if action.back is None else action.back(here)


def _above(action: Action, here: Here, prepared: PreparedAction) -> Sequence[Crumb]:
    return prepared.above or here.above(action.area)


def _page(
    action: Action, here: Here, prepared: PreparedAction, form: Form, *, status: int = 200, second: bool = False
) -> WebPage:
    shown = {"action": action, "prepared": prepared, "form": form, "second": second, "back": _back(action, here)}
    above = _above(action, here, prepared)
    return WebPage(template="action.html", title=action.title, above=above, status=status, shown=shown)


def _second_page(action: Action, here: Here, prepared: PreparedAction, typed: Typed, *, read_before: bool) -> WebPage:
    """The second step; fields of the first stand as they were typed, the others as `prepared` gives them."""
    shown = {field.name: typed.get(field.name) or ([field.value] if field.value else []) for field in prepared.fields}
    problem = "It is not the same any more as what you have read. Read it again." if read_before else None
    form = Form(prepared.fields, shown, problem=problem)
    return _page(action, here, prepared, form, status=409 if read_before else 200, second=True)


def _status_of(refused: Refused) -> int:
    """The status of the page that shows a form again. Raises `Refused` where nothing in the form is wrong."""
    if refused.status >= 500 or (refused.status in _NOT_OF_THE_FORM and refused.code != "permission_denied"):
        raise refused
    return refused.status
