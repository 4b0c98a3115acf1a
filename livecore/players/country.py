"""Where a player is: the operator's override, else the client's word, else a trusted proxy's, else the offline file.

The host looks the address up (the header of a trusted proxy, or a MaxMind-format file given by configuration) and hands
both findings in with the request's origin; which one counts is decided here (specification 2.2). What the client said is
kept apart from where it was seen, so that a later request without a word does not unsay it.
"""

from __future__ import annotations

import re

from livecore.kernel.errors import JsonObject
from livecore.kernel.unit import Origin

__all__ = ["country_seen", "country_stated"]

_CODE = re.compile(r"[A-Z]{2}")
_UNKNOWN = {"XX", "T1", "ZZ"}
"""Codes that proxies use for 'unknown' and for anonymising networks."""


def _code(value: object) -> str | None:
    if not isinstance(value, str):
        return None
    code = value.strip().upper()
    return code if _CODE.fullmatch(code) and code not in _UNKNOWN else None


def country_stated(context: JsonObject | None) -> str | None:
    """The country that a client names in its context; it stands until the client names another one."""
    return _code(context.get("country")) if context else None


def country_seen(origin: Origin) -> str | None:
    """The country that a request came from."""
    return _code(origin.header_country) or _code(origin.address_country)
