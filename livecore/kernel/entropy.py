"""Randomness is an input, like time: each request is given one seed, and all its random draws come from that seed.

A host gives `Entropy` 32 bytes, from the operating system in production and from the world's own seed in a simulation. A
retried transaction starts again from the same seed, so it draws the same ids, secrets, samples and dice.

The generator is *generator 1*: block *i* is the BLAKE2b-512 digest, keyed with the seed, of the text `livecore/1` followed
by *i* as eight big-endian bytes; the blocks joined are the stream, and every draw takes the next bytes of it. The golden
vectors in the tests fix this for good. A changed generator would get another number, so a seed replays in every release
that has generator 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from math import log
from typing import TypeVar

T = TypeVar("T")
_BLOCK = b"livecore/1"
"""With the version of the generator and of the ways to draw from it."""


class Entropy:
    """A deterministic stream of random draws from one seed of up to 64 bytes."""

    __slots__ = ("_buffer", "_counter", "_offset", "_seed")

    def __init__(self, seed: bytes) -> None:
        self._seed = seed
        self._buffer = b""
        self._offset = 0
        self._counter = 0

    @property
    def seed(self) -> bytes:
        """The seed, to start the same stream again."""
        return self._seed

    def bytes(self, count: int) -> bytes:
        """The next `count` bytes of the stream."""
        end = self._offset + count
        while end > len(self._buffer):
            block = blake2b(_BLOCK + self._counter.to_bytes(8, "big"), key=self._seed).digest()
            self._buffer = self._buffer[self._offset :] + block
            end -= self._offset
            self._offset = 0
            self._counter += 1
        drawn = self._buffer[self._offset : end]
        self._offset = end
        return drawn

    def below(self, bound: int) -> int:
        """A uniform integer from 0 to `bound - 1`; draws again where a remainder would be biased."""
        size = (bound.bit_length() + 7) // 8
        limit = (256**size // bound) * bound
        while True:
            value = int.from_bytes(self.bytes(size), "big")
            if value < limit:
                return value % bound

    def unit_interval(self) -> float:
        """A uniform number in the open interval (0, 1), of 53 bits."""
        return ((int.from_bytes(self.bytes(7), "big") >> 3) + 0.5) / 9007199254740992.0

    def choice(self, items: Sequence[T]) -> T:
        """One item, each as likely as any other."""
        return items[self.below(len(items))]

    def text(self, alphabet: str, length: int) -> str:
        """`length` characters, each drawn uniformly from `alphabet`."""
        return "".join(alphabet[self.below(len(alphabet))] for _ in range(length))

    def weighted_sample(self, items: Sequence[T], weights: Sequence[float], count: int) -> list[T]:
        """`count` different items (or all), drawn one after the other with chances in proportion to their weights.

        Efraimidis and Spirakis: every item gets the key `log(u) / weight`, and the largest keys win, in falling order.
        """
        keys = [log(self.unit_interval()) / weight for weight in weights]
        order = sorted(range(len(items)), key=lambda index: (-keys[index], index))
        return [items[index] for index in order[:count]]


def derive_seed(root: bytes, label: str, number: int) -> bytes:
    """A 32-byte seed of its own for draw `number` of `label`, from the seed `root`."""
    return blake2b(f"{label}/{number}".encode(), key=root, digest_size=32).digest()
