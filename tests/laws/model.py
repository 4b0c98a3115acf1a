"""The model: an independent account of the service, written from the specification and the contract and not from the code.

`Model` is a witness. Before it looks at an answer it says what the answer must be: the status, the code of a refusal, the
kinds of the events, and of a success every fact that the laws speak of. The entrance (keys, secrets, bans), the shapes of
requests and time are in this file, what is kept of answers in `model_answers`, and the state machines in `areas`.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import attrs

from tests.laws.area import Operation
from tests.laws.areas import AREAS, OPERATIONS
from tests.laws.arena import Happened, Permission
from tests.laws.games import GAMES, Place, config_of
from tests.laws.model_answers import ANYBODY, Kept, fingerprint, names_in
from tests.laws.model_state import DAY, MOST, Call, Player, Refused, Reply, Scope
from tests.laws.operating import OPERATED
from tests.laws.playing import Answered, Asked, Play, Witness
from tests.laws.routes import KEYED, SUCCESSES, method_of

_PREDICTED: Final = {**OPERATIONS, **OPERATED}
GRACE: Final = 60 * DAY
_NOT_YET: Final = 202
REFUSALS: Final = (
    "api_key_revoked",
    "idempotency_conflict",
    "player_banned",
    "player_not_found",
    "player_secret_invalid",
    "validation_failed",
    "wrong_permission_set",
)
"""The codes of the entrance, which are common to all operations."""
_SOON: Final = "replay within 24 hours"
_LATE: Final = "replay of a paying write after 24 hours"
REPLAYS: Final = (_SOON, _LATE)
"""What else than the transitions of an area can happen to a write."""


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
        assert (answer.status, answer.code) == (expected.status, expected.code), (asked, answer.body)
        assert answer.kinds == sorted(expected.events), asked
        assert answer.replayed is expected.replayed, asked
        about = self._about(asked)
        expected.check(answer.data)
        if expected.code is None:
            self.successes[asked.name, answer.status] += 1
        else:
            self.refusals[expected.code] += 1
            self.refused[asked.name, expected.code] += 1
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
        games: dict[int, dict[str, str]] = {}
        for place in play.arena.places:
            self.scopes[place] = Scope(GAMES[place.game], place.environment, games.setdefault(place.game, {}))
            for permission in ("client", "server"):
                text = play.arena.key(place, permission, 1 if play.arena.key(place, permission) == but else 0)
                self._keys[text] = _Key(place, permission)
                self._newest[place, permission] = text

    # -- time

    def _sweep(self, scope: Scope, now: int) -> list[str]:
        """Expire what is due up to now, earliest first; a refund without room is tried again every hour."""
        told: list[str] = []
        while True:
            coming = [due for area in AREAS.values() for due in area.due(scope)]
            if min((at for at, _, _ in coming), default=now + 1) > now:
                return told
            _, _, run = min(coming, key=lambda due: due[:2])
            ended = run()
            self.moves[ended.move] += 1
            told += ended.events

    # -- the entrance

    def _expect(self, asked: Asked, answer: Answered) -> Reply:
        surface: Permission = "client" if asked.name.startswith("sdk:") else "server"
        if asked.name not in OPERATED:
            key = self._keys[asked.api_key]
            if key.ends_at is not None and asked.at >= key.ends_at:
                raise Refused(401, "api_key_revoked")
            if key.permission != surface:
                raise Refused(403, "wrong_permission_set")
        scope, operation = self._scope(asked), _PREDICTED[asked.name]
        call = Call(scope, asked.at, asked.name, asked.player, asked.arguments, asked.key, asked.secret)
        if asked.name in OPERATED:
            # To operators a player is an object like any other, and the form of a request is checked before all objects.
            _check_shape(operation, call)
        if operation.about == "a player":
            scope.known(asked.player)
        if surface == "client" and (operation.shows_secret or (operation.recognises and asked.secret is not None)):
            _admit(call, asked.secret)
        _check_shape(operation, call)
        earlier = self._earlier(operation, call, asked, answer)
        return operation.rule(call) if earlier is None else earlier

    def _scope(self, asked: Asked) -> Scope:
        """Where a request lands: what an API key is for, or what an operator has named."""
        return self.scopes[asked.place if asked.name in OPERATED else self._keys[asked.api_key].place]

    # -- idempotency

    def _about(self, asked: Asked) -> Player | None:
        """The player whom the path names, or named where one who is gone counts."""
        scope = self._scope(asked)
        also_gone = _PREDICTED[asked.name].about == "a player, also a former one"
        former = scope.former.get(asked.player) if also_gone else None
        return scope.players.get(asked.player) or (former.player if former is not None else None)

    def _owner(self, asked: Asked) -> Player | None:
        """Whose idempotency key it is: the player's, or, on the server surface, the studio's."""
        return self._about(asked) if asked.name.startswith("sdk:") else None

    def _earlier(self, operation: Operation, call: Call, asked: Asked, answer: Answered) -> Reply | None:
        """The answer that the key already has, if it has one."""
        if asked.key is None or asked.name not in KEYED:
            return None
        owner, print_ = self._owner(asked), fingerprint(asked.name, asked.player, asked.arguments)
        answers = call.scope.answers
        kept = answers.kept.get((owner, asked.key))
        fresh = kept is not None and asked.at < kept.at + DAY
        durable = answers.durable.get((owner, operation.key_kept_by or "", asked.key))
        known = kept if kept is not None and fresh else durable
        if known is None:
            return None
        if not fresh:
            operation.guards(call)
        if known.fingerprint != print_:
            raise Refused(409, "idempotency_conflict")
        if kept is not None and fresh:
            assert answer.response.body == kept.raw, asked
        status = kept.status if kept is not None and fresh else max(SUCCESSES[asked.name])
        move = _SOON if fresh else _LATE
        return Reply(
            operation.replayed_as or status, move=move, replayed=True, code=answer.code if status == _NOT_YET else None
        )

    def _keep(self, asked: Asked, answer: Answered, about: Player | None) -> None:
        if asked.key is None or asked.name not in KEYED or answer.replayed:
            return
        answers = self.scopes[self._keys[asked.api_key].place].answers
        owner, print_ = self._owner(asked), fingerprint(asked.name, asked.player, asked.arguments)
        named = {*names_in(asked.arguments), *names_in(answer.data)} - {asked.player}
        operation = OPERATIONS[asked.name]
        # What brings rows may name anybody; other requests about nobody name nobody.
        shows = {ANYBODY} if operation.about == "nobody" and "rows" in asked.arguments else named
        about = about or self._about(asked)
        answers.kept[owner, asked.key] = Kept(print_, asked.at, answer.status, answer.response.body, about, shows)
        if operation.key_kept_by is not None:
            answers.pays(owner, operation.key_kept_by, asked.key, print_, {asked.player, *named})


def _admit(call: Call, secret: str | None) -> None:
    """Secret first, then the ban, which leaves nothing but reading."""
    if secret is None or secret != call.me.secret:
        raise Refused(401, "player_secret_invalid")
    for area in AREAS.values():
        area.on_admitted(call)
    if call.me.ban is not None and method_of(call.name) != "GET":
        raise Refused(403, "player_banned")


# -- shapes ---------------------------------------------------------------------------------------------------------------


def _check_shape(operation: Operation, call: Call) -> None:
    """Faults that a schema finds (400)."""
    for name in ("amount", "quantity"):
        value: Any = call[name]
        if name in call.arguments and (isinstance(value, bool) or not isinstance(value, int)):
            raise Refused(400, "validation_failed")
        if name in call.arguments and not operation.judges_amount and not 1 <= value <= MOST:
            raise Refused(400, "validation_failed")
    if call["limit"] is not None and not 1 <= call["limit"] <= 200:
        raise Refused(400, "validation_failed")
    if operation.faults is not None and operation.faults(call):
        raise Refused(400, "validation_failed")
