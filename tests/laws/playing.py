"""Plays a sequence in an arena: turns steps into requests, keeps what the answers taught, and tells whoever watches.

A *witness* sees every answer right after it was given; a law is a witness that raises `AssertionError`. When one does, the
failure carries a script that plays the same steps again.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final, Protocol

import attrs

from livecore.api.requests.http import Request, Response
from livecore.kernel.time import wire_time
from livecore.kernel.units.unit import Event
from tests.laws.areas import AREAS
from tests.laws.arena import Arena, Happened, Permission
from tests.laws.games import Place
from tests.laws.routes import Body, method_of, request_of
from tests.laws.steps import Again, Call, RotateKey, Step, Switch, Wait

_UNKNOWN: Final = "ZZZZZZ"
"""Stands for an id or a code of which none was met yet."""


@attrs.frozen
class Asked:
    """A call as it was sent: everything symbolic is resolved."""

    number: int
    at: int
    place: Place
    name: str
    player: str
    arguments: Body
    key: str | None
    secret: str | None
    api_key: str
    request: Request


@attrs.frozen
class Answered:
    """What came back."""

    response: Response
    events: Sequence[Event]

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.response.status

    @property
    def body(self) -> Body:
        """The JSON of the body."""
        body: Body = json.loads(self.response.body)
        return body

    @property
    def data(self) -> Body:
        """What a success carries; of one that has no result yet, the details."""
        body = self.body
        data: Body = body["data"] if "data" in body else body["error"].get("details", {})
        return data

    @property
    def code(self) -> str | None:
        """The code of a refusal."""
        error = self.body.get("error")
        return None if error is None else str(error["code"])

    @property
    def kinds(self) -> list[str]:
        """The kinds of the emitted events, sorted."""
        return sorted(event.kind for event in self.events)

    @property
    def replayed(self) -> bool:
        """Whether the answer says that it is a replay."""
        return self.response.header("Idempotent-Replay") == "true"


class Witness:
    """Sees a sequence being played; the methods do nothing until a law overrides them."""

    def answered(self, play: Play, asked: Asked, answer: Answered) -> None:
        """A request was answered."""

    def waited(self, play: Play, happened: list[Happened]) -> None:
        """Time has passed, and this is what came due."""

    def key_rotated(self, play: Play, place: Place, permission: Permission, text: str) -> None:
        """An API key has a successor."""

    def switched(self, play: Play, game: int, *, enabled: bool) -> None:
        """A game's gifting was switched on or off."""

    def ended(self, play: Play) -> None:
        """The sequence is over."""


class Answers(Protocol):
    """Whatever answers requests: the arena itself, or a way to it over a wire."""

    def perform(self, request: Request) -> tuple[Response, Sequence[Event]]:
        """Answer a request."""


@attrs.define
class _Book:
    """What the answers of one place taught."""

    secrets: dict[str, list[str]] = attrs.field(factory=lambda: defaultdict(list))
    seen: dict[str, list[str]] = attrs.field(factory=lambda: defaultdict(list))
    """Ids by kind, in the words of the areas."""

    def learn(self, asked: Asked, data: Body) -> None:
        """Take ids and secrets from an answer."""
        if "playerSecret" in data:
            self.secrets[asked.player].append(data["playerSecret"])
        for area in AREAS.values():
            for kind, id_ in area.ids(asked.player, data):
                if id_ not in self.seen[kind]:
                    self.seen[kind].append(id_)


