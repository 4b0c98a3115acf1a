"""The model: an independent account of the service, written from the specification and the contract and not from the code.

`Model` is a witness. Before it looks at an answer it says what the answer must be: the status, the code of a refusal, the
kinds of the events, and of a success every fact that the laws speak of. The entrance (keys, secrets, bans), the shapes of
requests and time are in this file, what is kept of answers in `model_answers`, and the state machines in the other files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, Final

import attrs

from tests.laws.arena import Happened, Permission
from tests.laws.games import GAMES, Place, config_of
from tests.laws.model_answers import ANYBODY, DURABLE, Kept, fingerprint, names_in
from tests.laws.model_commerce import COMMERCE
from tests.laws.model_friends import FRIENDS
from tests.laws.model_gifts import GIFTS
from tests.laws.model_migration import MIGRATION
from tests.laws.model_players import PLAYERS, note_activity, register
from tests.laws.model_state import DAY, MOST, Call, Grant, Player, Refused, Reply, Scope
from tests.laws.model_tools import TOOLS
from tests.laws.model_value import VALUE, expire
from tests.laws.playing import Answered, Asked, Play, Witness
from tests.laws.routes import KEYED, SUCCESSES, Body, method_of

__all__ = ["Model"]

GRACE: Final = 60 * DAY
_ABOUT_NOBODY: Final = {
    "server:ping",
    "server:spend.listPlayers",
    "server:spend.summary",
    "server:migrate.players",
    "server:migrate.wallet",
    "server:migrate.inventory",
}
"""Operations whose path names no player."""
_ABOUT_ANYBODY: Final = {"server:grants.create", "server:players.merge", "server:players.erase"}
"""Operations on a player who need not be there."""


@attrs.define
class _Key:
    place: Place
    permission: Permission
    ends_at: int | None = None


class Model(Witness):
    """Predicts every answer, and raises `AssertionError` where the service differs."""

    def __init__(self) -> None:
        self.scopes: dict[Place, Scope] = {}
        self.successes: Counter[tuple[str, int]] = Counter()
        self.refusals: Counter[str] = Counter()
        self.refused: Counter[tuple[str, str]] = Counter()
        """Refusals by operation and code."""
        self.moves: Counter[str] = Counter()
        """How often each transition of the specification's section 3 was made, and each kind of replay."""
        self._keys: dict[str, _Key] = {}
        self._newest: dict[tuple[Place, Permission], str] = {}

    # -- told by the play

    def answered(self, play: Play, asked: Asked, answer: Answered) -> None:
        """Predict, then compare."""
        self._learn_world(play)
        expected = self._predict(asked, answer)
        if isinstance(expected, Refused):
            assert (answer.status, answer.code) == (expected.status, expected.code), asked
            assert not answer.events, asked
            self.refusals[expected.code] += 1
            self.refused[asked.name, expected.code] += 1
            return
        assert (answer.status, answer.code) == (expected.status, None), (asked, answer.body)
        assert answer.kinds == sorted(expected.events), asked
        assert answer.replayed is expected.replayed, asked
        about = self._about(asked)
        expected.check(answer.data)
        self.successes[asked.name, answer.status] += 1
        self.moves.update(expected.move.split("; "))
        self._keep(asked, answer, about)

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
            due = [(_due_at(grant), id_) for id_, grant in scope.grants.items()
                   if grant.status == "pending" and grant.expires_at is not None]  # fmt: skip
            if not due or min(due)[0] > now:
                return told
            at, grant_id = min(due)
            swept = expire(scope, scope.grants[grant_id], at)
            self.moves[swept.move] += 1
            told += swept.events

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
            return register(call, asked.key)
        if asked.name == "server:ping":
            return Reply(check=lambda data: _is_ping(data, key.place.environment))
        if asked.name not in _ABOUT_NOBODY | _ABOUT_ANYBODY:
            scope.known(asked.player)
        if surface == "client":
            _admit(call, asked.secret)
        _check_shape(call)
        earlier = self._earlier(scope, asked, answer)
        return RULES[asked.name](call) if earlier is None else earlier

    # -- idempotency

    def _about(self, asked: Asked) -> Player | None:
        """The player whom the path names, of a merge whoever that was."""
        scope = self.scopes[self._keys[asked.api_key].place]
        former = scope.former.get(asked.player) if asked.name == "server:players.merge" else None
        return scope.players.get(asked.player) or (former.player if former is not None else None)

    def _owner(self, asked: Asked) -> Player | None:
        """Whose idempotency key it is: the player's, or, on the server surface, the studio's."""
        return self._about(asked) if asked.name.startswith("sdk:") else None

    def _earlier(self, scope: Scope, asked: Asked, answer: Answered) -> Reply | None:
        """The answer that the key already has, if it has one."""
        if asked.key is None or asked.name not in KEYED:
            return None
        owner, print_ = self._owner(asked), fingerprint(asked.name, asked.player, asked.arguments)
        kept = scope.answers.kept.get((owner, asked.key))
        fresh = kept is not None and asked.at < kept.at + DAY
        durable = scope.answers.durable.get((owner, DURABLE.get(asked.name, ""), asked.key))
        known = kept if kept is not None and fresh else durable
        if known is None:
            return None
        if known.fingerprint != print_:
            raise Refused(409, "idempotency_conflict")
        if kept is not None and fresh:
            assert answer.response.body == kept.raw, asked
        status = kept.status if kept is not None and fresh else max(SUCCESSES[asked.name])
        move = "replay within 24 hours" if fresh else "replay of a paying write after 24 hours"
        return Reply(200 if asked.name == "server:grants.create" else status, move=move, replayed=True)

    def _keep(self, asked: Asked, answer: Answered, about: Player | None) -> None:
        if asked.key is None or asked.name not in KEYED or answer.replayed:
            return
        answers = self.scopes[self._keys[asked.api_key].place].answers
        owner, print_ = self._owner(asked), fingerprint(asked.name, asked.player, asked.arguments)
        named = {*names_in(asked.arguments), *names_in(answer.data)} - {asked.player}
        shows = {ANYBODY} if asked.name in _ABOUT_NOBODY else named
        about = about or self._about(asked)
        answers.kept[owner, asked.key] = Kept(print_, asked.at, answer.status, answer.response.body, about, shows)
        if asked.name in DURABLE:
            answers.pays(owner, DURABLE[asked.name], asked.key, print_, {asked.player, *named})


