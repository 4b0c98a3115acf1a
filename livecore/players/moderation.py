"""Ban and debug flag: what a studio's support desk sets on a player (specification 3.5 and 4.3).

A ban is soft: the player's own writes and registering are refused, inside the transaction of the write; reading works, and
so does everything that the studio's backend does. A debug account plays like any other; revenue reports leave it out, and
as they ask for the flag when they are read, flagging and unflagging work for the past as well.
"""

from __future__ import annotations

from livecore.kernel.errors import JsonObject
from livecore.kernel.records import PlayerId, evolve, record
from livecore.kernel.shapes import ABSENT, Absent, Timestamp
from livecore.kernel.store import Transaction, Wanted
from livecore.kernel.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.time import Millis, stamp
from livecore.kernel.unit import Change, Unit
from livecore.players.player import PLAYERS, Player, acting
from livecore.players.rows import Ban, BanState, DebugState, FlagDebug, Unban, UnflagDebug
from livecore.webhooks.catalog.player import Actor, PlayerBanned, PlayerUnbanned

__all__ = [
    "DEBUG_ACCOUNTS",
    "DebugAccount",
    "ban",
    "debug_account",
    "debug_accounts",
    "debug_accounts_ahead",
    "flag_debug",
    "reason_of",
    "unban",
    "unflag_debug",
]


@record
class DebugAccount:
    """A player whom revenue reports leave out, since when, and why."""

    player_id: PlayerId
    flagged_at: Millis
    reason: str | None = None


DEBUG_ACCOUNTS = Table(
    "debug_accounts",
    DebugAccount,
    key=("player_id",),
    # An erased debug account stays one: what it bought must not become revenue by that.
    players={"player_id": PlayerColumn(Merge.KEEP_TARGET, Erase.ANONYMISE, personal=("reason",))},
    export=(),
)
_IN_ORDER = DEBUG_ACCOUNTS.index("in_order", order=("player_id",))


def ban(unit: Unit, args: Ban) -> BanState:
    """Ban a player; who is banned already only gets the new reason, and nobody is told."""
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
    """Lift a ban; lifting none changes nothing and tells nobody."""
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
    """Mark a player as a debug account; a reason that is given replaces the one before."""
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
    """Why it was marked, if that was said."""
    return ABSENT if account is None or account.reason is None else account.reason


def debug_accounts(tx: Transaction) -> list[PlayerId]:
    """Every debug account of the scope."""
    return [account.player_id for account in tx.scan(_IN_ORDER)]


def debug_accounts_ahead() -> Wanted:
    """What `debug_accounts` is going to read."""
    return _IN_ORDER, ()


def _stored(unit: Unit, before: Player, after: Player, *, applied: bool) -> BanState:
    unit.tx.put(PLAYERS, after)
    unit.change = Change(_ban_of(before), _ban_of(after))
    return _state(after, applied=applied)


def _ban_of(player: Player) -> JsonObject:
    """What the audit trail says of a player's ban."""
    since = stamp(player.banned_at)
    return {"banned": player.banned, "reason": player.ban_reason, "bannedAt": None if since is None else since.wire}


def _mark_of(account: DebugAccount | None) -> JsonObject:
    """What the audit trail says of a debug account."""
    return {"debug": account is not None, "reason": None if account is None else account.reason}


def _state(player: Player, *, applied: bool) -> BanState:
    return BanState(
        applied=applied,
        banned=player.banned,
        reason=player.ban_reason,
        banned_at=stamp(player.banned_at),
    )
