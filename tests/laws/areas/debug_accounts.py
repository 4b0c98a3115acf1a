"""Accounts for debugging, whose purchases are no revenue."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import attrs

from tests.laws.area import Area, Operation
from tests.laws.drawing import Draw
from tests.laws.model_state import Call, Player, Reply, Scope
from tests.laws.routes import Body
from tests.laws.steps import Step


@attrs.define
class DebugAccounts:
    """The debug accounts of a scope."""

    reasons: dict[str, str | None] = attrs.field(factory=dict)
    """The names of the accounts, and why they are."""


def _debug(call: Call, *, debug: bool) -> Reply:
    reasons = call.scope.part(DebugAccounts).reasons
    applied = (call.player in reasons) is not debug
    reason = call["reason"] or reasons.get(call.player)
    if debug:
        reasons[call.player] = reason
    else:
        reasons.pop(call.player, None)
    said = {"reason": reason} if debug and reason else {}

    def check(data: Body) -> None:
        assert data == {"applied": applied, "debug": debug, **said}

    return Reply(check=check)


def _on_merge(scope: Scope, source: Player, _target: Player, _now: int) -> list[str]:
    """The target is what they were."""
    scope.part(DebugAccounts).reasons.pop(source.name, None)
    return []


def _on_rename(scope: Scope, old: str, new: str) -> None:
    """Only why an account is for debugging is forgotten."""
    reasons = scope.part(DebugAccounts).reasons
    if old in reasons:
        del reasons[old]
        reasons[new] = None


# -- scenes ---------------------------------------------------------------------------------------------------------------


def _flag(d: Draw) -> Iterator[Step]:
    player = d.one()
    reason = {"reason": "a tester's account"} if d.one_in(2) else {}
    for _ in range(1 + d.one_in(3)):
        yield d.call("server:players.flagDebug", player, key=d.key(), **reason)
    for _ in range(d.of(0, 1, 1, 2)):
        yield d.call("server:players.unflagDebug", player, key=d.key())


AREA: Final = Area(
    operations=(
        Operation("server:players.flagDebug", lambda call: _debug(call, debug=True), refuses="player_not_found"),
        Operation("server:players.unflagDebug", lambda call: _debug(call, debug=False), refuses="player_not_found"),
    ),
    on_merge=_on_merge,
    on_rename=_on_rename,
    broad_scenes=((3, _flag),),
)
