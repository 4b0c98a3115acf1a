"""Blocks: who blocks somebody is nothing to them any more (specification 3.1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tests.laws.area import Area, Operation, Pages, plainly
from tests.laws.areas.relations import Graph, Pair, target
from tests.laws.drawing import PLAYERS, Draw
from tests.laws.model_state import Call, Refused, Reply, equal, newest_first, stamp
from tests.laws.routes import Body
from tests.laws.steps import Step


def _own(call: Call) -> dict[str, int]:
    """Whom the caller blocks, and since when."""
    pairs = call.scope.part(Graph).of(call.player)
    return {other: pair.blocked_at[call.player] for other, pair in pairs if call.player in pair.blocked_at}


def _block(call: Call) -> Reply:
    """Block: ends friendship and request; told only when a friendship broke."""
    other = target(call, "cannot_block_self")
    pair = call.scope.part(Graph).pair(call.player, other.name)
    since = pair.blocked_at.get(call.player, call.now)
    reply = Reply(200, check=lambda data: _is_block(data["block"], other.name, since), move="blocked -block-> blocked")
    if call.player in pair.blocked_at:
        return reply
    if len(_own(call)) >= call.scope.config.get("social", {}).get("maxBlocks", 500):
        raise Refused(409, "block_limit_reached")
    events = ("friend.removed",) if pair.state == "friends" else ()
    before = {"none": "none", "asked": "pending", "friends": "friends"}[pair.state]
    pair.blocked_at[call.player] = call.now
    pair.state, pair.request_id = "none", None
    return Reply(201, events, reply.check, f"{before} -block-> blocked")


def _unblock(call: Call) -> Reply:
    """Lift one's own block, and nothing else."""
    pair = call.scope.part(Graph).pairs.get(frozenset((call.player, call["blockedExternalId"])), Pair())
    if call.player not in pair.blocked_at:
        raise Refused(404, "block_not_found")
    del pair.blocked_at[call.player]
    return Reply(check=lambda data: equal(data, {"unblocked": True}), move="blocked -unblock-> none")


def _is_block(row: Body, other: str, at: int) -> None:
    assert (row["externalPlayerId"], stamp(row["blockedAt"])) == (other, at)


def _list(call: Call) -> Reply:
    """One's own blocks, newest first."""
    blocks = _own(call)

    def check(data: Body) -> None:
        assert sorted(row["externalPlayerId"] for row in data["blocks"]) == sorted(blocks)
        newest_first(row["blockedAt"] for row in data["blocks"])
        for row in data["blocks"]:
            _is_block(row, row["externalPlayerId"], blocks[row["externalPlayerId"]])

    return Reply(check=check)


def _is_exported(call: Call, data: Body) -> None:
    assert len(data["blocks"]) == len(_own(call))


# -- scenes ---------------------------------------------------------------------------------------------------------------


def _block_somebody(d: Draw) -> Iterator[Step]:
    one, other = d.two()
    yield d.call("sdk:friends.block", one, key=d.key(), **d.target(one if d.one_in(10) else other))
    if d.one_in(3):
        yield d.call("sdk:friends.block", one, **d.target(other))
    if d.one_in(3):
        yield d.call("sdk:friends.sendRequest", other, **d.target(one))
    if not d.one_in(3):
        yield d.call("sdk:friends.unblock", one, key=d.key(), blockedExternalId=d.of(other, other, other, "nobody"))


def _block_all(d: Draw) -> Iterator[Step]:
    """One player blocks all others, more than may be blocked, and lets them go again."""
    one = d.one()
    others = [name for name in PLAYERS if name != one]
    for verb, argument in (("block", "externalPlayerId"), ("unblock", "blockedExternalId")):
        for other in others:
            yield d.call(f"sdk:friends.{verb}", one, **{argument: other})


def _ill_formed(d: Draw) -> list[Step]:
    return [d.call("sdk:friends.block", d.one())]


AREA: Final = Area(
    operations=(
        Operation(
            "sdk:friends.block",
            _block,
            refuses="block_limit_reached cannot_block_self friend_code_invalid validation_failed",
        ),
        Operation("sdk:friends.unblock", _unblock, refuses="block_not_found"),
        Operation("sdk:friends.listBlocks", _list, read_with=plainly, pages=Pages("blocks")),
        Operation("server:friends.listBlocks", _list, read_with=plainly, pages=Pages("blocks")),
    ),
    transitions=(
        "none -block-> blocked",
        "pending -block-> blocked",
        "friends -block-> blocked",
        "blocked -block-> blocked",
        "blocked -unblock-> none",
    ),
    is_exported=_is_exported,
    scenes=((4, _block_somebody), (1, _block_all)),
    ill_formed=_ill_formed,
)
