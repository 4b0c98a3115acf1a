"""The model of players: registering, secrets, sessions, identity, bans and debug accounts (specification 2.3, 3.5, 3.8)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

from tests.laws.model_state import DAY, HOUR, Call, Given, Player, Refused, Reply, day_of, stamp
from tests.laws.routes import Body

__all__ = ["PLAYERS", "is_shown", "note_activity", "register"]


_LEAST_KEY: Final = 22


def register(call: Call, key: str | None) -> Reply:
    """First contact or another secret; a ban is told before that somebody is registered already.

    Under a key that cannot be guessed the same request gives the same secret for a day, as long as it is the player's.
    """
    forced = bool(call["force"])
    if forced and call.scope.environment == "live":
        raise Refused(403, "test_environment_only")
    known = call.scope.players.get(call.player)
    if known is not None and known.ban is not None:
        raise Refused(403, "player_banned")
    key = key if key is not None and len(key) >= _LEAST_KEY else None
    print_ = json.dumps([forced, call["playerContext"]], sort_keys=True)
    given = None if known is None or key is None else call.scope.given.get((known, key))
    if known is not None and given is not None and call.now < given.at + DAY:
        return _given_again(call, known, given, print_)
    if known is not None and known.secret is not None and not forced:
        raise Refused(409, "player_already_registered")
    replaced = known is not None and known.secret is not None
    player = known or Player(call.player, call.now)
    events = ["player.secret_rotated" if replaced else "player.secret_set"]
    if known is None:
        call.scope.players[call.player] = player
        events.append("player.registered")
    note_activity(player, call.now)

    def learn(data: Body) -> None:
        assert data["playerSecret"] != player.secret
        player.secret = data["playerSecret"]
        if key is not None:
            call.scope.given[player, key] = Given(print_, call.now, 200 if replaced else 201, data["playerSecret"])
        assert data["player"]["externalPlayerId"] == call.player
        assert data["syntheticIdentity"] == data["anonymizedIdentity"]

    return Reply(200 if replaced else 201, tuple(events), learn)


def _given_again(call: Call, player: Player, given: Given, print_: str) -> Reply:
    if given.fingerprint != print_:
        raise Refused(409, "idempotency_conflict")
    if given.secret != player.secret:
        raise Refused(409, "player_already_registered")
    note_activity(player, call.now)

    def check(data: Body) -> None:
        assert data["playerSecret"] == given.secret

    return Reply(given.status, (), check, "registration: told again", replayed=True)


def note_activity(player: Player, now: int) -> None:
    """A session opens at the first launch and after half an hour of silence, and counts for each day that it is on."""
    if player.sessions == 0 or now - player.last_seen >= HOUR // 2:
        player.sessions += 1
    # A session that runs over midnight is one on both days.
    today = day_of(now)
    if player.streak_day != today:
        player.streak = player.streak + 1 if player.streak_day == today - 1 else 1
    player.streak_day = today
    player.best_streak = max(player.best_streak, player.streak)
    player.last_seen = now


def _rotate_secret(call: Call) -> Reply:
    me = call.me
    event = "player.secret_set" if me.secret is None else "player.secret_rotated"

    def learn(data: Body) -> None:
        assert data["playerSecret"] != me.secret
        me.secret = data["playerSecret"]

    return Reply(200, (event,), learn)


def _heartbeat(call: Call) -> Reply:
    me = call.me
    me.beat_at = call.now
    if "status" in call.arguments:
        me.label = call["status"]
    label = me.label

    def check(data: Body) -> None:
        assert (data["online"], data["status"]) == (True, label)

    return Reply(check=check)


def _set_identity(call: Call) -> Reply:
    """The studio may leave the name out, which stays then, and take it away: then the pool's is shown, as before."""
    me = call.me
    if "name" in call.arguments:
        me.display = call["name"]
    display = me.display

    def check(data: Body) -> None:
        assert display in {None, data["displayIdentity"]["name"]}

    return Reply(check=check)


def _profile(call: Call) -> Reply:
    me = call.me

    def check(data: Body) -> None:
        assert data["externalPlayerId"] == call.player
        assert data["sessions"] == me.sessions
        assert data["loginStreak"] == {"current": me.streak_on(call.now), "best": me.best_streak}
        assert me.display in {None, data["displayIdentity"]["name"]}

    return Reply(check=check)


# -- at the desk ----------------------------------------------------------------------------------------------------------


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


def _debug(call: Call, *, debug: bool) -> Reply:
    marked = call.scope.debug
    applied = (call.player in marked) is not debug
    reason = call["reason"] or marked.get(call.player)
    if debug:
        marked[call.player] = reason
    else:
        marked.pop(call.player, None)
    said = {"reason": reason} if debug and reason else {}

    def check(data: Body) -> None:
        assert data == {"applied": applied, "debug": debug, **said}

    return Reply(check=check)


def is_shown(call: Call, row: Body) -> None:
    """The player's record, as the studio's backend sees it."""
    me = call.me
    assert row["externalPlayerId"] == call.player
    assert stamp(row["firstSeenAt"]) == me.first_seen
    assert row["sessions"] == me.sessions
    assert row["loginStreak"] == {"current": me.streak_on(call.now), "best": me.best_streak}
    assert me.display in {None, row["displayIdentity"]["name"]}
    assert row["debug"] == (call.player in call.scope.debug)
    assert row.get("debugReason") == call.scope.debug.get(call.player)
    assert (None if row["ban"] is None else (row["ban"]["reason"], stamp(row["ban"]["bannedAt"]))) == me.ban


def _get(call: Call) -> Reply:
    own = {id_: grant for id_, grant in call.scope.grants.items() if grant.player == call.player}
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


PLAYERS: Final[dict[str, Callable[[Call], Reply]]] = {
    "server:players.rotateSecret": _rotate_secret,
    "sdk:presence.heartbeat": _heartbeat,
    "sdk:players.setIdentity": _set_identity,
    "server:players.setIdentity": _set_identity,
    "sdk:players.getProfile": _profile,
    "server:players.get": _get,
    "server:players.ban": _ban,
    "server:players.unban": _unban,
    "server:players.flagDebug": lambda call: _debug(call, debug=True),
    "server:players.unflagDebug": lambda call: _debug(call, debug=False),
}
"""The rules of this part by operation, registering aside."""
