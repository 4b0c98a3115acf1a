"""Findings about limits that nobody came up to, so that they could be higher without a difference.

Most clients know a limit and do not ask beyond it. So a limit is reached where players have as much as it lets them, whether
or not anything was refused.
"""

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
    idle = [
        f"{path} ({limit})"
        for path, limit, code, operation, most in _limits(observed, config)
        if calls[operation] and not codes[code] and most < limit
    ]
    if idle:
        yield Finding("note", "limits", f"Nobody reached these limits: {', '.join(idle)}.")
    for (operation, code), number in sorted(refused.items(), key=lambda item: (-item[1], item[0])):
        if calls[operation] >= _CALLS and number / calls[operation] > _MANY:
            share = f"{100 * number / calls[operation]:.0f} %"
            yield Finding("note", "limits", f"{share} of all calls of {operation} were refused with {code}.")


def _limits(observed: Observed, config: GameConfig) -> Iterator[tuple[str, int, str, str, int]]:
    """Each limit: path, value, the code by which it refuses, the operation that meets it, and the most that somebody had."""
    gifting = config.gifting
    if gifting.enabled:
        most_given = observed.most_gifts_in_day
        if gifting.daily_send_limit is not None:
            yield "gifting.dailySendLimit", gifting.daily_send_limit, "gift_limit_reached", "gifts.send", most_given
        if gifting.daily_receive_limit is not None:
            yield (
                "gifting.dailyReceiveLimit",
                gifting.daily_receive_limit,
                "gift_receive_limit_reached",
                "gifts.send",
                0,
            )
    most_friends = max(observed.friends, default=0)
    yield "social.maxFriends", config.social.max_friends, "friend_limit_reached", "friends.sendRequest", most_friends
    if config.guilds.enabled:
        largest = max(observed.guild_sizes, default=0)
        yield "guilds.maxMembers", config.guilds.max_members, "guild_full", "guilds.join", largest
    for place, event in enumerate(config.events):
        limit = event.attempts.max_per_window
        if limit is not None and limit > 1:
            most = max((one.most_attempts for one in observed.windows if one.event == event.key), default=0)
            yield f"events[{place}].attempts.maxPerWindow", limit, "attempt_limit_reached", "events.start", most
