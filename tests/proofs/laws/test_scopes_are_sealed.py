"""The law: nothing that happens in one game and environment can be told in another.

Three ways to look: the requests of one place, played alone under the same numbers, get the same bytes and leave the same
rows as among all others; no id that one place has shown is shown by another; and an id of another place is not found, by
whatever operation it is named.
"""

from __future__ import annotations

import re

from hypothesis import given

from tests.laws.areas import OPERATIONS
from tests.laws.arena import Arena
from tests.laws.games import Place
from tests.laws.lawful import generated, hold_on_seeds, seeds
from tests.laws.playing import Answered, Asked, Play, Witness, play
from tests.laws.reading import registered_in
from tests.laws.sequences import sequences
from tests.laws.steps import Call, RotateKey, Step, Switch, Wait

_ID = re.compile(
    rb"\b[a-z]{3}_[0-9A-HJKMNP-TV-Z]{26}\b|\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b"
)
_SHARED = (b"gam_", b"std_", b"req_")
"""Ids that a game's environments have in common, or that belong to one request."""


class ScopesAreSealed(Witness):
    """Collects the ids that each place shows, and at the end names them all in the other places."""

    def __init__(self) -> None:
        self.shown: dict[Place, set[bytes]] = {}

    def answered(self, _play: Play, asked: Asked, answer: Answered) -> None:
        """Collect."""
        if answer.status < 300:
            found = {id_ for id_ in _ID.findall(answer.response.body) if not id_.startswith(_SHARED)}
            self.shown.setdefault(asked.place, set()).update(found)

    def ended(self, play: Play) -> None:
        """Nothing was shown in two places, and nothing of the others is found."""
        places = sorted(self.shown)
        for at, place in enumerate(places):
            for other in places[at + 1 :]:
                assert not self.shown[place] & self.shown[other]
        before = play.arena.store.dump()
        for place in places:
            for name in registered_in(play, place)[:1]:
                _name_everything(play, place, name)
        assert play.arena.store.dump() == before


def _name_everything(play: Play, place: Place, name: str) -> None:
    """Every id of the other places, in every operation that takes one."""
    for other in play.arena.places:
        if other == place:
            continue
        seen = play.books[other].seen
        for operation in OPERATIONS.values():
            if operation.names is None:
                continue
            for id_ in (id_ for kind in operation.names.kinds for id_ in seen[kind][-4:]):
                secret = play.books[place].secrets[name][-1]
                asked = play.asked(Call(place, operation.name, name), {operation.names.argument: id_}, secret)
                assert play.probe(asked).code == operation.names.code


# -- one place alone ------------------------------------------------------------------------------------------------------


def check_alone(together: Play) -> None:
    """Send each place's requests alone, in an arena of the same seed: same bytes, same rows."""
    answers = {asked.number: answer.response for asked, answer in together.journal}
    for place in together.arena.places:
        alone = Arena()
        for line in together.track:
            if isinstance(line, Wait):
                alone.advance(line.milliseconds)
            elif isinstance(line, RotateKey):
                alone.rotate_key(line.place, line.permission)
            elif isinstance(line, Switch):
                alone.switch_gifting(line.game, enabled=line.enabled)
            elif line.place == place:
                alone.number = line.number
                response, _ = alone.perform(line.request)
                assert response == answers[line.number], line
        scope = alone.scope(place).id
        assert alone.store.dump()[scope] == together.arena.store.dump()[scope], place


@seeds
def test_scopes_are_sealed(seed: int) -> None:
    hold_on_seeds(seed, ScopesAreSealed)


@given(steps=sequences())
@generated
def test_scopes_are_sealed_in_any_sequence(steps: list[Step]) -> None:
    play(steps, ScopesAreSealed())


@seeds
def test_a_place_alone_is_as_it_is_among_others(seed: int) -> None:
    check_alone(hold_on_seeds(seed))


@given(steps=sequences())
@generated
def test_a_place_alone_is_as_it_is_among_others_in_any_sequence(steps: list[Step]) -> None:
    check_alone(play(steps))
