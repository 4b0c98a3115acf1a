"""The environment of the templates: every value is escaped; how times, amounts and ids are written, and what pages share."""

from __future__ import annotations

import json
from typing import Final
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from livecore.commerce.exchange import in_units
from livecore.economy.config import SYSTEM_KEYS
from livecore.kernel.scope import ENVIRONMENTS
from livecore_server.portal import words
from livecore_server.portal.action_titles import action_title
from livecore_server.portal.changes import changes
from livecore_server.portal.navigation import FIRST_PAGE, ROLE_NAMES
from livecore_server.portal.static_files import address_of

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


TEMPLATES: Final = _environment()
