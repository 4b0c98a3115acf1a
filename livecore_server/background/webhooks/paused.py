"""What is said when an endpoint pauses by itself: why, what becomes of its events, and the command that sends again."""

from __future__ import annotations

import shlex
from typing import Final
from urllib.parse import urlsplit

from livecore.kernel.scope import Scope
from livecore.webhooks.outbox import Endpoint, endpoint_state
from livecore.webhooks.outcome import Outcome
from livecore_server.storage.database_urls import masked

_BECAUSE: Final = {
    "consecutive_failures": "keeps failing",
    "gone": "answered that it is gone (410)",
}


def unpause_command(scope: Scope, endpoint_id: str, *, database: str | None = None) -> str:
    """The command that ends a pause, with the URL of the database if that is given; its password is masked."""
    place = [] if database is None else ["--database", masked(database)]
    options = [*place, "--game", scope.game_id, "--environment", scope.environment]
    return shlex.join(["livecore", "webhooks", "unpause", *options, endpoint_id])


def notice_of_pause(scope: Scope, endpoint: Endpoint, outcome: Outcome, *, database: str | None = None) -> str:
    """One sentence for a log and a terminal; `outcome` is that of the attempt which paused the endpoint.

    Of the address only scheme, host and port are shown: its path may hold a token of the receiver, as those of chats do.
    """
    because = _BECAUSE.get(endpoint.pause_reason or "", "was told to wait")
    return (
        f"endpoint {endpoint.endpoint_id} {because} and was paused; {_last_attempt(endpoint, outcome)}; "
        "its events are kept for 30 days, and when its receiver is back this sends them: "
        f"{unpause_command(scope, endpoint.endpoint_id, database=database)}"
    )


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def _last_attempt(endpoint: Endpoint, outcome: Outcome) -> str:
    failing = len(endpoint_state(endpoint).breaker.failing)
    count = f"{failing} deliveries in a row failed, and " if endpoint.pause_reason == "consecutive_failures" else ""
    ended = f"was answered {outcome.status}" if outcome.status is not None else f"ended with {outcome.error}"
    return f"{count}the last attempt, to {_origin(endpoint.url)}, {ended}"
