"""The scores of a lobby's bots: a function of the lobby's seed, the bot's number and the time since the lobby has started.

The event says between which scores a bot is at certain moments. For each of these moments a score is drawn, which is never
below the one before. Where more is better, a bot also makes a few moves on the way from one moment to the next, at times
that are drawn, so that the bots do not all move at once. Nothing of this is stored: whoever knows the seed can derive every
score again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from livecore.kernel.entropy import Entropy, derive_seed
from livecore.kernel.time import SECOND, Millis
from livecore.kernel.values import value
from livecore.leaderboards.definition_rows import Order
from livecore.lobbies.config import ScorePoint

_ON_THE_WAY: Final = 3
"""How many moves a bot makes between two moments of its event, besides the one at the later moment."""
_PARTS: Final = 1_000
_Points: TypeAlias = "tuple[tuple[int, int, int], ...]"
"""For each moment its seconds, the least score and the highest."""


@value
class Move:
    """A score that a bot reaches, and how long after the start of its lobby."""

    after: Millis
    score: int


def moves(points: Sequence[ScorePoint], order: Order, seed: str, number: int) -> tuple[Move, ...]:
    """Every move of a bot, each later than the one before, with a higher score; the first may be at the start."""
    return _moves(tuple((point.after_seconds, point.min, point.max) for point in points), order, seed, number)


@lru_cache(maxsize=4_096)
def _moves(points: _Points, order: Order, seed: str, number: int) -> tuple[Move, ...]:
    entropy = Entropy(derive_seed(bytes.fromhex(seed), "bot", number))
    found: list[Move] = []
    for move in _drawn(points, order, entropy):
        if found and move.score <= found[-1].score:
            continue
        if found and move.after == found[-1].after:
            found.pop()
        found.append(move)
    return tuple(found)


def _drawn(points: _Points, order: Order, entropy: Entropy) -> Iterator[Move]:
    at, score = 0, None
    for after_seconds, least, most in points:
        moment = after_seconds * SECOND
        drawn = least + entropy.below(most - least + 1)
        reached = drawn if score is None else max(score, drawn)
        times, parts = _parts(entropy), _parts(entropy)
        if order == "desc" and moment > at:
            begun = min(0, reached) if score is None else score
            for time, part in zip(times, parts, strict=True):
                yield Move(at + (moment - at) * time // _PARTS, begun + (reached - begun) * part // _PARTS)
        yield Move(moment, reached)
        at, score = moment, reached


def _parts(entropy: Entropy) -> list[int]:
    """How far along a way each move on it is, in thousandths."""
    return sorted(1 + entropy.below(_PARTS - 1) for _ in range(_ON_THE_WAY))


def score_after(made: tuple[Move, ...], elapsed: Millis) -> Move | None:
    """The last move of a bot by then; `None` before its first."""
    return next((move for move in reversed(made) if move.after <= elapsed), None)


def next_move(made: tuple[Move, ...], elapsed: Millis) -> Millis | None:
    """How long after the start the bot moves next; `None` after its last move."""
    return next((move.after for move in made if move.after > elapsed), None)
