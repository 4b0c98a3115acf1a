"""Export: all data that the game holds about a player, as one document and as pages of its lists.

The tables declare the lists, and the areas declare the functions that fill them. A list whose area does not exist yet is
present and empty, so that readers of exports need no change when the area is added.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, Literal, TypeVar, cast, get_args

import attrs

from livecore.kernel.declarations.area import Areas
from livecore.kernel.declarations.player_lifecycle import Exported, Slice
from livecore.kernel.errors import ValidationFailed
from livecore.kernel.storage.paging import pack, unpack
from livecore.kernel.storage.records import PlayerId
from livecore.kernel.time import Timestamp, stamp
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as shape
from livecore.player_tools.day_counts import day_counts
from livecore.player_tools.export_rows import ExportedPlayer, ExportPlayer, ListName, PlayerExport
from livecore.player_tools.lookup import details
from livecore.player_tools.rows import PlayerDetails
from livecore.players import former
from livecore.players.moderation import debug_account
from livecore.players.player import Player, acting
from livecore.players.privacy import privacy_row
from livecore.players.refusals import PlayerNotFound
from livecore.players.seen import presence_of

S = TypeVar("S")

MOST_ROWS: Final = 1_000
"""The rows of one list in one answer (specification 8)."""
LISTS: Final[tuple[str, ...]] = get_args(ListName)
_BEFORE_CAPITAL: Final = re.compile(r"(?=[A-Z])")


def export(unit: Unit, args: ExportPlayer, kind: type[PlayerExport] = PlayerExport) -> PlayerExport:
    """The whole export, or one list from a cursor on.

    Refusals, in order: `ValidationFailed` for a cursor without its list; `PlayerNotFound`, which names the player into whom
    this one was merged.
    `kind` is the shape of the answer, where areas have further lists.
    """
    if args.cursor is not None and args.list_ is None:
        raise ValidationFailed({"list": "is required with a cursor"})
    player = _exporting(unit)
    lists = (*LISTS, *_further(Areas.of(unit)))
    wanted = lists if args.list_ is None else (args.list_,)
    filled = {name: _rows(unit, player.player_id, name, args.cursor) for name in wanted}
    rows: dict[str, Any] = {_field(name): filled[name].rows if name in filled else () for name in lists}
    return kind(
        exported_at=Timestamp(unit.now),
        player=exported_player(unit, player),
        truncated={name: name in filled and filled[name].next_cursor is not None for name in lists},
        cursors={name: filled[name].next_cursor if name in filled else None for name in lists},
        **rows,
    )


def _exporting(unit: Unit) -> Player:
    if unit.player_id is not None:
        return acting(unit)
    merged = former.merged_into(unit, unit.external_id or "")
    if merged is None or merged[1].gone:
        raise PlayerNotFound.of(unit.external_id or "")
    raise PlayerNotFound.of(unit.external_id or "", merged_into_external_id=merged[1].external_id)


def export_shapes(areas: Areas) -> tuple[type[ExportPlayer], type[PlayerExport]]:
    """The request and answer shapes of an export over these areas: with their lists besides those of `PlayerExport`."""
    further = _further(areas)
    if not further:
        return ExportPlayer, PlayerExport
    names = Literal[(*LISTS, *further)]  # type: ignore[valid-type] # known when the areas are
    rows = {_field(name): tuple[row, ...] for name, row in further.items()}  # type: ignore[valid-type] # likewise
    return _extended(ExportPlayer, {"list_": names | None}, {"list_": None}), _extended(PlayerExport, rows, {})


def _extended(base: type[S], fields: Mapping[str, object], defaults: Mapping[str, object]) -> type[S]:
    body = {"__doc__": base.__doc__, "__module__": __name__, "__annotations__": dict(fields), **defaults}
    return shape(type(base.__name__, (base,), body))


def _further(areas: Areas) -> dict[str, type]:
    """The lists of these areas that `PlayerExport` does not name, with the shapes of their rows."""
    return {name: held.row for name, held in areas.exports.items() if name not in LISTS}


def _field(name: str) -> str:
    """The field of a list, by its name on the wire: `friend_requests` of `friendRequests`."""
    return _BEFORE_CAPITAL.sub("_", name).lower()


def _rows(unit: Unit, player_id: PlayerId, name: str, cursor: str | None) -> Exported:
    position = _position_in(name, cursor)
    held = Areas.of(unit).exports.get(name)
    if held is None:
        return Exported(())
    exported = held.fill(unit, player_id, Slice(MOST_ROWS, position))
    beyond = exported.next_cursor
    return Exported(exported.rows, None if beyond is None else pack((name, beyond)))


def _position_in(name: str, cursor: str | None) -> str | None:
    """The position that a cursor of the export names. A cursor belongs to one list; another list refuses it."""
    if cursor is None:
        return None
    list_, position = unpack(cursor, (str, str)) or ("", "")
    if list_ != name:
        raise ValidationFailed({"cursor": "is not a cursor of this list"})
    return str(position)


def exported_player(unit: Unit, player: Player) -> ExportedPlayer:
    """A player's own record, with what only the support and the player may see."""
    shown = details(unit, player)
    account = debug_account(unit, player)
    return ExportedPlayer(
        **{field.name: getattr(shown, field.name) for field in attrs.fields(cast(Any, PlayerDetails))},
        friend_code=player.friend_code,
        presence=presence_of(unit, player),
        privacy=privacy_row(unit, player),
        registered_at=stamp(player.registered_at),
        secret_prefix=player.secret_prefix,
        secret_rotated_at=stamp(player.secret_rotated_at),
        debug_since=None if account is None else Timestamp(account.flagged_at),
        day_counts=day_counts(unit, player.player_id),
    )
