"""Ban and debug flag: what a studio's support desk sets on a player (specification 3.5 and 4.3).

A ban is soft: the player's own writes and registering are refused, inside the transaction of the write; reading works, and
so does everything that the studio's backend does. A debug account plays like any other; revenue reports leave it out, and
as they ask for the flag when they are read, flagging and unflagging work for the past as well.
"""

from __future__ import annotations

from livecore.kernel.records import evolve
from livecore.kernel.shapes import Timestamp
from livecore.kernel.time import stamp
from livecore.kernel.unit import Unit
from livecore.players.player import PLAYERS, Player, acting
from livecore.players.rows import Ban, BanState, DebugState, FlagDebug, Unban, UnflagDebug
from livecore.webhooks.catalog.player import Actor, PlayerBanned, PlayerUnbanned

__all__ = ["ban", "flag_debug", "unban", "unflag_debug"]


def ban(unit: Unit, args: Ban) -> BanState:
    """Ban a player; who is banned already only gets the new reason, and nobody is told."""
    player = acting(unit)
    if player.banned:
        return _stored(unit, evolve(player, ban_reason=args.reason), applied=False)
    state = _stored(unit, evolve(player, ban_reason=args.reason, banned_at=unit.now), applied=True)
    unit.emit(
        PlayerBanned(
            player_id=player.player_id,
            external_player_id=player.external_id,
            reason=args.reason,
            banned_at=Timestamp(unit.now),
            actor=Actor.of(unit.actor),
        )
    )
    return state


def unban(unit: Unit, _: Unban) -> BanState:
    """Lift a ban; lifting none changes nothing and tells nobody."""
    player = acting(unit)
    if not player.banned:
        return _state(player, applied=False)
    state = _stored(unit, evolve(player, ban_reason=None, banned_at=None), applied=True)
    unit.emit(
        PlayerUnbanned(
            player_id=player.player_id,
            external_player_id=player.external_id,
            unbanned_at=Timestamp(unit.now),
            actor=Actor.of(unit.actor),
        )
    )
    return state


def flag_debug(unit: Unit, args: FlagDebug) -> DebugState:
    """Mark a player as a debug account; the reason goes to the audit trail."""
    if args.reason is not None:
        unit.noted["reason"] = args.reason
    return _flag(unit, debug=True)


def unflag_debug(unit: Unit, _: UnflagDebug) -> DebugState:
    """Make a debug account an ordinary one."""
    return _flag(unit, debug=False)


def _flag(unit: Unit, *, debug: bool) -> DebugState:
    player = acting(unit)
    if player.debug != debug:
        unit.tx.put(PLAYERS, evolve(player, debug=debug))
    return DebugState(applied=player.debug != debug, debug=debug)


def _stored(unit: Unit, player: Player, *, applied: bool) -> BanState:
    unit.tx.put(PLAYERS, player)
    return _state(player, applied=applied)


def _state(player: Player, *, applied: bool) -> BanState:
    return BanState(
        applied=applied,
        banned=player.banned,
        reason=player.ban_reason,
        banned_at=stamp(player.banned_at),
    )
