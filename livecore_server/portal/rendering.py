"""From a page to its bytes: templates with every value escaped, and how times, numbers and ids are written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from livecore.api.http import Response
from livecore.commerce.exchange import in_units
from livecore.kernel.scope import ENVIRONMENTS
from livecore_server.portal.changes import changes
from livecore_server.portal.headers import LIVE_PAGE_HEADERS, PAGE_HEADERS
from livecore_server.portal.here import Here
from livecore_server.portal.navigation import FIRST_PAGE, NAVIGATION, ROLE_NAMES
from livecore_server.portal.notices import NOTICES
from livecore_server.portal.static_files import address_of
from livecore_server.portal.views import Page

__all__ = ["render"]

_MOST_SHORT: Final = 16


def _time(value: str | None) -> Markup:
    """A time of the wire as `2026-01-31 14:05 UTC`, with the exact one for programs and under the pointer."""
    if value is None:
        return Markup("\N{EN DASH}")
    return Markup('<time datetime="{0}" title="{0}">{1} {2} UTC</time>').format(value, value[:10], value[11:16])


def _number(value: float | None) -> str:
    """A number with thin spaces between thousands."""
    return "\N{EN DASH}" if value is None else f"{value:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def _money(value: int) -> str:
    """An amount in hundredths of a currency."""
    whole, cents = divmod(abs(value), 100)
    sign = "\N{MINUS SIGN}" if value < 0 else ""
    return f"{sign}{_number(whole)}.{cents:02}"


def _signed(value: int) -> str:
    """A number with its sign."""
    text = _number(abs(value))
    return f"\N{MINUS SIGN}{text}" if value < 0 else f"+{text}"


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


def _words(value: str) -> str:
    """A word of the wire as people read it: `in_progress` is `In progress`."""
    return value.replace("_", " ").replace("-", " ").capitalize()


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
        "number": _number,
        "signed": _signed,
        "short": _short,
        "in_units": in_units,
        "money": _money,
        "name": _name,
        "piece": _piece,
        "words": _words,
        "pretty": _json,
        "said": _said,
    }
    made.globals |= {
        "asset": address_of,
        "changes": changes,
        "environments": ENVIRONMENTS,
        "first_page": FIRST_PAGE,
        "role_names": ROLE_NAMES,
    }
    return made


_TEMPLATES: Final = _environment()


def render(
    page: Page, here: Here | None, *, area: str = "", request_id: str = "", headers: tuple[tuple[str, str], ...] = ()
) -> Response:
    """The answer with this page; without `here` nobody is known to look."""
    notice = "" if here is None else NOTICES.get(here.query.get("notice", ""), "")
    shown: Mapping[str, Any] = {
        **page.shown,
        "page": page,
        "here": here,
        "area": area,
        "navigation": NAVIGATION,
        "notice": notice,
        "request_id": request_id,
    }
    body = _TEMPLATES.get_template(page.template).render(shown).encode("utf-8", "replace")
    return Response(page.status, (*(LIVE_PAGE_HEADERS if page.live else PAGE_HEADERS), *headers), body)
