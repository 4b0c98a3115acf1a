"""The model: an independent account of the service, written from the specification and the contract and not from the code.

`Model` is a witness. Before it looks at an answer it says what the answer must be: the status, the code of a refusal, the
kinds of the events, and of a success every fact that the laws speak of. The entrance (keys, secrets), idempotency, sessions
and time are in this file, the state machines in `model_friends`, `model_value` and
`model_gifts`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, Final

import attrs

from tests.laws.arena import Happened, Permission
from tests.laws.games import GAMES, Place, config_of
from tests.laws.model_friends import FRIENDS
from tests.laws.model_gifts import GIFTS
from tests.laws.model_state import DAY, MOST, Call, Player, Refused, Reply, Scope, day_of, fingerprint
from tests.laws.model_value import DURABLE, VALUE, expire
from tests.laws.playing import Answered, Asked, Play, Witness
from tests.laws.routes import KEYED, SUCCESSES, Body

__all__ = ["Model"]

GRACE: Final = 60 * DAY
HOUR: Final = 3_600_000


@attrs.define
class _Key:
    place: Place
    permission: Permission
    ends_at: int | None = None


@attrs.define
class _Kept:
    """An answer under an idempotency key: `table` names the kind of row that keeps the key for good."""

    fingerprint: str
    at: int
    status: int
    raw: bytes
    name: str


class Model(Witness):
    """Predicts every answer, and raises `AssertionError` where the service differs."""

    def __init__(self) -> None:
        self.scopes: dict[Place, Scope] = {}
        self.successes: Counter[tuple[str, int]] = Counter()
        self.refusals: Counter[str] = Counter()
        self.moves: Counter[str] = Counter()
        """How often each transition of the specification's section 3 was made, and each kind of replay."""
        self._keys: dict[str, _Key] = {}
        self._newest: dict[tuple[Place, Permission], str] = {}
        self._kept: dict[tuple[Place, str, str], _Kept] = {}
        self._durable: dict[tuple[Place, str, str, str], str] = {}
        self._retry_at: dict[str, int] = {}
        self._now = 0

    # -- told by the play

    def answered(self, play: Play, asked: Asked, answer: Answered) -> None:
        """Predict, then compare."""
        self._learn_world(play)
        expected = self._predict(asked, answer)
        if isinstance(expected, Refused):
            assert (answer.status, answer.code) == (expected.status, expected.code), asked
            assert not answer.events, asked
            self.refusals[expected.code] += 1
            return
        assert (answer.status, answer.code) == (expected.status, None), (asked, answer.body)
        assert answer.kinds == sorted(expected.events), asked
        expected.check(answer.data)
        self.successes[asked.name, answer.status] += 1
        self.moves[expected.move] += 1
        self._keep(asked, answer)

    def _predict(self, asked: Asked, answer: Answered) -> Reply | Refused:
        try:
            return self._expect(asked, answer)
        except Refused as refused:
            return refused

    def key_rotated(self, play: Play, place: Place, permission: Permission, text: str) -> None:
        """The older key works for 60 days more."""
        self._learn_world(play, but=text)
        self._keys[self._newest[place, permission]].ends_at = play.arena.now + GRACE
        self._newest[place, permission] = text
        self._keys[text] = _Key(place, permission)

    def switched(self, play: Play, game: int, *, enabled: bool) -> None:
        """Gifting is on or off, in both environments."""
        self._learn_world(play)
        for place, scope in self.scopes.items():
            if place.game == game:
                scope.config = config_of(game, gifting=enabled)

    def waited(self, play: Play, happened: list[Happened]) -> None:
        """Run the sweeps of the time that has passed; they must have told the same."""
        self._learn_world(play)
        for place, scope in self.scopes.items():
            expected = sorted(self._sweep(scope, play.arena.now))
            assert sorted(event.kind for event in happened if event.place == place) == expected, place

    def _learn_world(self, play: Play, but: str = "") -> None:
        if self.scopes:
            return
        for place in play.arena.places:
            self.scopes[place] = Scope(GAMES[place.game], place.environment)
            for permission in ("client", "server"):
                text = play.arena.key(place, permission, 1 if play.arena.key(place, permission) == but else 0)
                self._keys[text] = _Key(place, permission)
                self._newest[place, permission] = text

    # -- time

    def _sweep(self, scope: Scope, now: int) -> list[str]:
        """Expire what is due up to now, earliest first; a refund without room is tried again every hour."""
        told: list[str] = []
        while True:
            due = [(self._due_at(grant_id, grant.expires_at), grant_id) for grant_id, grant in scope.grants.items()
                   if grant.status == "pending" and grant.expires_at is not None]  # fmt: skip
            if not due or min(due)[0] > now:
                return told
            at, grant_id = min(due)
            swept = expire(scope, scope.grants[grant_id])
            self._retry_at[grant_id] = at + HOUR
            self.moves[swept.move] += 1
            told += swept.events

    def _due_at(self, grant_id: str, expires_at: int | None) -> int:
        return self._retry_at.get(grant_id, expires_at or 0)

    # -- the entrance

    def _expect(self, asked: Asked, answer: Answered) -> Reply:
        key = self._keys[asked.api_key]
        surface: Permission = "client" if asked.name.startswith("sdk:") else "server"
        if key.ends_at is not None and asked.at >= key.ends_at:
            raise Refused(401, "api_key_revoked")
        if key.permission != surface:
            raise Refused(403, "wrong_permission_set")
        scope = self.scopes[key.place]
        call = Call(scope, asked.at, asked.name, asked.player, asked.arguments)
        if asked.name == "sdk:players.register":
            return _register(call)
        if asked.name == "server:ping":
            return Reply(check=lambda data: _is_ping(data, key.place.environment))
        if asked.name != "server:grants.create":
            scope.known(asked.player)
        if surface == "client":
            if asked.secret is None or asked.secret != call.me.secret:
                raise Refused(401, "player_secret_invalid")
            _note_activity(call.me, asked.at)
        _check_shape(call)
        earlier = self._earlier(key.place, asked, answer)
        if earlier is not None:
            return earlier
        return RULES[asked.name](call)

    # -- idempotency

    def _owner(self, asked: Asked) -> str:
        return asked.player if asked.name.startswith("sdk:") else "(server)"

    def _earlier(self, place: Place, asked: Asked, answer: Answered) -> Reply | None:
        """The answer that the key already has, if it has one."""
        if asked.key is None or asked.name not in KEYED:
            assert not answer.replayed
            return None
        owner, print_ = self._owner(asked), fingerprint(asked.name, asked.player, asked.arguments)
        kept = self._kept.get((place, owner, asked.key))
        fresh = kept is not None and asked.at < kept.at + DAY
        table = DURABLE.get(asked.name)
        durable = None if table is None else self._durable.get((place, owner, table, asked.key))
        known = kept.fingerprint if kept is not None and fresh else durable
        if known is None:
            assert not answer.replayed, asked
            return None
        if known != print_:
            raise Refused(409, "idempotency_conflict")
        assert answer.replayed, asked
        if kept is not None and fresh:
            assert answer.response.body == kept.raw, asked
        status = kept.status if kept is not None and fresh else max(SUCCESSES[asked.name])
        move = "replay within 24 hours" if fresh else "replay of a paying write after 24 hours"
        return Reply(200 if asked.name == "server:grants.create" else status, move=move)

    def _keep(self, asked: Asked, answer: Answered) -> None:
        if asked.key is None or asked.name not in KEYED or answer.replayed:
            return
        place, owner = self._keys[asked.api_key].place, self._owner(asked)
        print_ = fingerprint(asked.name, asked.player, asked.arguments)
        self._kept[place, owner, asked.key] = _Kept(print_, asked.at, answer.status, answer.response.body, asked.name)
        if asked.name in DURABLE:
            self._durable[place, owner, DURABLE[asked.name], asked.key] = print_


