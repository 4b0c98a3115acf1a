"""The service itself: is the key good, is the process alive?"""

from __future__ import annotations

from typing import Final

from livecore.access import connectivity_rows
from livecore.api.table.operation import Operation
from livecore.api.table.player_routes import SERVER
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Unit


def _ping(unit: Unit, _: connectivity_rows.GetPing) -> connectivity_rows.Pong:
    return connectivity_rows.Pong(
        ok=True,
        game_id=unit.scope.game_id,
        environment="live" if unit.scope.environment == "live" else "test",
        api_key_prefix=unit.actor.ref,
        server_time=Timestamp(unit.now),
    )


def _health(_: Unit, __: connectivity_rows.GetHealth) -> connectivity_rows.Health:
    return connectivity_rows.Health(status="ok")


OPERATIONS: Final[tuple[Operation, ...]] = (
    SERVER.question(
        "ping",
        "/ping",
        connectivity_rows.GetPing,
        connectivity_rows.Pong,
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
        args=connectivity_rows.GetHealth,
        answers={200: connectivity_rows.Health},
        handler=_health,
        summary="Is the process alive?",
    ),
)
