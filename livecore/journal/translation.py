"""Ids of a journal in a replay that gives other ones: the id that the same answer shows in the same place.

A configuration that grants one thing more makes the ids after it other ones, and gives the id of one grant to another one.
Whoever names such an id in a request means what the recorded answer called so. Both answers to a command are read side by
side. In lists, what was seen before belongs together by its id; what is new, by all but its own id and its time: first what
is alike, then what differs in amounts only, each in its order.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Final

from livecore.kernel.errors import Json

_ID: Final = re.compile(
    r"[a-z]{2,5}_[0-9A-HJKMNP-TV-Z]{26}|[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"
)
_INSTANT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.*")
_DRAWN: Final = frozenset({"nextCursor", "cursor", "friendCode", "inviteCode", "code"})
"""Texts that are given like ids, by the names of their members."""


class Ids:
    """What ids of a journal are called in a replay."""

    def __init__(self) -> None:
        self._now: dict[str, str] = {}
        """All ids that an answer has shown, also those that are the same: the same id may now be that of another thing."""
        self._taken: set[str] = set()

    def translated(self, value: Json) -> Json:
        """A value with the ids of the replay."""
        if isinstance(value, str):
            return self._now.get(value, value)
        if isinstance(value, dict):
            return {name: self.translated(member) for name, member in value.items()}
        if isinstance(value, list):
            return [self.translated(member) for member in value]
        return value

    def learn(self, recorded: Json, now: Json) -> None:
        """Read the bodies of both answers to a command side by side."""
        if isinstance(recorded, dict) and isinstance(now, dict):
            self._learn("", recorded.get("data"), now.get("data"))
            before, after = recorded.get("error"), now.get("error")
            if isinstance(before, dict) and isinstance(after, dict) and before.get("code") == after.get("code"):
                self._learn("", before.get("details"), after.get("details"))

    def _learn(self, name: str, recorded: Json, now: Json) -> None:
        if isinstance(recorded, dict) and isinstance(now, dict):
            for member in (member for member in recorded if member in now):
                self._learn(member, recorded[member], now[member])
        elif isinstance(recorded, list) and isinstance(now, list):
            for before, after in self._paired(recorded, now):
                self._learn(name, before, after)
        elif isinstance(recorded, str) and isinstance(now, str):
            alike = _ID.fullmatch(recorded) and _ID.fullmatch(now) and _prefix(recorded) == _prefix(now)
            if (alike or name in _DRAWN) and recorded not in self._now and now not in self._taken:
                self._now[recorded] = now
                self._taken.add(now)

    def _paired(self, recorded: list[Json], now: list[Json]) -> Iterable[tuple[Json, Json]]:
        """What belongs together in two lists: known things by their ids, then new ones by what they are."""
        known = {_own_id(item): item for item in now}
        for item in recorded:
            name = self._now.get(_own_id(item))
            if name is not None and name in known:
                yield item, known[name]
        before = [item for item in recorded if _own_id(item) not in self._now]
        after = [item for item in now if _own_id(item) not in self._taken]
        for amounts in (True, False):
            waiting: dict[str, list[Json]] = {}
            for item in after:
                waiting.setdefault(self._look(item, translate=False, amounts=amounts), []).append(item)
            left: list[Json] = []
            for item in before:
                found = waiting.get(self._look(item, translate=True, amounts=amounts))
                if found:
                    yield item, found.pop(0)
                else:
                    left.append(item)
            before, after = left, [item for items in waiting.values() for item in items]

    def _look(self, item: Json, *, translate: bool, amounts: bool) -> str:
        """An item without its own id and times, and perhaps without amounts."""
        return json.dumps(self._plain(item, translate=translate, amounts=amounts), sort_keys=True)

    def _plain(self, value: Json, *, translate: bool, amounts: bool, own: bool = True) -> Json:
        if isinstance(value, dict):
            plain: dict[str, Json] = {}
            for name, member in value.items():
                is_id = isinstance(member, str) and _ID.fullmatch(member) is not None
                if not (is_id and own):
                    plain[name] = self._plain(member, translate=translate, amounts=amounts, own=False)
                # What comes after the own id says what the item belongs to.
                own = own and not is_id
            return plain
        if isinstance(value, list):
            return [self._plain(member, translate=translate, amounts=amounts, own=False) for member in value]
        if isinstance(value, str):
            if _INSTANT.fullmatch(value):
                return None
            return self._now.get(value, value) if translate else value
        return value if amounts or value is None or isinstance(value, bool) else 0


def _own_id(item: Json) -> str:
    """The first id in an item of a list, which is its own; empty where it has none."""
    for member in item.values() if isinstance(item, dict) else [item]:
        if isinstance(member, str) and _ID.fullmatch(member):
            return member
    return ""


def _prefix(made: str) -> str:
    return made.partition("_")[0] if "_" in made else ""
