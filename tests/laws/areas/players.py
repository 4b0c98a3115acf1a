"""Players: registering, secrets, sessions, presence and identity (specification 2.3 and 3.8)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

import attrs

from tests.laws.area import Area, Operation, plainly
from tests.laws.areas.privacy import choices, hides_country, presence_shown
from tests.laws.drawing import Draw
from tests.laws.model_state import DAY, HOUR, Call, Player, Refused, Reply, Scope, day_of, stamp
from tests.laws.routes import Body
from tests.laws.steps import Step

_LEAST_KEY: Final = 22
_ONLINE_MS: Final = 90_000


# -- state ----------------------------------------------------------------------------------------------------------------


@attrs.define
class Profile:
    """How a player is shown: name, presence, sessions."""

    name: str | None = None
    beat_at: int | None = None
    label: str | None = None
    sessions: int = 0
    streak: int = 0
    best_streak: int = 0
    streak_day: int = -1
    country: str | None = None
    """The studio's override."""
    stated: str | None = None
    """The country that the player's client has stated, which holds without an override; no other is known here."""

    def streak_on(self, at: int) -> int:
        """The login streak, which a whole day without a session ends."""
        return self.streak if day_of(at) <= self.streak_day + 1 else 0

    def is_shown(self, at: int, row: Body) -> None:
        """A row shows sessions, streak and name, where the player has one of their own."""
        assert row["sessions"] == self.sessions
        assert row["loginStreak"] == {"current": self.streak_on(at), "best": self.best_streak}
        assert self.name in {None, row["displayIdentity"]["name"]}


@attrs.frozen
class _Given:
    """A secret that was given under a key: to which request, when, and with which status."""

    fingerprint: str
    at: int
    status: int
    secret: str


@attrs.define
class _Registrations:
    given: dict[tuple[Player, str], _Given] = attrs.field(factory=dict)
    """What registering a player under a key gave."""


# -- registering ----------------------------------------------------------------------------------------------------------


def _register(call: Call) -> Reply:
    """First contact or another secret; a ban is told before that somebody is registered already.

    Under a key that cannot be guessed the same request gives the same secret for a day, as long as it is the player's.
    """
    forced = bool(call["force"])
    if forced and call.scope.environment == "live":
        raise Refused(403, "test_environment_only")
    known = call.scope.players.get(call.player)
    if known is not None and known.ban is not None:
        raise Refused(403, "player_banned")
    by_backend = call.scope.config.get("registration", {}).get("knownPlayers") == "backend"
    if known is not None and known.secret is None and by_backend:
        raise Refused(403, "registration_by_backend")
    key = call.key if call.key is not None and len(call.key) >= _LEAST_KEY else None
    print_ = json.dumps([forced, call["playerContext"]], sort_keys=True)
    registrations = call.scope.part(_Registrations).given
    given = None if known is None or key is None else registrations.get((known, key))
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
    _note_activity(player, call.now)
    profile = player.part(Profile)
    profile.stated = (call["playerContext"] or {}).get("country", profile.stated)

    def learn(data: Body) -> None:
        assert data["country"] == (profile.country or profile.stated)
        assert data["playerSecret"] != player.secret
        player.secret = data["playerSecret"]
        if key is not None:
            registrations[player, key] = _Given(print_, call.now, 200 if replaced else 201, data["playerSecret"])
        player.player_id = data["player"]["playerId"]
        assert data["player"]["externalPlayerId"] == call.player
        assert data["syntheticIdentity"] == data["anonymizedIdentity"]

    return Reply(200 if replaced else 201, tuple(events), learn)


def _given_again(call: Call, player: Player, given: _Given, print_: str) -> Reply:
    if given.fingerprint != print_:
        raise Refused(409, "idempotency_conflict")
    if given.secret != player.secret:
        raise Refused(409, "player_already_registered")
    _note_activity(player, call.now)

    def check(data: Body) -> None:
        assert data["playerSecret"] == given.secret

    return Reply(given.status, (), check, "registration: told again", replayed=True)


def _rotate_secret(call: Call) -> Reply:
    me = call.me
    event = "player.secret_set" if me.secret is None else "player.secret_rotated"

    def learn(data: Body) -> None:
        assert data["playerSecret"] != me.secret
        me.secret = data["playerSecret"]

    return Reply(200, (event,), learn)


# -- activity and presence ------------------------------------------------------------------------------------------------


def _note_activity(player: Player, now: int) -> None:
    """A session opens at the first launch and after half an hour of silence, and counts for each day that it is on."""
    profile = player.part(Profile)
    if profile.sessions == 0 or now - player.last_seen >= HOUR // 2:
        profile.sessions += 1
    # A session that runs over midnight is one on both days.
    today = day_of(now)
    if profile.streak_day != today:
        profile.streak = profile.streak + 1 if profile.streak_day == today - 1 else 1
    profile.streak_day = today
    profile.best_streak = max(profile.best_streak, profile.streak)
    player.last_seen = now


def _heartbeat(call: Call) -> Reply:
    profile = call.me.part(Profile)
    profile.beat_at = call.now
    if "status" in call.arguments:
        profile.label = call["status"]
    label = profile.label

    def check(data: Body) -> None:
        assert (data["online"], data["status"]) == (True, label)

    return Reply(check=check)