# -- shapes ---------------------------------------------------------------------------------------------------------------


def _check_shape(call: Call) -> None:
    """Faults that a schema finds (400)."""
    for name in ("amount", "quantity"):
        value: Any = call[name]
        if name in call.arguments and (isinstance(value, bool) or not isinstance(value, int)):
            raise Refused(400, "validation_failed")
        if name in call.arguments and call.name != "sdk:gifts.send" and not 1 <= value <= MOST:
            raise Refused(400, "validation_failed")
    if call["limit"] is not None and not 1 <= call["limit"] <= 200:
        raise Refused(400, "validation_failed")
    if call["name"] == "":
        raise Refused(400, "validation_failed")


# -- players --------------------------------------------------------------------------------------------------------------


def _register(call: Call) -> Reply:
    forced = bool(call["force"])
    if forced and call.scope.environment == "live":
        raise Refused(403, "test_environment_only")
    known = call.scope.players.get(call.player)
    if known is not None and known.secret is not None and not forced:
        raise Refused(409, "player_already_registered")
    replaced = known is not None and known.secret is not None
    player = known or Player(call.player, call.now)
    events = ["player.secret_rotated" if replaced else "player.secret_set"]
    if known is None:
        call.scope.players[call.player] = player
        events.append("player.registered")
    _note_activity(player, call.now)

    def learn(data: Body) -> None:
        assert data["playerSecret"] != player.secret
        player.secret = data["playerSecret"]
        assert data["player"]["externalPlayerId"] == call.player
        assert data["syntheticIdentity"] == data["anonymizedIdentity"]

    return Reply(200 if replaced else 201, tuple(events), learn)


def _note_activity(player: Player, now: int) -> None:
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
    call.me.display = call["name"]

    def check(data: Body) -> None:
        assert data["displayIdentity"]["name"] == call["name"]

    return Reply(check=check)


def _profile(call: Call) -> Reply:
    me = call.me

    def check(data: Body) -> None:
        assert data["externalPlayerId"] == call.player
        assert data["sessions"] == me.sessions
        assert data["loginStreak"] == {"current": me.streak_on(call.now), "best": me.best_streak}
        assert me.display in {None, data["displayIdentity"]["name"]}

    return Reply(check=check)


def _is_ping(data: Body, environment: str) -> None:
    assert (data["ok"], data["environment"]) == (True, environment)


RULES: Final[dict[str, Callable[[Call], Reply]]] = {
    **FRIENDS,
    **VALUE,
    **GIFTS,
    "server:players.rotateSecret": _rotate_secret,
    "sdk:presence.heartbeat": _heartbeat,
    "sdk:players.setIdentity": _set_identity,
    "server:players.setIdentity": _set_identity,
    "sdk:players.getProfile": _profile,
}
"""How every operation behaves, the register and the ping aside."""
