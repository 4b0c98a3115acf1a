"""From a page to its bytes: templates with every value escaped, and how times, amounts and ids are written."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from jinja2.meta import find_referenced_templates
from markupsafe import Markup, escape

from livecore.api.http import Response
from livecore.commerce.exchange import in_units
from livecore.economy.config import SYSTEM_KEYS
from livecore.kernel.scope import ENVIRONMENTS
from livecore_server.portal import words
from livecore_server.portal.action_titles import action_title
from livecore_server.portal.changes import changes
from livecore_server.portal.headers import LIVE_PAGE_HEADERS, PAGE_HEADERS
from livecore_server.portal.here import Here
from livecore_server.portal.navigation import FIRST_PAGE, NAVIGATION, ROLE_NAMES, first_page_of
from livecore_server.portal.static_files import address_of
from livecore_server.portal.views import Page

__all__ = ["prepare", "render"]

_MOST_SHORT: Final = 16


def _time(value: str | None) -> Markup:
    """A time of the wire as `2026-01-31 14:05 UTC`, with the exact one for programs and under the pointer."""
    if value is None:
        return Markup("\N{EN DASH}")
    return Markup('<time datetime="{0}" title="{0}">{1}</time>').format(value, words.moment(value))


def _short(value: str | None) -> Markup:
    """An id: its kind and its end, with the whole of it under the pointer."""
    if value is None:
        return Markup("\N{EN DASH}")
    kind, found, _ = value.partition("_")
    begins = f"{kind}_" if found and len(kind) <= 4 else value[:4]
    brief = value if len(value) <= _MOST_SHORT else f"{begins}…{value[-6:]}"
    return Markup('<code title="{}">{}</code>').format(value, brief)


def _name(value: str | None) -> Markup:
    """A name that a player has chosen: it may hold anything, and must not change the direction of what follows."""
    return Markup("<bdi>{}</bdi>").format(value) if value else Markup('<span class="quiet">no name</span>')


def _piece(value: str) -> str:
    """A value as one piece of an address, whatever it holds."""
    return quote(value, safe="")


def _json(value: object) -> str:
    """JSON to be read by people."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def _said(sentence: str, name: str) -> Markup:
    """A sentence with the name of what it is about."""
    before, found, after = sentence.partition("{name}")
    shown = Markup("<strong><bdi>{}</bdi></strong>").format(name) if found else Markup()
    return escape(before) + shown + escape(after)


def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("livecore_server.portal"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters |= {
        "time": _time,
        "number": words.number,
        "signed": words.signed,
        "counted": words.counted,
        "backlog": words.backlog,
        "reward": words.reward,
        "reason": words.reason,
        "source": words.source,
        "fault": words.fault,
        "delivery": words.delivery,
        "event": words.event,
        "board_source": words.board_source,
        "action": action_title,
        "short": _short,
        "in_units": in_units,
        "money": words.money,
        "name": _name,
        "piece": _piece,
        "words": words.plain,
        "pretty": _json,
        "said": _said,
    }
    made.globals |= {
        "asset": address_of,
        "changes": changes,
        "environments": ENVIRONMENTS,
        "first_page": FIRST_PAGE,
        "role_names": ROLE_NAMES,
        "system_keys": SYSTEM_KEYS,
    }
    return made


_TEMPLATES: Final = _environment()
_compiled: set[str] = set()


async def prepare(template: str) -> None:
    """Compile a template and those that it uses, in a thread: all other requests would wait a tenth of a second for it."""
    if template not in _compiled:
        await asyncio.to_thread(_compile, _TEMPLATES, template)
        _compiled.add(template)


def _compile(environment: Environment, template: str) -> None:
    if environment.loader is None:
        return
    source, _, _ = environment.loader.get_source(environment, template)
    for used in find_referenced_templates(environment.parse(source)):
        if used is not None:
            _compile(environment, used)
    environment.get_template(template)


def render(
    page: Page,
    here: Here | None,
    *,
    area: str = "",
    same: str = "",
    notice: str = "",
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
        "notice": notice,
        "request_id": request_id,
    }
    body = _TEMPLATES.get_template(page.template).render(shown).encode("utf-8", "replace")
    return Response(page.status, (*(LIVE_PAGE_HEADERS if page.live else PAGE_HEADERS), *headers), body)