def is_shown_present(call: Call, row: Body, other: Player) -> None:
    """A row shows another player's presence, as far as the viewer may see it."""
    profile, shown = other.part(Profile), presence_shown(call, other)
    online = shown != "nothing" and profile.beat_at is not None and call.now - profile.beat_at <= _ONLINE_MS
    assert row["online"] is online
    last_beat_shown(call, row, other)
    assert row["status"] == (profile.label if online and shown == "all" else None)
    is_shown_as(call, row["displayIdentity"], other)


def last_beat_shown(call: Call, row: Body, other: Player) -> None:
    """A row shows when another player was last there, as far as the viewer may see it."""
    beat_at = None if presence_shown(call, other) == "nothing" else other.part(Profile).beat_at
    assert (None if row["lastActiveAt"] is None else stamp(row["lastActiveAt"])) == beat_at


def is_shown_as(call: Call, identity: Body, other: Player) -> None:
    """An identity shows another player's country only to who may see it."""
    profile = other.part(Profile)
    assert identity["country"] == (None if hides_country(call, other) else profile.country or profile.stated)


# -- identity -------------------------------------------------------------------------------------------------------------


def _set_identity(call: Call) -> Reply:
    """The studio may leave the name out, which stays then, and take it away: then the pool's is shown, as before."""
    profile = call.me.part(Profile)
    if "name" in call.arguments:
        profile.name = call["name"]
    if "country" in call.arguments:
        profile.country = call["country"]
    name = profile.name

    def check(data: Body) -> None:
        assert name in {None, data["displayIdentity"]["name"]}

    return Reply(check=check)


def _has_no_name(call: Call) -> bool:
    return bool(call["name"] == "")


def _get_profile(call: Call) -> Reply:
    profile = call.me.part(Profile)

    def check(data: Body) -> None:
        assert data["externalPlayerId"] == call.player
        profile.is_shown(call.now, data)

    return Reply(check=check)


# -- scenes ---------------------------------------------------------------------------------------------------------------


def _start(d: Draw) -> Iterator[Step]:
    player = d.one()
    force: dict[str, Any] = {"force": True} if d.one_in(2) else {}
    yield d.call("sdk:players.register", player, **force)
    yield d.call("sdk:friends.getCode", player)


def come_back(d: Draw, player: str) -> Iterator[Step]:
    """Whoever is gone mostly registers anew, as somebody else."""
    if d.one_in(5):
        yield d.call("sdk:friends.list", player)
        return
    for _ in range(2):
        yield d.call("sdk:players.register", player, key=f"the first start of {player}")
    yield d.call("sdk:friends.getCode", player)


def _secret(d: Draw) -> Iterator[Step]:
    player = d.one()
    yield d.call("server:players.rotateSecret", player)
    yield attrs.evolve(d.call("sdk:wallet.get", player), secret=d.of("own", "stale"))


def _identity(d: Draw) -> Iterator[Step]:
    name = {"name": d.of("Ann Lee", "Lee Bo", "Cat Leeds", "Dana")}
    yield d.call(d.of("sdk:players.setIdentity", "server:players.setIdentity"), d.one(), key=d.key(), **name)
    if d.one_in(2):
        change = d.of({"name": None}, {"avatar": "fox"}, {"country": "NO"}, {"avatar": None, "country": None}, {})
        yield d.call("server:players.setIdentity", d.one(), key=d.key(), **change)
    yield from choices(d)


def _beat(d: Draw) -> Iterator[Step]:
    status = d.of({}, {"status": "In the lobby"}, {"status": None})
    yield d.call("sdk:presence.heartbeat", d.one(), **status)
    yield from choices(d)


def _ill_formed(d: Draw) -> list[Step]:
    return [d.call("sdk:players.setIdentity", d.one(), name="")]


# -- the area -------------------------------------------------------------------------------------------------------------


def _on_merge(_scope: Scope, source: Player, target: Player, now: int) -> list[str]:
    """The better streak, all sessions, the later sign of life."""
    old, new = source.part(Profile), target.part(Profile)
    new.streak = max(old.streak_on(now), new.streak_on(now))
    new.streak_day = max(old.streak_day, new.streak_day)
    new.best_streak = max(old.best_streak, new.best_streak)
    new.sessions += old.sessions
    if (old.beat_at or 0) > (new.beat_at or 0):
        new.beat_at, new.label = old.beat_at, old.label
    new.country, new.stated = new.country or old.country, new.stated or old.stated
    return []


AREA: Final = Area(
    operations=(
        Operation(
            "sdk:players.register",
            _register,
            about="anybody",
            shows_secret=False,
            refuses="player_already_registered test_environment_only registration_by_backend",
        ),
        Operation("server:players.rotateSecret", _rotate_secret),
        Operation("sdk:presence.heartbeat", _heartbeat),
        Operation("sdk:players.setIdentity", _set_identity, faults=_has_no_name, refuses="validation_failed"),
        Operation("server:players.setIdentity", _set_identity, faults=_has_no_name),
        Operation("sdk:players.getProfile", _get_profile, read_with=plainly),
    ),
    transitions=("registration: told again",),
    on_admitted=lambda call: _note_activity(call.me, call.now),
    on_merge=_on_merge,
    scenes=((3, _start), (2, _identity), (2, _beat), (1, _secret)),
    ill_formed=_ill_formed,
)