def _due_at(grant: Grant) -> int:
    return grant.expires_at or 0 if grant.retry_at is None else grant.retry_at


def _admit(call: Call, secret: str | None) -> None:
    """Secret first, then the ban, which leaves nothing but reading."""
    if secret is None or secret != call.me.secret:
        raise Refused(401, "player_secret_invalid")
    note_activity(call.me, call.now)
    if call.me.ban is not None and method_of(call.name) != "GET":
        raise Refused(403, "player_banned")


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
    if any(is_fault(call) for is_fault in _FAULTS.get(call.name, ())):
        raise Refused(400, "validation_failed")


def _has_no_name(call: Call) -> bool:
    return bool(call["name"] == "")


def _is_no_purchase(call: Call) -> bool:
    return bool(not 0 <= call["amountMinor"] <= MOST or not call["currency"].isupper())


_FAULTS: Final[dict[str, tuple[Callable[[Call], bool], ...]]] = {
    "sdk:players.setIdentity": (_has_no_name,),
    "server:players.setIdentity": (_has_no_name,),
    "server:players.ban": (lambda call: not call["reason"],),
    "server:players.erase": (lambda call: call["reason"] not in {None, "gdpr_erasure", "studio_request", "test"},),
    "server:players.export": (lambda call: call["cursor"] is not None and call["list"] is None,),
    "sdk:purchases.track": (_is_no_purchase,),
    "server:purchases.track": (_is_no_purchase,),
    "server:spend.get": (lambda call: any(days < 1 for days in call["windows"] or []),),
    "server:spend.listPlayers": (lambda call: (call["offset"] or 0) < 0,),
    "server:migrate.players": (lambda call: not call["rows"],),
    "server:migrate.wallet": (lambda call: not call["rows"],),
    "server:migrate.inventory": (lambda call: not call["rows"],),
}
"""What else a schema finds wrong, by operation."""


def _is_ping(data: Body, environment: str) -> None:
    assert (data["ok"], data["environment"]) == (True, environment)


RULES: Final[dict[str, Callable[[Call], Reply]]] = {
    **PLAYERS,
    **FRIENDS,
    **VALUE,
    **GIFTS,
    **TOOLS,
    **COMMERCE,
    **MIGRATION,
}
"""How every operation behaves, the register and the ping aside."""
