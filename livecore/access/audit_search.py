"""Searching the audit trail: one scope at a time, and pages over several scopes.

A search reads a bounded number of entries of each scope, by the index that fits its filters best. Filters without an index
of their own are applied to what has been read. So a page may have fewer entries than were asked for, or none, although there
are more; then its cursor says how far the search has come, and the next page continues there.

    filters               read by
    (the directory)       AUDIT_OF_STUDIO
    player, …             AUDIT_OF_PLAYER
    member and action     AUDIT_OF_MEMBERS_ACTION
    member                AUDIT_OF_MEMBER
    action                AUDIT_OF_ACTION
    none of these         AUDIT_BY_TIME

All of these indexes are in the order of time and id, so one cursor holds for all scopes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from livecore.access.audit import (
    AUDIT_BY_TIME,
    AUDIT_OF_ACTION,
    AUDIT_OF_MEMBER,
    AUDIT_OF_MEMBERS_ACTION,
    AUDIT_OF_PLAYER,
    AUDIT_OF_STUDIO,
    AuditEntry,
)
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.reads import Scan
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Index, Key
from livecore.kernel.time import Millis
from livecore.kernel.values import value

MOST_READ: Final = 1_000
"""How many entries of a scope one page reads at most, if it needs to look at more than it shows."""
_MOST_IN_ALL: Final = 5_000
"""How many entries of all scopes one page reads at most; each scope has an equal share."""
_LEAST: Final = 4
SURFACES: Final = ("admin", "server", "sdk")
"""What an operation's id begins with; entries of the command line have the bare name."""


@value
class Search:
    """What is searched for in one scope; a field that is `None` filters nothing."""

    studio_id: str
    member_id: str | None = None
    action: str | None = None
    player_ids: tuple[str, ...] | None = None
    """The ids of one player: the present one, and those of accounts that were merged into it."""
    since: Millis | None = None
    until: Millis | None = None


@value
class Found:
    """Entries of a scope, the newest first; and the place of the last entry read, if there may be more beyond it."""

    rows: tuple[AuditEntry, ...]
    reached: Key | None


def position_of(entry: AuditEntry) -> Key:
    """The place of an entry in the order of the trail."""
    return (entry.at, entry.audit_id)


def short_action(action: str) -> str:
    """An action without its surface: the operation's name."""
    surface, colon, name = action.partition(":")
    return name if colon and surface in SURFACES else action


def _spellings(action: str) -> tuple[str, ...]:
    return (action, *(f"{surface}:{action}" for surface in SURFACES))


# -- one scope ------------------------------------------------------------------------------------------------------------


def _ways(tx: Transaction, search: Search) -> tuple[Index[AuditEntry], list[Key], bool]:
    """The index to read, the prefixes under which, and whether everything found there matches."""
    if tx.scope == DIRECTORY:
        return AUDIT_OF_STUDIO, [(search.studio_id,)], search.member_id is None and search.action is None
    if search.player_ids is not None:
        exact = search.member_id is None and search.action is None
        return AUDIT_OF_PLAYER, [(player_id,) for player_id in search.player_ids], exact
    actions = () if search.action is None else _spellings(search.action)
    if search.member_id is not None:
        if actions:
            return AUDIT_OF_MEMBERS_ACTION, [(search.member_id, action) for action in actions], True
        return AUDIT_OF_MEMBER, [(search.member_id,)], True
    if actions:
        return AUDIT_OF_ACTION, [(action,) for action in actions], True
    return AUDIT_BY_TIME, [()], True


def _matches(search: Search, entry: AuditEntry) -> bool:
    return search.member_id in (None, entry.member_id) and search.action in (None, short_action(entry.action))


def find_entries(
    tx: Transaction,
    search: Search,
    beyond: Key | None,
    limit: int,
    *,
    scopes: int = 1,
    shown: Callable[[AuditEntry], bool] | None = None,
) -> Found:
    """More than `limit` entries of a scope before the place `beyond`, or all that a page may read of it.

    `scopes` is how many scopes the page reads; `shown` says whether the caller may see an entry.
    """
    if search.player_ids is not None and tx.scope == DIRECTORY:
        return Found((), None)
    index, prefixes, exact = _ways(tx, search)
    most = max(_LEAST, min(max(limit + 1, MOST_READ), _MOST_IN_ALL // (scopes * max(1, len(prefixes)))))
    start = None if search.since is None else (search.since,)
    stop = beyond
    if search.until is not None:
        stop = (search.until,) if beyond is None else min(beyond, (search.until,))
    step = min(most, limit + 1)
    first = tx.read_all(Scan(index, prefix, start, stop=stop, reverse=True, limit=step) for prefix in prefixes)

    def walked(prefix: Key, rows: list[AuditEntry]) -> Found:
        return _walk(
            lambda before, number: tx.scan(index, *prefix, start=start, stop=before, reverse=True, limit=number),
            lambda entry: (exact or _matches(search, entry)) and (shown is None or shown(entry)),
            rows,
            (step, most, limit),
        )

    return joined(map(walked, prefixes, first), limit + 1)


def _walk(
    read: Callable[[Key, int], list[AuditEntry]],
    fits: Callable[[AuditEntry], bool],
    rows: list[AuditEntry],
    amounts: tuple[int, int, int],
) -> Found:
    """Read backwards, after the first `step` entries more at a time, until more than `limit` fit or `most` are read."""
    step, most, limit = amounts
    found: list[AuditEntry] = []
    total = 0
    while True:
        found += filter(fits, rows)
        total += len(rows)
        if len(rows) < step:
            return Found(tuple(found), None)
        before = position_of(rows[-1])
        if len(found) > limit or total >= most:
            return Found(tuple(found), before)
        step = min(2 * step, most - total)
        rows = read(before, step)


# -- several --------------------------------------------------------------------------------------------------------------


def joined(parts: Iterable[Found], most: int) -> Found:
    """The first `most` entries of several parts together, as far as all of them have been read."""
    parts = list(parts)
    reached_positions: list[Key] = [part.reached for part in parts if part.reached is not None]
    reached = max(reached_positions, default=None)
    rows = sorted((row for part in parts for row in part.rows), key=position_of, reverse=True)
    known = rows if reached is None else [row for row in rows if position_of(row) >= reached]
    if len(known) > most:
        return Found(tuple(known[:most]), position_of(known[most - 1]))
    return Found(tuple(known), reached)
