"""What is said when an endpoint pauses by itself: why, what becomes of its events, and the command that sends again."""

from __future__ import annotations

import shlex
from typing import Final

from livecore.kernel.scope import Scope
from livecore.webhooks.outbox import Endpoint
from livecore_server.storage.database_urls import masked

__all__ = ["notice_of_pause", "unpause_command"]

_BECAUSE: Final = {
    "consecutive_failures": "keeps failing",
    "gone": "answered that it is gone (410)",
}


def unpause_command(scope: Scope, endpoint_id: str, *, database: str | None = None) -> str:
    """The command that ends a pause, with the URL of the database if that is given; its password is masked."""
    place = [] if database is None else ["--database", masked(database)]
    options = [*place, "--game", scope.game_id, "--environment", scope.environment]
    return shlex.join(["livecore", "webhooks", "unpause", *options, endpoint_id])


def notice_of_pause(scope: Scope, endpoint: Endpoint, *, database: str | None = None) -> str:
    """One sentence for a log and a terminal."""
    because = _BECAUSE.get(endpoint.pause_reason or "", "was told to wait")
    return (
        f"endpoint {endpoint.endpoint_id} {because} and was paused; its events are kept for 30 days, and when its receiver "
        f"is back this sends them: {unpause_command(scope, endpoint.endpoint_id, database=database)}"
    )
