"""A player's country: the operator's override, else the client's statement, else a trusted proxy's, else the offline file's.

The host looks the address up (the header of a trusted proxy, or a configured file in MaxMind format) and passes both
results in with the request's origin. This module decides which one counts (specification 2.2). The country that the client
stated is stored separately from the one of the address, so that a later request without a statement does not remove it.
"""

from __future__ import annotations

import re

from livecore.kernel.errors import JsonObject
from livecore.kernel.storage.records import evolve
from livecore.kernel.units.unit import Origin
from livecore.players.player import Player

_CODE = re.compile(r"[A-Z]{2}")
_UNKNOWN = {"XX", "T1", "ZZ"}
"""Codes by which proxies mean 'unknown' or an anonymising network."""


def _code(value: object) -> str | None:
    if not isinstance(value, str):
        return None
    code = value.strip().upper()
    return code if _CODE.fullmatch(code) and code not in _UNKNOWN else None


def country_stated(context: JsonObject | None) -> str | None:
    """The country that a client states in its context; it holds until the client states another one."""
    return _code(context.get("country")) if context else None


def country_seen(origin: Origin) -> str | None:
    """The country that a request came from."""
    return _code(origin.header_country) or _code(origin.address_country)


def with_country(player: Player, origin: Origin, context: JsonObject | None = None) -> Player:
    """The player with the country that a request states in its context, and the one that it came from."""
    return evolve(
        player,
        country_stated=country_stated(context) or player.country_stated,
        country_seen=country_seen(origin) or player.country_seen,
    )
