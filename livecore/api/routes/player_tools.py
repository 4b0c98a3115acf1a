"""What a studio's support desk and data protection officer do about a player."""

from __future__ import annotations

from functools import partial
from typing import Final

import attrs

from livecore.api.table.operation import Operation
from livecore.api.table.player_routes import SERVER
from livecore.kernel.declarations.area import Areas
from livecore.player_tools import erasure, export, export_rows, lookup, merging, rows
from livecore.players import moderation
from livecore.players import rows as players
from livecore.players.refusals import InvalidMerge, PlayerNotFound


def _export_over(row: Operation, areas: Areas) -> Operation:
    args, answer = export.export_shapes(areas)
    return attrs.evolve(row, args=args, answers={200: answer}, handler=partial(export.export, kind=answer), over=None)


OPERATIONS: Final[tuple[Operation, ...]] = (
    SERVER.read(
        "players.get",
        "",
        rows.GetPlayer,
        rows.PlayerOverview,
        lookup.get_player,
        summary="Read a player with recent attempts, grants and lobbies.",
        about="At most `limit` (1 to 200) of each list.",
    ),
    # The path's player may be gone: merged before, erased before, or never there.
    attrs.evolve(
        SERVER.write(
            "players.merge",
            "POST /merge-into/{toExternalId}",
            rows.MergePlayer,
            {200: rows.Merged},
            merging.merge,
            PlayerNotFound,
            InvalidMerge,
            summary="Fold a player into another one.",
            about=(
                "The other one keeps name, secret and friend code; what both have is added up. The source's id is "
                "free afterwards. Repeating a merge changes nothing, and the answer says so."
            ),
        ),
        forgets=True,
        subject="any",
    ),
    attrs.evolve(
        SERVER.write(
            "players.erase",
            "POST /delete",
            rows.ErasePlayer,
            {200: rows.Erased},
            erasure.erase,
            summary="Take a player's identity out of everything.",
            about=(
                "Amounts of money and goods stay, without a name. Repeating it changes nothing, and neither does "
                "erasing somebody who never was there, or whose data is another player's since a merge, whom "
                "`mergedIntoExternalId` names; `status` in the answer says which it was."
            ),
        ),
        forgets=True,
        subject="any",
    ),
    attrs.evolve(
        SERVER.read(
            "players.export",
            "/export",
            export_rows.ExportPlayer,
            export_rows.PlayerExport,
            export.export,
            PlayerNotFound,
            summary="Read everything that is held about a player.",
            about=(
                "Each list has up to 1,000 rows. Where `truncated` says that a list goes on, ask again with its "
                "name as `list_` and with its `cursor`; `iterate_export` of the Python client does that. For a player "
                "who was merged, `details.mergedIntoExternalId` of the refusal says who has the data."
            ),
        ),
        over=_export_over,
        subject="any",
    ),
    SERVER.write(
        "players.ban",
        "POST /ban",
        players.Ban,
        {200: players.BanState},
        moderation.ban,
        summary="Refuse a player's writes.",
        about=(
            "Everything that the player does is refused from then on, except reading. `reason` has 1 to 500 "
            "characters. Banning again refreshes the reason."
        ),
    ),
    SERVER.write(
        "players.unban",
        "POST /unban",
        players.Unban,
        {200: players.BanState},
        moderation.unban,
        summary="Lift a player's ban.",
        about="`applied` in the answer is false where there was none.",
    ),
    SERVER.write(
        "players.flagDebug",
        "POST /debug",
        players.FlagDebug,
        {200: players.DebugState},
        moderation.flag_debug,
        summary="Mark a player as a debug account.",
        about="Revenue reports leave the player out, past purchases included.",
    ),
    SERVER.write(
        "players.unflagDebug",
        "DELETE /debug",
        players.UnflagDebug,
        {200: players.DebugState},
        moderation.unflag_debug,
        summary="Make a debug account an ordinary one.",
        about="Revenue reports count the player again, past purchases included.",
    ),
)
