"""Ban and debug flag, which a studio's support sets on a player (specification 3.5 and 4.3).

A ban is soft: the player's own writes and registrations are refused, inside the transaction of the write. Reads work, and
so does everything that the studio's backend does. A debug account plays like any other, but revenue reports leave it out.
They read the flag when they are requested, so flagging and unflagging also apply to the past.
"""

from __future__ import annotations

from typing import Final

from livecore.kernel.declarations.area import Areas
from livecore.kernel.errors import JsonObject
from livecore.kernel.storage.reads import Scan
from livecore.kernel.storage.records import PlayerId, evolve
from livecore.kernel.storage.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.time import Millis, Timestamp, stamp
from livecore.kernel.units.unit import Change, Unit
from livecore.kernel.values import keyword_value as record
from livecore.kernel.wire.shapes import ABSENT, Absent
from livecore.players.player import PLAYERS, Player, acting
from livecore.players.rows import Ban, BanState, DebugState, FlagDebug, Unban, UnflagDebug
from livecore.players.webhook_events import Actor, PlayerBanned, PlayerUnbanned


@record
class DebugAccount:
    """A player whom revenue reports leave out: since when, and why."""

    player_id: PlayerId
    flagged_at: Millis
    reason: str | None = None


DEBUG_ACCOUNTS = Table(
    "debug_accounts",
    DebugAccount,
    key=("player_id",),
    # An erased debug account stays one: otherwise its purchases would become revenue.
    players={"player_id": PlayerColumn(Merge.KEEP_TARGET, Erase.ANONYMISE, personal=("reason",))},
    export=("player", "moderation"),
)
_IN_ORDER = DEBUG_ACCOUNTS.index("in_order", order=("player_id",))
ALL_DEBUG_ACCOUNTS: Final[Scan[DebugAccount]] = Scan(_IN_ORDER, ())
"""The scan of every debug account of the scope."""


def ban(unit: Unit, args: Ban) -> BanState:
    """Ban a player. For a player who is already banned only the reason changes, and no event is emitted."""
    player = acting(unit)
    if player.banned:
        return _stored(unit, player, evolve(player, ban_reason=args.reason), applied=False)
    state = _stored(unit, player, evolve(player, ban_reason=args.reason, banned_at=unit.now), applied=True)
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
    """Lift a ban. Without a ban nothing changes, and no event is emitted."""
    player = acting(unit)
    if not player.banned:
        return _state(player, applied=False)
    state = _stored(unit, player, evolve(player, ban_reason=None, banned_at=None), applied=True)
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
    """Mark a player as a debug account; a new reason replaces the earlier one."""
    player = acting(unit)
    known = debug_account(unit, player)
    account = known or DebugAccount(player_id=player.player_id, flagged_at=unit.now)
    if args.reason is not None:
        account = evolve(account, reason=args.reason)
    if account is not known:
        unit.tx.put(DEBUG_ACCOUNTS, account)
        unit.change = Change(_mark_of(known), _mark_of(account))
    return DebugState(applied=known is None, debug=True, reason=reason_of(account))


def unflag_debug(unit: Unit, _: UnflagDebug) -> DebugState:
    """Make a debug account an ordinary one."""
    player = acting(unit)
    known = debug_account(unit, player)
    if known is not None:
        unit.tx.delete(DEBUG_ACCOUNTS, player.player_id)
        unit.change = Change(_mark_of(known), _mark_of(None))
    return DebugState(applied=known is not None, debug=False)


def debug_account(unit: Unit, player: Player) -> DebugAccount | None:
    """The mark of a debug account, if the player is one."""
    return unit.tx.get(DEBUG_ACCOUNTS, player.player_id)


def reason_of(account: DebugAccount | None) -> str | Absent:
    """The reason for the mark, if one was given."""
    return ABSENT if account is None or account.reason is None else account.reason


def _stored(unit: Unit, before: Player, after: Player, *, applied: bool) -> BanState:
    unit.tx.put(PLAYERS, after)
    unit.change = Change(_ban_of(before), _ban_of(after))
    # Also where only the reason changes: what an earlier release has not noted is noted then.
    for follow in Areas.of(unit).after_ban:
        follow(unit, after.player_id)
    return _state(after, applied=applied)


def _ban_of(player: Player) -> JsonObject:
    """A player's ban for the audit trail."""
    since = stamp(player.banned_at)
    return {"banned": player.banned, "reason": player.ban_reason, "bannedAt": None if since is None else since.wire}


def _mark_of(account: DebugAccount | None) -> JsonObject:
    """A debug account for the audit trail."""
    return {"debug": account is not None, "reason": None if account is None else account.reason}


def _state(player: Player, *, applied: bool) -> BanState:
    return BanState(
        applied=applied,
        banned=player.banned,
        reason=player.ban_reason,
        banned_at=stamp(player.banned_at),
    )
