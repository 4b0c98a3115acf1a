"""Blocks: a block belongs to the player who set it. It ends friendship and requests; lifting it restores nothing."""

from __future__ import annotations

from livecore.kernel.storage.paging import page_by_time
from livecore.kernel.time import Millis, Timestamp
from livecore.kernel.units.unit import Unit
from livecore.players.player import Player, acting, find, players_by_id
from livecore.social.config import social_config
from livecore.social.friends import tell_removed
from livecore.social.graph import block_count, blocks, relation_between, target_of
from livecore.social.refusals import BlockLimitReached, BlockNotFound, CannotBlockSelf
from livecore.social.relations import (
    RELATIONS,
    Effect,
    Trigger,
    after,
    blocked_at,
    move_of,
    other_id,
    side_of,
    with_block,
)
from livecore.social.rows import Block, Blocked, BlockRow, Blocks, ListBlocks, Unblock, Unblocked
from livecore.social.sight import identity_shown


def _row(unit: Unit, other: Player, at: Millis) -> BlockRow:
    shown = identity_shown(unit, other, friend=False)
    return BlockRow(external_player_id=other.external_id, display_identity=shown, blocked_at=Timestamp(at))


def block(unit: Unit, args: Block) -> tuple[bool, Blocked]:
    """Block a player; returns whether the block is new. An event reports a friendship that it ends, but not a request."""
    me = acting(unit)
    other = target_of(unit, me, args.friend_code, args.external_player_id, CannotBlockSelf)
    relation = relation_between(unit, me, other)
    side = side_of(relation, me.player_id)
    already = blocked_at(relation, side)
    if already is not None:
        return False, Blocked(block=_row(unit, other, already))
    if block_count(unit, me) >= social_config(unit).social.max_blocks:
        raise BlockLimitReached(limit=social_config(unit).social.max_blocks)
    move = move_of(relation, side, Trigger.BLOCK)
    unit.tx.put(RELATIONS, with_block(after(relation, side, move, unit.now), side, unit.now))
    if move.effect is Effect.ENDED_FRIENDSHIP:
        tell_removed(unit, me, other, "blocked")
    return True, Blocked(block=_row(unit, other, unit.now))


def unblock(unit: Unit, args: Unblock) -> Unblocked:
    """Lift one's own block. Raises `BlockNotFound` where there is none, also for an unknown player."""
    me = acting(unit)
    other = find(unit, args.blocked_external_id)
    if other is None or other.player_id == me.player_id:
        raise BlockNotFound.of(args.blocked_external_id)
    relation = relation_between(unit, me, other)
    side = side_of(relation, me.player_id)
    if blocked_at(relation, side) is None:
        raise BlockNotFound.of(args.blocked_external_id)
    unit.tx.put(RELATIONS, with_block(relation, side, None))
    return Unblocked(unblocked=True)


def list_blocks(unit: Unit, args: ListBlocks) -> Blocks:
    """The blocks that the player set, newest first."""
    me = acting(unit)
    rows, cursor = blocks(unit, me, page_by_time(args))
    others = players_by_id(unit, (other_id(relation, me.player_id) for relation, _ in rows))
    return Blocks(
        blocks=tuple(_row(unit, others[other_id(relation, me.player_id)], at) for relation, at in rows),
        next_cursor=cursor,
    )
