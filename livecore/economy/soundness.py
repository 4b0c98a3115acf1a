"""The invariants of grants, and of the ledger entries that pay them out.

A grant's state and its times agree. A pending grant has its player and, if it expires, the due work for that. An entry that
pays out a grant has the time of the claim. Ledgers are checked in `livecore.economy.reconciliation`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from livecore.economy.grants import EXPIRE, GRANTS, Grant
from livecore.economy.ledger import ENTRIES, Entry
from livecore.kernel.storage.examination import Rule
from livecore.kernel.storage.reader import Reader
from livecore.kernel.storage.reads import AnyRead, Get
from livecore.kernel.units.due import DUE, DueWork
from livecore.players.player import PLAYERS

_PAYING_OUT: Final = ("gift_claimed", "grant_claimed")


def _grant_needs(grant: Grant) -> Iterator[AnyRead]:
    if grant.status == "pending":
        yield Get(PLAYERS, (grant.player_id,))
        if grant.expires_at is not None:
            yield Get(DUE, (EXPIRE, grant.grant_id))


def _judge_grant(reader: Reader, grant: Grant) -> Iterator[str]:
    if (grant.status == "claimed") != (grant.claimed_at is not None):
        yield f"is {grant.status}, which does not go with its time of claiming"
    if grant.status != "pending":
        return
    if reader.get(PLAYERS, (grant.player_id,)) is None:
        yield "waits for a player who does not exist"
    if grant.expires_at is not None and reader.get(DUE, (EXPIRE, grant.grant_id)) is None:
        yield "will not expire: the work that would do it is not scheduled"


def _entry_needs(entry: Entry) -> Iterator[AnyRead]:
    if entry.source_ref_id is not None and entry.reason in _PAYING_OUT:
        yield Get(GRANTS, (entry.source_ref_id,))


def _judge_entry(reader: Reader, entry: Entry) -> Iterator[str]:
    """A studio may use these reasons for its own adjustments; an entry that refers to no grant is one of those."""
    if entry.source_ref_id is None or entry.reason not in _PAYING_OUT:
        return
    grant = reader.get(GRANTS, (entry.source_ref_id,))
    if grant is not None and grant.claimed_at != entry.at:
        yield f"pays out a grant that was not claimed at that time; it is {grant.status}"


def _expiry_needs(work: DueWork) -> Iterator[AnyRead]:
    if work.kind == EXPIRE:
        yield Get(GRANTS, (work.ref,))


def _judge_expiry(reader: Reader, work: DueWork) -> Iterator[str]:
    if work.kind != EXPIRE:
        return
    grant = reader.get(GRANTS, (work.ref,))
    if grant is None or grant.status != "pending":
        yield "is about a grant that is not pending"


RULES: Final[tuple[Rule[Any], ...]] = (
    Rule(table=GRANTS, needs=_grant_needs, judge=_judge_grant),
    Rule(table=ENTRIES, needs=_entry_needs, judge=_judge_entry),
    Rule(table=DUE, needs=_expiry_needs, judge=_judge_expiry),
)
