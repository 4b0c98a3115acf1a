"""What is known of a request before its unit of work reads anything, by the names that the record of reads uses.

externalId       the player whom the path names
argument.x       the field `x` of the request's arguments; `argument.x.y` a field of a part
key              the idempotency key; `hidden(owner)` is its hash, under which an owner's rows are found again
now, day         the time of the request in milliseconds, and its day
game, studio, actor      whose request it is
config.x         a section of the game's configuration
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

from livecore.api.configuration.game_config import config_of
from livecore.api.requests.arguments import Arguments, external_id_of
from livecore.api.requests.prepared import Prepared
from livecore.kernel.errors import Refusal
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import day_number
from livecore.kernel.units.permanent_idempotency import hidden
from livecore.kernel.wire.shapes import ABSENT
from livecore_server.storage.known import UNKNOWN


def expect_reads(prepared: Prepared, tx: Transaction) -> None:
    """Tell the store what is known of a unit of work that begins, if it makes use of that."""
    # Asked by name, because the check of a protocol takes longer than all else here.
    expect = getattr(tx.reader, "expect", None)
    if expect is not None:
        expect(KnownRequest(prepared))


class KnownRequest:
    """The values of one prepared request."""

    __slots__ = ("_prepared", "_values", "operation")

    def __init__(self, prepared: Prepared) -> None:
        self.operation = "" if prepared.operation is None else prepared.operation.id
        self._prepared = prepared
        self._values: dict[str, Any] = {}

    def value(self, name: str) -> Any:  # noqa: ANN401 - of any type
        """A value by its name; `UNKNOWN` where the request has none."""
        found = self._values.get(name)
        if found is None:
            found = self._found(name)
            # More may become known where a host reads the arguments only when the unit runs.
            if self._prepared.arguments is not None:
                self._values[name] = found
        return found

    def hidden(self, owner: str) -> Any:  # noqa: ANN401 - of any type
        """The hash of the idempotency key for its owner; `UNKNOWN` where there is no key."""
        key = self.value("key")
        return hidden(self._prepared.scope, owner, key) if isinstance(key, str) else UNKNOWN

    def _found(self, name: str) -> Any:  # noqa: ANN401 - as above
        find, path = _steps_to(name)
        found = UNKNOWN if find is None else find(self._prepared)
        for step in path:
            found = getattr(found, step, UNKNOWN)
        return UNKNOWN if found is None or found is ABSENT else found


@cache
def _steps_to(name: str) -> tuple[Callable[[Prepared], object] | None, tuple[str, ...]]:
    root, *path = name.split(".")
    return _FOUND.get(root), tuple(path)


def _external_id(prepared: Prepared) -> object:
    operation = prepared.operation
    if operation is None or operation.subject == "none":
        return UNKNOWN
    try:
        return external_id_of(prepared.values[operation.player_index])
    except Refusal:
        return UNKNOWN


def _argument(prepared: Prepared) -> object:
    arguments = prepared.arguments
    return arguments.shape if isinstance(arguments, Arguments) else UNKNOWN


def _key(prepared: Prepared) -> object:
    arguments, operation = prepared.arguments, prepared.operation
    if not isinstance(arguments, Arguments) or operation is None or not operation.keyed:
        return UNKNOWN
    return arguments.idempotency_key


def _config(prepared: Prepared) -> object:
    return UNKNOWN if prepared.game is None else config_of(prepared.game)


_FOUND: Final[Mapping[str, Callable[[Prepared], object]]] = {
    "externalId": _external_id,
    "argument": _argument,
    "key": _key,
    "now": lambda prepared: prepared.now,
    "day": lambda prepared: day_number(prepared.now),
    "game": lambda prepared: None if prepared.game is None else prepared.game.game_id,
    "studio": lambda prepared: prepared.principal.studio_id or UNKNOWN,
    "actor": lambda prepared: prepared.principal.actor.ref or UNKNOWN,
    "config": _config,
}
