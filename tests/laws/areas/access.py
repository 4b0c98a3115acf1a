"""The way in, as far as it is an operation: a studio's backend asks whether its key works."""

from __future__ import annotations

from typing import Final

from tests.laws.area import Area, Operation
from tests.laws.model_state import Call, Reply
from tests.laws.routes import Body

__all__ = ["AREA"]


def _ping(call: Call) -> Reply:
    def check(data: Body) -> None:
        assert (data["ok"], data["environment"]) == (True, call.scope.environment)

    return Reply(check=check)


AREA: Final = Area(operations=(Operation("server:ping", _ping, about="nobody"),))
