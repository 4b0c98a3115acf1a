"""Merge: two players become one, as when a person who played as a guest signs in to an existing account.

The *source* is folded into the *target*, in one transaction however many rows they have. First the areas combine the rows
that must be combined. Then all rows that name the source are changed to name the target. A row under a placeholder remains
of the source, and a keyed hash of its external id, by which a repeated request is distinguished from a new one. If the id
has been registered again since, it belongs to a new player, and merging that player is a new merge (specification 3.8 and
4.3).
"""

from __future__ import annotations

from collections.abc import Iterator

from livecore.kernel.declarations.area import Areas
from livecore.kernel.declarations.player_lifecycle import EveryRow, Merging, OneRow, change_all
from livecore.kernel.storage.tables import Merge
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Unit
from livecore.player_tools.rows import Merged, MergePlayer
from livecore.player_tools.walking import deleted, player_columns, reassigned, tables_of_players
from livecore.player_tools.webhook_events import PlayerMerged
from livecore.players import former
from livecore.players.player import PLAYERS, Player, by_id, find
from livecore.players.policies import unite
from livecore.players.refusals import InvalidMerge, PlayerNotFound
from livecore.players.webhook_events import Actor


def merge(unit: Unit, args: MergePlayer) -> Merged:
    """Fold the path's player into another.

    Refusals, in order: `PlayerNotFound` for the source; `InvalidMerge` for a target that was erased; `PlayerNotFound` for
    the target; `InvalidMerge` for one and the same player, for a banned target, and for a balance that would overflow.
    """
    source_external_id = unit.external_id or ""
    source = find(unit, source_external_id)
    if source is None:
        return _replayed(unit, source_external_id, args.to_external_id)
    target = _target(unit, args.to_external_id)
    if source.player_id == target.player_id:
        raise InvalidMerge("A player cannot be merged into themself.", reason="same_player")
    if target.banned:
        raise InvalidMerge("The target is banned.", reason="target_banned")
    source, target = _read_in_order(unit, source, target)
    _fold(unit, source, target)
    former.remember(unit, source, "merged", target)
    left = by_id(unit, source.player_id)
    _emit_merged(unit, source, target, left.external_id)
    unit.audit_target = ("player", target.player_id)
    unit.audit_metadata = {"fromPlayerId": source.player_id, "toPlayerId": target.player_id}
    return _row("merged", left, target)


def _target(unit: Unit, external_id: str) -> Player:
    target = find(unit, external_id)
    if target is not None:
        return target
    known = former.former(unit, external_id)
    if known is not None and known.ended == "erased":
        raise InvalidMerge("The target was erased.", reason="target_deleted")
    raise PlayerNotFound.of(external_id)


def _read_in_order(unit: Unit, source: Player, target: Player) -> tuple[Player, Player]:
    """Both rows, read in the order of their ids, so that two merges of the same players begin with the same row."""
    rows = {player_id: by_id(unit, player_id) for player_id in sorted((source.player_id, target.player_id))}
    return rows[source.player_id], rows[target.player_id]


def _replayed(unit: Unit, source_id: str, target_id: str) -> Merged:
    """The answer to a merge that was made before, also if the target was merged or erased since. Raises `PlayerNotFound`."""
    source, target = former.former(unit, source_id), find(unit, target_id)
    if target is None:
        known = former.former(unit, target_id)
        target = None if known is None else by_id(unit, known.player_id)
    if source is None or source.ended != "merged" or target is None or source.into_id != target.player_id:
        raise PlayerNotFound.of(source_id)
    # So that the stored answer is removed when the player of whom the source is now a part is erased.
    unit.player_id = source.player_id
    return _row("no_op_already_merged", by_id(unit, source.player_id), target)


def _fold(unit: Unit, source: Player, target: Player) -> None:
    """Combine rows first, because that may write rows that are then reassigned. The players' own rows are last.

    After that comes what must see all of it.
    """
    merging = Merging(
        source_id=source.player_id,
        target_id=target.player_id,
        source_external_id=source.external_id,
        target_external_id=target.external_id,
    )
    for table in tables_of_players(Areas.of(unit)):
        folder = Areas.of(unit).folds.get(table)
        if folder is not None and table is not PLAYERS:
            folder(unit, merging)
    change_all(unit.tx, _declared(Areas.of(unit), merging))
    unite(unit, merging)
    for follow in merging.afterwards:
        follow()


def _declared(areas: Areas, merging: Merging) -> Iterator[EveryRow | OneRow]:
    """What the tables declare: which rows name the target from now on, and which are deleted."""
    for table, column, held in player_columns(areas):
        if held.merge is Merge.REASSIGN:
            yield from reassigned(table, column, merging.source_id, merging.target_id)
        elif held.merge is Merge.KEEP_TARGET:
            yield from deleted(table, column, merging.source_id)


def _emit_merged(unit: Unit, source: Player, target: Player, anonymized: str) -> None:
    unit.emit(
        PlayerMerged(
            from_player_id=source.player_id,
            from_external_player_id=source.external_id,
            to_player_id=target.player_id,
            to_external_player_id=target.external_id,
            anonymized_external_player_id=anonymized,
            merged_at=Timestamp(unit.now),
            actor=Actor.of(unit.actor),
        )
    )


def _row(status: str, source: Player, target: Player) -> Merged:
    return Merged(
        status="merged" if status == "merged" else "no_op_already_merged",
        from_player_id=source.player_id,
        to_player_id=target.player_id,
        anonymized_external_player_id=source.external_id,
    )
