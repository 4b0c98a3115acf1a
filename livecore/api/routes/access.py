"""The service itself: is the key good, is the process alive?"""

from __future__ import annotations

from typing import Final

from livecore.access import rows
from livecore.api.operation import Operation
from livecore.api.player_routes import SERVER
from livecore.kernel.shapes import Timestamp
from livecore.kernel.unit import Unit

__all__ = ["OPERATIONS"]


def _ping(unit: Unit, _: rows.GetPing) -> rows.Pong:
    return rows.Pong(
        ok=True,
        game_id=unit.scope.game_id,
        environment="live" if unit.scope.environment == "live" else "test",
        api_key_prefix=unit.actor.ref,
        server_time=Timestamp(unit.now),
    )


def _health(_: Unit, __: rows.GetHealth) -> rows.Health:
    return rows.Health(status="ok")


OPERATIONS: Final[tuple[Operation, ...]] = (
    SERVER.question(
        "ping",
        "/ping",
        rows.GetPing,
        rows.Pong,
        _ping,
        summary="Probe the connection and the key.",
        about="Shows for which game and environment the key is.",
    ),
    Operation(
        name="health",
        surface="admin",
        method="GET",
        path="/admin/v1/health",
        credential="none",
        bucket=None,
        args=rows.GetHealth,
        answers={200: rows.Health},
        handler=_health,
        summary="Is the process alive?",
    ),
)
