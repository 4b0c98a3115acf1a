"""Erasure: removes a player's identity from all rows, in place. Amounts stay, without a name.

`player.deleted` is emitted first, with the studio's id; no later event has it. Then all tables are cleared of data about
the player, and about every player who was merged into this one before. The ephemeral state forgets them in every process,
and what the processes share has nothing of them either. Two things remain. An empty row under a placeholder, because ledgers
and other players' gifts refer to it. And a keyed hash of the external id, by which a repeated request is distinguished from
one about an unknown id. Registering the id again makes a new player (specification 3.8 and 4.3).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from livecore.kernel.declarations.area import Areas
from livecore.kernel.declarations.player_lifecycle import Erasing, EveryRow, OneRow, change_all
from livecore.kernel.storage.reads import Scan
from livecore.kernel.storage.records import PlayerId
from livecore.kernel.storage.tables import Erase
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire.shapes import ABSENT
from livecore.player_tools.rows import Erased, ErasePlayer
from livecore.player_tools.walking import deleted, emptied, player_columns, tables_of_players
from livecore.player_tools.webhook_events import PlayerDeleted
from livecore.players import former, policies
from livecore.players.player import MERGED_INTO, PLAYERS, Player, by_id, find

_AT_ONCE: Final = 8
"""Of how many accounts the rows are in memory at the same time."""


def erase(unit: Unit, args: ErasePlayer) -> Erased:
    """Erase the path's player. For one who was erased before, merged, or who never existed, the answer only says that."""
    external_id = unit.external_id or ""
    player = find(unit, external_id)
    if player is None:
        return _without_effect(unit, external_id)
    (merged,), _ = unit.tx.read_lists(
        [Scan(MERGED_INTO, (player.player_id,))], former.former_read(unit, player.external_id)
    )
    placeholder = policies.placeholder(unit, policies.DELETED)
    unit.emit(
        PlayerDeleted(
            player_id=player.player_id,
            external_player_id=player.external_id,
            reason=args.reason,
            anonymized_external_id=placeholder,
            merged_player_ids=tuple(one.player_id for one in merged) or ABSENT,
        )
    )
    policies.empty(unit, player, placeholder)
    erasings = [Erasing(player_id=one.player_id, external_id=one.external_id) for one in (player, *merged)]
    for first in range(0, len(erasings), _AT_ONCE):
        _erase_rows(unit, erasings[first : first + _AT_ONCE])
    former.remember(unit, player, "erased")
    unit.audit_metadata = {"reason": args.reason}
    for erasing in erasings:
        for follow in erasing.afterwards:
            follow()
        # Before the commit, so that a crash leaves nothing. What is noted between the two, the flush finds and removes.
        unit.ephemeral.forget(unit.scope, erasing.player_id)
    return Erased(status="erased", anonymized_external_id=placeholder)


def _without_effect(unit: Unit, external_id: str) -> Erased:
    merged = former.merged_into(unit, external_id)
    if merged is not None:
        return _of_merged(unit, *merged)
    known = former.former(unit, external_id)
    if known is None or known.ended != "erased":
        return Erased(status="no_op_never_existed", anonymized_external_id=None)
    return Erased(status="no_op_already_erased", anonymized_external_id=by_id(unit, known.player_id).external_id)


def _of_merged(unit: Unit, left: Player, target: Player) -> Erased:
    """The answer for an id whose player was merged: who has the data, unless it was erased with the target."""
    # So that the stored answer is removed when the target is erased.
    unit.player_id = left.player_id
    if target.erased_at is not None:
        return Erased(status="no_op_already_erased", anonymized_external_id=target.external_id)
    return Erased(
        status="no_op_merged", anonymized_external_id=left.external_id, merged_into_external_id=target.external_id
    )


def _erase_rows(unit: Unit, erasings: Sequence[Erasing]) -> None:
    """Runs the areas' functions first: they need the data that is cleared next. The player's row is already empty."""
    for erasing in erasings:
        for table in tables_of_players(Areas.of(unit)):
            eraser = Areas.of(unit).erases.get(table)
            if eraser is not None and table is not PLAYERS:
                eraser(unit, erasing)
    change_all(unit.tx, chain.from_iterable(_declared(Areas.of(unit), erasing.player_id) for erasing in erasings))


def _declared(areas: Areas, player_id: PlayerId) -> Iterator[EveryRow | OneRow]:
    """What the tables declare: which rows are deleted, and which emptied."""
    for table, column, held in player_columns(areas):
        if held.erase is Erase.DELETE:
            yield from deleted(table, column, player_id)
        elif held.erase is Erase.ANONYMISE:
            yield from emptied(table, column, player_id)