class Play:
    """One sequence under way."""

    def __init__(self, arena: Arena, witnesses: Iterable[Witness] = (), *, through: Answers | None = None) -> None:
        self.arena = arena
        self.through: Answers = through or arena
        self.witnesses = list(witnesses)
        self.journal: list[tuple[Asked, Answered]] = []
        """Every request with its answer."""
        self.track: list[Asked | Wait | RotateKey | Switch] = []
        """Everything that was done, in its order."""
        self.books: dict[Place, _Book] = {place: _Book() for place in arena.places}
        self.taken = 0
        """How many steps have been begun."""
        self._keyed: list[Asked] = []

    def run(self, steps: Iterable[Step]) -> None:
        """Play the steps and the end."""
        for step in steps:
            self.taken += 1
            self.step(step)
        for witness in self.witnesses:
            witness.ended(self)

    def step(self, step: Step) -> None:
        """Play one step."""
        if isinstance(step, Wait | RotateKey | Switch):
            self.track.append(step)
        if isinstance(step, Call):
            self.send(self._asked(step))
        elif isinstance(step, Again):
            if self._keyed:
                self.send(attrs.evolve(self._keyed[-1 - step.back % len(self._keyed)], at=self.arena.now))
        elif isinstance(step, Wait):
            happened = self.arena.advance(step.milliseconds)
            for witness in self.witnesses:
                witness.waited(self, happened)
        elif isinstance(step, RotateKey):
            text = self.arena.rotate_key(step.place, step.permission)
            for witness in self.witnesses:
                witness.key_rotated(self, step.place, step.permission, text)
        else:
            self._switch(step)

    def _switch(self, step: Switch) -> None:
        self.arena.switch_gifting(step.game, enabled=step.enabled)
        for witness in self.witnesses:
            witness.switched(self, step.game, enabled=step.enabled)

    def send(self, asked: Asked) -> Answered:
        """Send a request, remember it and tell the witnesses."""
        self.arena.number += 1
        asked = attrs.evolve(asked, number=self.arena.number, at=self.arena.now)
        answer = Answered(*self.through.perform(asked.request))
        self.journal.append((asked, answer))
        self.track.append(asked)
        if asked.key is not None:
            self._keyed.append(asked)
        if answer.status < 300:
            self.books[asked.place].learn(asked, answer.data)
        for witness in self.witnesses:
            witness.answered(self, asked, answer)
        return answer

    def probe(self, asked: Asked) -> Answered:
        """Send a request beside the sequence: nobody is told, and later steps cannot refer to it."""
        self.arena.number += 1
        return Answered(*self.through.perform(asked.request))

    # -- resolving

    def _asked(self, call: Call) -> Asked:
        arguments = {name: self._resolved(call.place, value) for name, value in call.arguments.items()}
        return self.asked(call, arguments, self._secret(call))

    def asked(self, call: Call, arguments: Body, secret: str | None) -> Asked:
        """The request of a call whose arguments and secret are known."""
        if call.name.startswith("admin:"):
            return self._asked_by_operator(call, arguments)
        api_key = self._api_key(call)
        headers = {"authorization": f"Bearer {api_key}"}
        if secret is not None and call.name.startswith("sdk:"):
            headers["x-player-secret"] = secret
        sent = arguments if call.key is None else {**arguments, "idempotencyKey": call.key}
        if call.key is not None and method_of(call.name) == "DELETE":
            sent, headers = arguments, {**headers, "idempotency-key": call.key}
        request = request_of(call.name, call.player, sent, headers)
        # Where it lands is the key's business, not the caller's.
        place = _elsewhere(call.place) if call.api_key == "of the other environment" else call.place
        return Asked(0, self.arena.now, place, call.name, call.player, arguments, call.key, secret, api_key, request)

    def _asked_by_operator(self, call: Call, arguments: Body) -> Asked:
        """The place is named by path and query, and the caller by a personal key."""
        game, token = self.arena.games[call.place.game], self.arena.operator(call.place.game)
        path = {"studioId": game.studio_id, "gameId": game.game_id}
        headers = {"authorization": f"Bearer {token}"}
        request = request_of(call.name, call.player, {**arguments, **path}, headers, call.place.environment)
        return Asked(0, self.arena.now, call.place, call.name, call.player, arguments, None, None, token, request)

    def _secret(self, call: Call) -> str | None:
        known = self.books[call.place].secrets
        own = known[call.player]
        if call.secret == "another's":
            return next((secrets[-1] for name, secrets in known.items() if name != call.player and secrets), None)
        if call.secret == "none" or not own:
            return None
        return own[0] if call.secret == "stale" else own[-1]

    def _api_key(self, call: Call) -> str:
        permission: Permission = "client" if call.name.startswith("sdk:") else "server"
        if call.api_key == "of the other surface":
            permission = "server" if permission == "client" else "client"
        place = call.place
        if call.api_key == "of the other environment":
            place = _elsewhere(place)
        return self.arena.key(place, permission, 1 if call.api_key == "older" else 0)

    def _resolved(self, place: Place, value: Any) -> Any:  # noqa: ANN401 - JSON
        if isinstance(value, list):
            return [self._resolved(place, part) for part in value]
        if isinstance(value, dict):
            return {name: self._resolved(place, part) for name, part in value.items()}
        if not isinstance(value, str) or not value.startswith("@"):
            return value
        kind, _, number = value[1:].rpartition(":")
        if kind == "in":
            return wire_time(self.arena.now + int(number))
        if kind.startswith("foreign-"):
            elsewhere = [book for other, book in self.books.items() if other != place]
            known = [id_ for book in elsewhere for id_ in book.seen[kind.removeprefix("foreign-")]]
        else:
            known = self.books[place].seen[kind]
        return known[int(number) % len(known)] if known else _UNKNOWN


def _elsewhere(place: Place) -> Place:
    return Place(place.game, "live" if place.environment == "test" else "test")


# -- telling how to do it again -------------------------------------------------------------------------------------------


@attrs.frozen
class Counterexample:
    """A sequence before which laws have failed; `tests.laws.counterexamples` makes a script of it."""

    steps: tuple[Step, ...]
    laws: tuple[type[Witness], ...]


def play(
    steps: Sequence[Step],
    *witnesses: Witness,
    arena: Arena | None = None,
    through: Answers | None = None,
    note: str = "",
) -> Play:
    """Play steps before witnesses; a failure carries `note` and the script that repeats it."""
    run = Play(arena or Arena(), witnesses, through=through)
    try:
        run.run(steps)
    except BaseException as failure:
        failure.add_note("\n".join(filter(None, (note, script(steps[: run.taken], witnesses)))))
        laws = tuple(type(witness) for witness in witnesses)
        vars(failure)["counterexample"] = Counterexample(tuple(steps[: run.taken]), laws)
        raise
    return run


def script(steps: Sequence[Step], witnesses: Sequence[Witness]) -> str:
    """A program that plays the steps before the same witnesses."""
    laws = [type(witness) for witness in witnesses]
    lines = ["# To play this again:", "from tests.laws.games import Place", "from tests.laws.playing import play"]
    lines += ["from tests.laws.steps import Again, Call, RotateKey, Switch, Wait"]
    lines += [f"from {law.__module__} import {law.__name__}" for law in laws]
    lines += ["play(", "    ["]
    lines += [f"        {step!r}," for step in steps]
    lines += ["    ],", *(f"    {law.__name__}()," for law in laws), ")"]
    return "\n".join(lines)
