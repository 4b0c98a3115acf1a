"""Waits for an event, with a limit."""

from __future__ import annotations

import asyncio


async def wait_for_event(event: asyncio.Event, seconds: float) -> bool:
    """Wait until the event is set, at most this long; returns whether it is."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return False
    return True
