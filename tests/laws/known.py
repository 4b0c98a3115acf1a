"""Whether a read follows from what was known when its unit began: from the request, its players, and constants.

A value follows if the request has it, if it is the id of a player whom the request names, or if no row that the unit was
given before has it: then it is a constant of the code or of the configuration, the time, or drawn. A word of the code, such
as the status `pending`, follows although rows have it as well. What the unit was given decides only about keys: a read may
still be made for a reason that a row gave.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final
from urllib.parse import unquote_plus

import attrs

from livecore.api.requests.http import Request
from livecore.kernel.storage.reader import Reader
from livecore.kernel.storage.tables import Table, Value
from livecore.players.player import BY_EXTERNAL_ID

_WORD: Final = re.compile(r"[a-z_]*\Z")
_LONG: Final = re.compile(r"\w{10,}")
"""What may be an id, also inside another text."""
_SMALL: Final = 1_000
"""Numbers up to here are limits and versions more often than what a row has said."""


@attrs.frozen
class Known:
    """What the request says: all of its text, its numbers, and the words that its game's configuration has made up."""

    text: str = ""
    numbers: frozenset[int] = frozenset()
    keys: frozenset[str] = frozenset()

    @classmethod
    def of(cls, request: Request, readers: Sequence[Reader], keys: frozenset[str]) -> Known:
        """What a request says, to whichever of these scopes it goes; `keys` are the words of their games."""
        body = _json(request.body)
        headers = [request.headers.get("idempotency-key", "")]
        texts = [*unquote_plus(request.path).split("/"), *re.split("[=&,]", unquote_plus(request.query)), *headers]
        leaves = [*texts, *_leaves(body)]
        named = [leaf for leaf in leaves if isinstance(leaf, str)]
        players = (reader.find(BY_EXTERNAL_ID, (name,)) for reader in readers for name in named if name)
        ids = [player.player_id for player in players if player is not None]
        numbers = frozenset(leaf for leaf in leaves if isinstance(leaf, int))
        return cls("\n".join([*named, *ids, json.dumps(body)]), numbers, keys)


def _json(body: bytes) -> Any:  # noqa: ANN401 - JSON
    try:
        return json.loads(body)
    except ValueError:
        return None


def _leaves(value: Any) -> Iterator[Any]:  # noqa: ANN401 - JSON
    if isinstance(value, dict):
        for part in value.values():
            yield from _leaves(part)
    elif isinstance(value, list):
        for part in value:
            yield from _leaves(part)
    else:
        yield value


NOTHING: Final = Known()


class Met:
    """The values that a unit was given with rows so far."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self._unread: list[tuple[Table[Any], Sequence[Any]]] = []
        self._text = ""
        self._numbers: set[int] = set()

    def meet(self, table: Table[Any], rows: Sequence[Any]) -> None:
        """The unit is given rows."""
        if rows:
            self._unread.append((table, rows))

    def follows(self, values: Iterable[Value]) -> bool:
        """Whether a read with these values in its key and bounds could have been asked for at once."""
        self._read()
        return all(self._follows(value) for value in values)

    def _read(self) -> None:
        """Take in the values of the rows; only now, because most units need no second round."""
        unread, self._unread = self._unread, []
        texts = [self._text]
        for table, rows in unread:
            for row in rows:
                for column in table.columns:
                    value = getattr(row, column.name)
                    if isinstance(value, str):
                        texts.append(value)
                    elif isinstance(value, int):
                        self._numbers.add(value)
        self._text = "\n".join(texts)

    def _follows(self, value: Value) -> bool:
        if isinstance(value, bool) or value is None:
            return True
        if isinstance(value, int):
            near = (value - 1, value, value + 1)
            given = abs(value) > _SMALL and any(number in self._numbers for number in near)
            return not given or any(number in self._known.numbers for number in near)
        if value in self._known.text or (_WORD.match(value) and value not in self._known.keys):
            return True
        parts = [value, *_LONG.findall(value)]
        return not any(part in self._text and part not in self._known.text for part in parts)
