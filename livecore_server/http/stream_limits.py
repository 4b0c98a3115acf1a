"""How many streams may be open, and the rhythm of each."""

from __future__ import annotations

import attrs


@attrs.frozen(kw_only=True)
class StreamLimits:
    """How many streams may be open, and the rhythm of each."""

    most: int = 10_000
    """In this process."""
    most_per_key: int = 8_000
    """In this process, for one key or session."""
    most_per_address: int = 64
    """In this process, for one address, or one /64 network of IPv6 addresses, which is one subscriber."""
    heartbeat_seconds: float = 15.0
    patience_seconds: float = 30.0
    """How long a reader may read nothing of what was sent."""
    gathering_seconds: float = 0.000_05
    """How long messages are collected before they are sent together, for each open stream: 0.1 s with 2,000 of them."""
    recheck_seconds: float = 1.0
    """The interval at which the keys of open streams are checked."""
