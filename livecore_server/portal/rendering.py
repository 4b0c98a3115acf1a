"""From a page to its bytes, through the templates of `livecore_server.portal.environment`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from livecore.api.requests.http import Response
from livecore_server.portal.headers import LIVE_PAGE_HEADERS, PAGE_HEADERS
from livecore_server.portal.here import Here
from livecore_server.portal.navigation import NAVIGATION, first_page_of
from livecore_server.portal.views import WebPage

if TYPE_CHECKING:
    from jinja2 import Environment


def _templates() -> Environment:
    # In the thread that compiles them: programs that import this module may make no page.
    from livecore_server.portal.environment import TEMPLATES  # noqa: PLC0415 - as above

    return TEMPLATES


_compiled: set[str] = set()


async def prepare_all() -> None:
    """Compile all templates, in a thread, so that nobody who opens a page waits for it."""
    _compiled.update(await asyncio.to_thread(_compile_all))


def _compile_all() -> list[str]:
    environment = _templates()
    names = environment.list_templates(extensions=["html"])
    for name in names:
        environment.get_template(name)
    return names


async def prepare(template: str) -> None:
    """Compile a template and those that it uses, in a thread, unless `prepare_all` has done so.

    All other requests would wait a tenth of a second for it.
    """
    if template not in _compiled:
        await asyncio.to_thread(_compile_first, template)
        _compiled.add(template)


def _compile_first(template: str) -> None:
    _compile(_templates(), template)


def _compile(environment: Environment, template: str) -> None:
    from jinja2.meta import find_referenced_templates  # noqa: PLC0415 - see `_templates`

    if environment.loader is None:
        return
    source, _, _ = environment.loader.get_source(environment, template)
    for used in find_referenced_templates(environment.parse(source)):
        if used is not None:
            _compile(environment, used)
    environment.get_template(template)


def render(
    page: WebPage,
    here: Here | None,
    *,
    area: str = "",
    same: str = "",
    message: str = "",
    request_id: str = "",
    headers: tuple[tuple[str, str], ...] = (),
) -> Response:
    """The answer with this page; without `here` nobody is known to look.

    `same` is the page below the game that the other environment has as well; without it that is the first of the area.
    """
    shown: Mapping[str, Any] = {
        **page.shown,
        "page": page,
        "here": here,
        "area": area,
        "elsewhere": same or first_page_of(area),
        "navigation": NAVIGATION,
        "message": message,
        "request_id": request_id,
    }
    body = _templates().get_template(page.template).render(shown).encode("utf-8", "replace")
    return Response(page.status, (*(LIVE_PAGE_HEADERS if page.live else PAGE_HEADERS), *headers), body)
