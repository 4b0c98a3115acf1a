"""Ids: a type prefix and 26 characters that sort by time (ULID layout), or a UUID of version 7 for gifts and grants.

Ids are drawn from the unit's time and entropy, never from a counter or the machine, so a replayed request gets the same
ids.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b

from livecore.kernel.entropy import Entropy
from livecore.kernel.time import Millis

CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base32 alphabet: no I, L, O or U."""

_DIGITS = {digit: place for place, digit in enumerate(CROCKFORD)}
_LENGTH = 26
_TIME = 10
_PAIRS = tuple(a + b for a in CROCKFORD for b in CROCKFORD)


@lru_cache(maxsize=64)
def _time_part(now: Millis) -> str:
    return "".join(_PAIRS[(now >> shift) & 1023] for shift in (40, 30, 20, 10, 0))


def new_id(prefix: str, now: Millis, entropy: Entropy) -> str:
    """A fresh id such as `plr_01JZ8K…`: 48 bits of time, 80 random bits."""
    return _composed(prefix, now, entropy.bytes(10))


@lru_cache(maxsize=4_096)
def derived_id(prefix: str, moment: Millis, *names: str) -> str:
    """The id of what these names and this moment define: the same wherever it is derived, and known before it is stored.

    `names` begin with the scope's id, so that no two scopes have the same.
    """
    return _composed(
        prefix, moment, blake2b("\0".join(names).encode(), digest_size=10, person=prefix.encode()).digest()
    )


def _composed(prefix: str, moment: Millis, tail: bytes) -> str:
    chance = int.from_bytes(tail, "big")
    pairs = _PAIRS
    return (
        f"{prefix}_{_time_part(moment)}"
        f"{pairs[chance >> 70]}{pairs[chance >> 60 & 1023]}{pairs[chance >> 50 & 1023]}{pairs[chance >> 40 & 1023]}"
        f"{pairs[chance >> 30 & 1023]}{pairs[chance >> 20 & 1023]}{pairs[chance >> 10 & 1023]}{pairs[chance & 1023]}"
    )


def first_id(prefix: str, moment: Millis) -> str:
    """A text that sorts before every id of this kind from a moment on, and after every earlier one."""
    return f"{prefix}_{_time_part(moment)}"


def moment_of(made: str) -> Millis | None:
    """The time in an id; `None` for a text that is none."""
    _, _, tail = made.partition("_")
    if len(tail) != _LENGTH or not set(tail) <= _DIGITS.keys():
        return None
    moment = 0
    for digit in tail[:_TIME]:
        moment = moment * 32 + _DIGITS[digit]
    return moment


def new_uuid(now: Millis, entropy: Entropy) -> str:
    """A fresh UUID of version 7 (RFC 9562) as text."""
    chance = int.from_bytes(entropy.bytes(10), "big")
    high = 0x7000 | (chance >> 64 & 0x0FFF)
    low = 0x8000000000000000 | (chance & 0x3FFFFFFFFFFFFFFF)
    digits = f"{now & 0xFFFFFFFFFFFF:012x}{high:04x}{low:016x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
