"""How the portal writes what the wire has as codes: numbers, words, rewards, counted things, kinds of events."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from livecore.api.areas import AREAS
from livecore.webhooks.backlog import COUNTED_AT_MOST

_END: Final = re.compile(r"[.;:](?:\s|$)")
_SOURCES: Final[Mapping[str, str]] = {"admin": "an operator", "server": "your backend"}
_FAULTS: Final[Mapping[str, str]] = {
    "timeout": "no answer in time",
    "dns_failed": "the name of the address is not known",
    "address_refused": "the address is not allowed",
    "connection_failed": "no connection",
    "connection_reset": "the connection broke off",
    "tls_failed": "no secure connection",
    "malformed_answer": "the answer was not HTTP",
}
"""Why a delivery had no answer."""
DELIVERY_STATES: Final[Mapping[str, str]] = {
    "pending": "pending",
    "held": "held back",
    "delivered": "delivered",
    "failed": "failed",
    "discarded": "dropped",
}
"""What becomes of a delivery; one is held back while its endpoint is paused."""
_REASONS: Final = frozenset(
    {
        "entry_cost",
        "gift_claimed",
        "gift_refunded",
        "gift_sent",
        "grant_claimed",
        "guild_cost",
        "guild_help",
        "player_merged",
    }
)
"""The reasons that the service itself gives in the ledger; all others are what somebody has typed or sent."""
_BOARD_SOURCES: Final[Mapping[str, str]] = {"client": "the game", "server": "your backend"}


def number(value: float | None) -> str:
    """A number with narrow spaces between thousands."""
    return "\N{EN DASH}" if value is None else f"{value:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def signed(value: int) -> str:
    """A number with its sign."""
    text = number(abs(value))
    return f"\N{MINUS SIGN}{text}" if value < 0 else f"+{text}"


def money(value: int) -> str:
    """An amount in hundredths of a currency."""
    whole, cents = divmod(abs(value), 100)
    sign = "\N{MINUS SIGN}" if value < 0 else ""
    return f"{sign}{number(whole)}.{cents:02}"


def moment(value: str) -> str:
    """A time of the wire to the minute: `2026-01-31 14:05 UTC`, where a line may end after the date alone."""
    return f"{value[:10]} {value[11:16]}\N{NO-BREAK SPACE}UTC"


def counted(value: int, one: str, many: str = "") -> str:
    """A number with what it counts: `1 friend`, `2 friends`."""
    return f"{number(value)} {one if value == 1 else many or f'{one}s'}"


def counted_up_to(value: int, most: int = COUNTED_AT_MOST) -> str:
    """A number that was counted up to a bound, at which it may be larger."""
    return f"{number(value)} or more" if value >= most else number(value)


def backlog(waiting: int, held: int) -> str:
    """How many deliveries wait for an endpoint, and how many of them until its pause ends."""
    if not waiting:
        return "none"
    more = " or more" if max(held, waiting - held) >= COUNTED_AT_MOST else ""
    kept = f", {counted_up_to(held)} of them held back until it goes on" if held else ""
    return f"{number(waiting)}{more}{kept}"


def plain(code: object) -> str:
    """A word of the wire as people read it: `in_progress` is `in progress`."""
    return str(code).replace("_", " ").replace("-", " ")


def reason(text: str | None) -> str:
    """Why an amount changed: what somebody has typed as it is, and a reason of the service as words."""
    if text is None:
        return "no reason given"
    return plain(text) if text in _REASONS else text


def source(kind: str) -> str:
    """Where a grant comes from."""
    return _SOURCES.get(kind) or plain(kind)


def board_source(kind: str) -> str:
    """Where the scores of a shared leaderboard come from."""
    return _BOARD_SOURCES.get(kind, kind)


def delivery(status: str) -> str:
    """What has become of a delivery."""
    return DELIVERY_STATES.get(status, status)


def event(kind: str) -> str:
    """What a webhook of a kind tells, as a sentence; empty where the kind is not known."""
    payload = AREAS.events.get(kind)
    said = "" if payload is None else (payload.__doc__ or "").replace("`", "")
    return _END.split(said, maxsplit=1)[0].replace("\n", " ").strip()


def fault(code: str) -> str:
    """Why a delivery failed."""
    return _FAULTS.get(code, code)


def reward(entries: Iterable[Mapping[str, Any]]) -> str:
    """The entries of a reward or of a cost: `20 gold, 1 sword`."""
    return ", ".join(f"{number(one['amount'])} {one['resourceKey']}" for one in entries)
