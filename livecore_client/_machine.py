"""What a client uses of its machine: waiting, the time and randomness. Tests pass in their own.

The two flavours differ only in how they wait, so this file holds both, and the generator of `_sync` needs no exception.
"""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

__all__ = ["AsyncMachine", "Machine", "new_idempotency_key"]

_chance = random.SystemRandom()


def new_idempotency_key() -> str:
    """Sixteen random bytes in hexadecimal digits, as the key of one write (section 8 of the specification)."""
    return secrets.token_hex(16)


async def _sleep(seconds: float) -> None:
    # Importing asyncio takes a fifth of the time of importing httpx, and a program that never waits does not need it.
    import asyncio  # noqa: PLC0415 - see above

    await asyncio.sleep(seconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class AsyncMachine:
    """Waiting, time and randomness for an asynchronous client, on asyncio."""

    sleep: Callable[[float], Awaitable[None]] = _sleep
    monotonic_seconds: Callable[[], float] = time.monotonic
    unix_seconds: Callable[[], float] = time.time
    chance: Callable[[], float] = _chance.random
    idempotency_key: Callable[[], str] = new_idempotency_key


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Waiting, time and randomness for a synchronous client."""

    sleep: Callable[[float], None] = time.sleep
    monotonic_seconds: Callable[[], float] = time.monotonic
    unix_seconds: Callable[[], float] = time.time
    chance: Callable[[], float] = _chance.random
    idempotency_key: Callable[[], str] = new_idempotency_key
