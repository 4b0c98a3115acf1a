"""Export: everything that the game holds about a player, as one document and as pages of its lists.

Which lists there are is declared by the tables; what fills them, by the areas. A list whose area does not exist yet is there
and empty, so that whoever reads exports need not change when it does.
"""

from __future__ import annotations

from typing import Any, Final, cast, get_args

import attrs

from livecore.kernel.errors import ValidationFailed
from livecore.kernel.paging import pack, unpack
from livecore.kernel.policies import Exported, Slice
from livecore.kernel.records import PlayerId
from livecore.kernel.shapes import Timestamp
from livecore.kernel.time import stamp
from livecore.kernel.unit import Unit
from livecore.player_tools.export_rows import ExportedPlayer, ExportPlayer, ListName, PlayerExport
from livecore.player_tools.lookup import details
from livecore.player_tools.rows import PlayerDetails
from livecore.players.player import Player, acting
from livecore.players.seen import presence_of

__all__ = ["LISTS", "MOST_ROWS", "export"]

MOST_ROWS: Final = 1_000
"""The rows of one list in one answer (specification 8)."""
LISTS: Final[tuple[str, ...]] = get_args(ListName)
_FIELDS: Final = {name: "friend_requests" if name == "friendRequests" else name for name in LISTS}


def export(unit: Unit, args: ExportPlayer) -> PlayerExport:
    """The whole bundle, or one list from a cursor on. Raises `ValidationFailed` for a cursor without its list."""
    if args.cursor is not None and args.list_ is None:
        raise ValidationFailed({"list": "is required with a cursor"})
    player = acting(unit)
    wanted = LISTS if args.list_ is None else (args.list_,)
    filled = {name: _rows(unit, player.player_id, name, args.cursor) for name in wanted}
    lists: dict[str, Any] = {_FIELDS[name]: filled[name].rows if name in filled else () for name in LISTS}
    return PlayerExport(
        exported_at=Timestamp(unit.now),
        player=_player(unit, player),
        truncated={name: name in filled and filled[name].next_cursor is not None for name in LISTS},
        cursors={name: filled[name].next_cursor if name in filled else None for name in LISTS},
        **lists,
    )


def _rows(unit: Unit, player_id: PlayerId, name: str, cursor: str | None) -> Exported:
    place = _place_in(name, cursor)
    exporter = unit.areas.exports.get(name)
    if exporter is None:
        return Exported(())
    exported = exporter(unit, player_id, Slice(MOST_ROWS, place))
    beyond = exported.next_cursor
    return Exported(exported.rows, None if beyond is None else pack((name, beyond)))


def _place_in(name: str, cursor: str | None) -> str | None:
    """The place in a list that a cursor of the export names; each list has its own, though their places may look alike."""
    if cursor is None:
        return None
    list_, place = unpack(cursor, (str, str)) or ("", "")
    if list_ != name:
        raise ValidationFailed({"cursor": "is not a cursor of this list"})
    return str(place)


def _player(unit: Unit, player: Player) -> ExportedPlayer:
    shown = details(unit, player)
    return ExportedPlayer(
        **{field.name: getattr(shown, field.name) for field in attrs.fields(cast(Any, PlayerDetails))},
        friend_code=player.friend_code,
        presence=presence_of(unit, player),
        registered_at=stamp(player.registered_at),
        secret_prefix=player.secret_prefix,
        secret_rotated_at=stamp(player.secret_rotated_at),
    )
