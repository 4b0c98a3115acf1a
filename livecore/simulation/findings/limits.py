"""Findings about limits that never refused anything, so that they could be higher or lower without a difference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from livecore.api.configuration.game_config import GameConfig
from livecore.simulation.findings.finding import Finding
from livecore.simulation.observed import Observed

_MANY: Final = 0.05
"""A code that refuses so large a share of all calls of an operation is worth a look."""
_CALLS: Final = 200


def limit_findings(observed: Observed, config: GameConfig) -> Iterator[Finding]:
    """Limits that never bite, and refusals that many players meet."""
    codes, refused = Counter[str](), Counter[tuple[str, str]]()
    for (operation, code, _), number in observed.refusals.items():
        codes[code] += number
        refused[operation, code] += number
    calls = Counter[str]()
    for (operation, _), number in observed.calls.items():
        calls[operation] += number
    idle = [(path, limit) for path, limit, code, operation in _limits(config) if calls[operation] and not codes[code]]
    if idle:
        named = ", ".join(f"{path} ({limit})" for path, limit in idle)
        yield Finding("note", "limits", f"These limits never refused anything: {named}.")
    for (operation, code), number in sorted(refused.items(), key=lambda item: (-item[1], item[0])):
        if calls[operation] >= _CALLS and number / calls[operation] > _MANY:
            share = f"{100 * number / calls[operation]:.0f} %"
            yield Finding("note", "limits", f"{share} of all calls of {operation} were refused with {code}.")


def _limits(config: GameConfig) -> Iterator[tuple[str, int, str, str]]:
    """Each limit: its path, its value, the code by which it refuses, and the operation that meets it."""
    gifting = config.gifting
    if gifting.enabled:
        if gifting.daily_send_limit is not None:
            yield "gifting.dailySendLimit", gifting.daily_send_limit, "gift_limit_reached", "gifts.send"
        if gifting.daily_receive_limit is not None:
            yield "gifting.dailyReceiveLimit", gifting.daily_receive_limit, "gift_receive_limit_reached", "gifts.send"
    yield "social.maxFriends", config.social.max_friends, "friend_limit_reached", "friends.sendRequest"
    if config.guilds.enabled:
        yield "guilds.maxMembers", config.guilds.max_members, "guild_full", "guilds.join"
    for place, event in enumerate(config.events):
        most = event.attempts.max_per_window
        if most is not None and most > 1:
            yield f"events[{place}].attempts.maxPerWindow", most, "attempt_limit_reached", "events.start"
