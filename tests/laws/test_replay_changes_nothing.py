"""The law: a request sent again under its idempotency key changes nothing and is answered the same.

Right after it took effect: the same status (a grant's creation answers 200), the same bytes, `Idempotent-Replay: true`, no
event, no row. Later within the 24 hours: the same, whatever has happened since. After that, where a write pays, still no
second effect.
"""

from __future__ import annotations

from hypothesis import given

from tests.laws.areas import AREAS, OPERATIONS
from tests.laws.lawful import generated, hold_on_seeds, seeds
from tests.laws.playing import Answered, Asked, Play, Witness, play
from tests.laws.routes import KEYED
from tests.laws.rows import PlaceRows
from tests.laws.sequences import sequences
from tests.laws.steps import Step

_DAY = 86_400_000


class ReplayChangesNothing(Witness):
    """Sends every keyed success again: at once, at the end, and a day after the end."""

    def __init__(self) -> None:
        self._done: list[tuple[Asked, Answered]] = []

    def answered(self, play: Play, asked: Asked, answer: Answered) -> None:
        """Send it again at once."""
        if asked.key is not None and asked.name in KEYED and answer.status < 300 and not answer.replayed:
            self._done.append((asked, answer))
            same_again(play, asked, answer)

    def ended(self, play: Play) -> None:
        """Send everything again that is within its 24 hours, and what pays also after that."""
        for asked, answer in self._done:
            if play.arena.now < asked.at + _DAY and _admitted(play, asked):
                same_again(play, asked, answer)
        play.arena.advance(_DAY)
        for asked, answer in self._done:
            if OPERATIONS[asked.name].key_kept_by is not None and _admitted(play, asked):
                no_second_effect(play, asked, answer)


def _admitted(play: Play, asked: Asked) -> bool:
    """Whether the secret and the key of the request still open the door: a replay is refused like any request."""
    book = play.books[asked.place].secrets[asked.player]
    keys = [play.arena.key(place, permission) for place in play.arena.places for permission in ("client", "server")]
    return asked.api_key in keys and (asked.secret is None or asked.secret == book[-1])


def same_again(play: Play, asked: Asked, answer: Answered) -> None:
    """The answer is the first one's, and no row moves."""
    before = play.arena.store.dump()
    again = play.probe(asked)
    assert again.status == (OPERATIONS[asked.name].replayed_as or answer.status), asked
    assert again.response.body == answer.response.body, asked
    assert again.replayed
    assert not again.events
    assert play.arena.store.dump() == before


def no_second_effect(play: Play, asked: Asked, answer: Answered) -> None:
    """The answer names the first effect, and nothing is paid, taken, granted or given."""
    before = PlaceRows.of(play.arena, asked.place)
    again = play.probe(asked)
    after = PlaceRows.of(play.arena, asked.place)
    assert again.replayed, (asked, again.body)
    assert _effect(asked, again) == _effect(asked, answer)
    assert not again.events
    assert (after.holdings, after.entries, after.gifts, after.grants) == (
        before.holdings,
        before.entries,
        before.gifts,
        before.grants,
    )


def _effect(asked: Asked, answer: Answered) -> object:
    """The id of what a paying write made."""
    made = [id_ for area in AREAS.values() for _, id_ in area.ids(asked.player, answer.data)]
    assert made or "entryId" in answer.data
    return made or answer.data["entryId"]


@seeds
def test_replay_changes_nothing(seed: int) -> None:
    hold_on_seeds(seed, ReplayChangesNothing)


@given(steps=sequences())
@generated
def test_replay_changes_nothing_in_any_sequence(steps: list[Step]) -> None:
    play(steps, ReplayChangesNothing())
