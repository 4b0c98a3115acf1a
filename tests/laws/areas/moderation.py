"""What support does about a player: looks them up and bans them (specification 3.5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from tests.laws.area import Area, Operation
from tests.laws.areas.debug_accounts import DebugAccounts
from tests.laws.areas.friends import become_friends
from tests.laws.areas.grants import Grants
from tests.laws.areas.players import Profile
from tests.laws.areas.purchases import a_purchase
from tests.laws.competing import attempts_of, lobbies_of
from tests.laws.drawing import Draw
from tests.laws.model_state import Call, Player, Reply, Scope, stamp
from tests.laws.routes import Body
from tests.laws.steps import Step

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
    grants, attempts = call.scope.part(Grants), attempts_of(call.scope, call.me)
    count = {
        state: sum(grant.status == state for grant in grants.all_of(call.player)) for state in ("pending", "claimed")
    }

    def check(data: Body) -> None:
        is_shown(call, data["player"])
        assert (data["summary"]["grantsPending"], data["summary"]["grantsClaimed"]) == (
            count["pending"],
            count["claimed"],
        )
        limit = call["limit"] or 50
        grants.recognise(call.player, data["grants"])
        newest = sorted((grant.created_at for grant in grants.all_of(call.player)), reverse=True)[:limit]
        assert [stamp(row["createdAt"]) for row in data["grants"]] == newest
        assert {row["grantId"]: row["status"] for row in data["grants"]}.items() <= {
            id_: grant.status for id_, grant in grants.of(call.player).items()
        }.items()
        counted = [data["summary"][name] for name in ("attemptCount", "attemptsCompleted", "attemptsExpired")]
        statuses = [attempt.status for attempt in attempts]
        assert counted == [len(statuses), statuses.count("completed"), statuses.count("expired")]
        newest = sorted((attempt.started_at for attempt in attempts), reverse=True)[:limit]
        assert [stamp(row["startedAt"]) for row in data["attempts"]] == newest
        lobbies = lobbies_of(call.scope, call.me)
        assert len(data["lobbies"]) == min(limit, len(lobbies))
        assert {(row["lobbyId"], row["status"]) for row in data["lobbies"]} <= {
            (one.id_, one.status) for one in lobbies
        }
        assert data["summary"]["lobbiesActive"] == sum(lobby.status == "active" for lobby in lobbies)

    return Reply(check=check)


# -- scenes ---------------------------------------------------------------------------------------------------------------


def _ban_somebody(d: Draw) -> Iterator[Step]:
    """A ban, what the banned player tries and what others do with them, and mostly its end."""
    player, other = d.two()
    if d.one_in(3):
        yield from become_friends(d, player, other)
    reason = {} if d.one_in(12) else {"reason": d.of("cheating", "abuse")}
    yield d.call("server:players.ban", player, key=d.key(), **reason)
    if d.one_in(3):
        yield d.call("server:players.ban", player, key=d.key(), reason="again")
    yield from d.of(_banned_plays, _banned_is_met)(d, player, other)
    for _ in range(d.of(0, 1, 1, 1, 2)):
        yield d.call("server:players.unban", player, key=d.key())


def _banned_plays(d: Draw, player: str, other: str) -> Iterator[Step]:
    yield d.of(
        d.call("sdk:players.register", player, force=True),
        d.call("sdk:players.register", player),
        d.call("sdk:wallet.debit", player, key=d.key(), economyKey="gold", amount=1),
        d.call("sdk:friends.sendRequest", player, key=d.key(), externalPlayerId=other),
        d.call("sdk:gifts.claim", player, key=d.key(), giftId=d.ref("gift")),
        d.call("sdk:presence.heartbeat", player),
    )
    yield d.call("sdk:purchases.track", player, key=d.key(), **a_purchase(d))
    yield d.call("sdk:wallet.get", player)


def _banned_is_met(d: Draw, player: str, other: str) -> Iterator[Step]:
    yield d.call("sdk:friends.sendRequest", other, externalPlayerId=player)
    yield d.call("sdk:gifts.send", other, type="item", resourceKey="sword", amount=1, externalPlayerId=player)
    yield d.call("sdk:friends.search", other, q=d.of("le", "da", "ca"))
    yield d.call("sdk:friends.suggestions", other)
    yield d.call("server:grants.ack", player, key=d.key(), grantId=d.ref("grant"))


def _limited(d: Draw) -> dict[str, Any]:
    return {"limit": d.of(1, 2, 200, 201)} if d.one_in(2) else {}


# -- the area -------------------------------------------------------------------------------------------------------------


def _on_merge(_scope: Scope, source: Player, target: Player, _now: int) -> list[str]:
    """A ban goes over to the target."""
    target.ban = source.ban or target.ban
    return ["player.banned"] if source.ban else []


AREA: Final = Area(
    operations=(
        Operation(
            "server:players.get", _get, read_with=_limited, broad=True, refuses="player_not_found validation_failed"
        ),
        Operation(
            "server:players.ban",
            _ban,
            faults=lambda call: not call["reason"],
            refuses="player_not_found validation_failed",
        ),
        Operation("server:players.unban", _unban, refuses="player_not_found"),
    ),
    transitions=(
        "not banned -ban-> banned",
        "banned -ban-> banned",
        "banned -unban-> not banned",
        "not banned -unban-> not banned",
    ),
    cannot_merge=lambda _scope, _source, target: target.ban is not None,
    on_merge=_on_merge,
    broad_scenes=((5, _ban_somebody),),
)
