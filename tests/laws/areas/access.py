"""API keys: a studio's backend asks whether its key works, and keys get successors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import attrs

from tests.laws.area import Area, Operation, plainly
from tests.laws.drawing import DAY_MS, Draw
from tests.laws.model_state import Call, Reply
from tests.laws.routes import Body
from tests.laws.steps import RotateKey, Step, Wait

_PAST_THE_GRACE: Final = 61 * DAY_MS


def _ping(call: Call) -> Reply:
    def check(data: Body) -> None:
        assert (data["ok"], data["environment"]) == (True, call.scope.environment)
        call.scope.game["id"] = data["gameId"]

    return Reply(check=check)


# -- scenes ---------------------------------------------------------------------------------------------------------------


def _rotate(d: Draw) -> Iterator[Step]:
    yield RotateKey(d.place, d.of("client", "server"))
    if d.one_in(2):
        yield Wait(_PAST_THE_GRACE)
    yield attrs.evolve(d.call("sdk:friends.list", d.one()), api_key="older")


def _ids(_: str, data: Body) -> list[tuple[str, str]]:
    return [("game", data["gameId"])] if "gameId" in data else []


AREA: Final = Area(
    operations=(Operation("server:ping", _ping, about="nobody", read_with=plainly),),
    scenes=((1, _rotate),),
    ids=_ids,
)
