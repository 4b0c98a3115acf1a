"""The model of idempotency: which answers are kept, for how long, and what merging and erasing do to them (section 7).

An answer is kept for 24 hours under the key of the studio, or of the player who asked. What pays keeps its key for good. A
merge leaves answers where they are, also the studio's about the source, whom the target's name stands for from then on in
those of others. An erasure takes those of the player, those about the player and those that name the player, and of a
paying request only its key is left, under which nothing matches any more.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterator
from typing import Any, Final

import attrs

from tests.laws.routes import Body

ANYBODY: Final = "(anybody)"
"""Whom an answer shows that is about no single player, and may be about anybody."""
_GONE: Final = "(gone)"


@attrs.define(eq=False)
class Kept:
    """An answer under an idempotency key: to what, when, about whom, and whom it shows beside them."""

    fingerprint: str
    at: int
    status: int
    raw: bytes
    about: object
    shows: set[str]


@attrs.define(eq=False)
class _Durable:
    """A row that keeps its key: the request that made it, and the names of those whose row it is."""

    fingerprint: str
    names: set[str]


@attrs.define(eq=False)
class Answers:
    """The keys of one scope, by their owner: a player, or `None` for the studio."""

    kept: dict[tuple[object, str], Kept] = attrs.field(factory=dict)
    durable: dict[tuple[object, str, str], _Durable] = attrs.field(factory=dict)

    def pays(self, owner: object, table: str, key: str, print_: str, names: set[str]) -> None:
        """A row that pays was made under a key."""
        self.durable[owner, table, key] = _Durable(print_, names)

    def merged(self, source: str, target: str) -> None:
        """The source's rows are the target's, and so is the name in what others were answered."""
        for row in self.durable.values():
            row.names = {target if name == source else name for name in row.names}
        for kept in self.kept.values():
            kept.shows = {target if name == source else name for name in kept.shows}

    def erased(self, name: str, players: Container[object]) -> None:
        """Forget what was answered to and about `players`, one of whom has this name, and what shows it."""
        self.kept = {
            (owner, key): kept
            for (owner, key), kept in self.kept.items()
            if owner not in players and kept.about not in players and not kept.shows & {name, ANYBODY}
        }
        for row in self.durable.values():
            if name in row.names:
                row.fingerprint, row.names = _GONE, row.names - {name}


def fingerprint(name: str, player: str, arguments: Body) -> str:
    """What makes two requests the same."""
    return json.dumps([name, player, arguments], sort_keys=True)


def names_in(body: Any) -> Iterator[str]:  # noqa: ANN401 - JSON
    """The players' ids that a body or an answer names."""
    for name, value in body.items():
        if isinstance(value, dict):
            yield from names_in(value)
        elif isinstance(value, list):
            for one in value:
                yield from names_in(one if isinstance(one, dict) else {name.removesuffix("s"): one})
        elif isinstance(value, str) and name.endswith(("xternalPlayerId", "xternalId")):
            yield value
