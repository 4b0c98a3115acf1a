"""What support does about a player: looks them up, bans them, marks debug accounts (specification 3.5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import attrs

from tests.laws.area import Area, Operation
from tests.laws.areas.grants import Grants
from tests.laws.areas.players import Profile
from tests.laws.model_state import Call, Player, Reply, Scope, stamp
from tests.laws.routes import Body

__all__ = ["AREA", "DebugAccounts", "is_shown"]


@attrs.define
class DebugAccounts:
    """Accounts that are not counted in revenue."""

    reasons: dict[str, str | None] = attrs.field(factory=dict)
    """The names of the accounts, and why they are."""


# -- bans -----------------------------------------------------------------------------------------------------------------


def _ban(call: Call) -> Reply:
    """Banning again refreshes the reason and tells nobody."""
    me = call.me
    again = me.ban is not None
    me.ban = (call["reason"], me.ban[1] if me.ban else call.now)
    move = "banned -ban-> banned" if again else "not banned -ban-> banned"
    return Reply(200, () if again else ("player.banned",), _ban_check(me, applied=not again), move)


def _unban(call: Call) -> Reply:
    me = call.me
    applied = me.ban is not None
    me.ban = None
    move = "banned -unban-> not banned" if applied else "not banned -unban-> not banned"
    return Reply(200, ("player.unbanned",) if applied else (), _ban_check(me, applied=applied), move)


def _ban_check(me: Player, *, applied: bool) -> Callable[[Body], None]:
    reason, at = me.ban or (None, None)

    def check(data: Body) -> None:
        assert (data["applied"], data["banned"], data["reason"]) == (applied, reason is not None, reason)
        assert (None if data["bannedAt"] is None else stamp(data["bannedAt"])) == at

    return check


# -- debug accounts -------------------------------------------------------------------------------------------------------


def _debug(call: Call, *, debug: bool) -> Reply:
    reasons = call.scope.part(DebugAccounts).reasons
    applied = (call.player in reasons) is not debug
    reason = call["reason"] or reasons.get(call.player)
    if debug:
        reasons[call.player] = reason
    else:
        reasons.pop(call.player, None)
    said = {"reason": reason} if debug and reason else {}

    def check(data: Body) -> None:
        assert data == {"applied": applied, "debug": debug, **said}

    return Reply(check=check)


# -- looking up -----------------------------------------------------------------------------------------------------------


def is_shown(call: Call, row: Body) -> None:
    """The player's record, as the studio's backend sees it."""
    me, reasons = call.me, call.scope.part(DebugAccounts).reasons
    assert row["externalPlayerId"] == call.player
    assert stamp(row["firstSeenAt"]) == me.first_seen
    me.part(Profile).is_shown(call.now, row)
    assert row["debug"] == (call.player in reasons)
    assert row.get("debugReason") == reasons.get(call.player)
    assert (None if row["ban"] is None else (row["ban"]["reason"], stamp(row["ban"]["bannedAt"]))) == me.ban


def _get(call: Call) -> Reply:
    own = call.scope.part(Grants).of(call.player)
    count = {state: sum(grant.status == state for grant in own.values()) for state in ("pending", "claimed")}

    def check(data: Body) -> None:
        is_shown(call, data["player"])
        assert (data["summary"]["grantsPending"], data["summary"]["grantsClaimed"]) == (
            count["pending"],
            count["claimed"],
        )
        limit = call["limit"] or 50
        newest = sorted((grant.created_at for grant in own.values()), reverse=True)[:limit]
        assert [stamp(row["createdAt"]) for row in data["grants"]] == newest
        assert {row["grantId"]: row["status"] for row in data["grants"]}.items() <= {
            id_: grant.status for id_, grant in own.items()
        }.items()
        assert (data["attempts"], data["lobbies"]) == ([], [])

    return Reply(check=check)


# -- the area -------------------------------------------------------------------------------------------------------------


def _on_merge(scope: Scope, source: Player, target: Player, _now: int) -> list[str]:
    """A ban goes over to the target; being a debug account does not."""
    scope.part(DebugAccounts).reasons.pop(source.name, None)
    target.ban = source.ban or target.ban
    return ["player.banned"] if source.ban else []


def _on_rename(scope: Scope, old: str, new: str) -> None:
    """Only why an account is for debugging is forgotten."""
    reasons = scope.part(DebugAccounts).reasons
    if old in reasons:
        del reasons[old]
        reasons[new] = None


AREA: Final = Area(
    operations=(
        Operation("server:players.get", _get),
        Operation("server:players.ban", _ban, faults=lambda call: not call["reason"]),
        Operation("server:players.unban", _unban),
        Operation("server:players.flagDebug", lambda call: _debug(call, debug=True)),
        Operation("server:players.unflagDebug", lambda call: _debug(call, debug=False)),
    ),
    cannot_merge=lambda _scope, _source, target: target.ban is not None,
    on_merge=_on_merge,
    on_rename=_on_rename,
)
