"""Former members: thirty days after a person left a studio, nothing of them is kept but their id.

Until then support can still look into what somebody who has left did. A daily job in steps then empties the membership of
its name and account. Where the person is a member of no other studio any more, it also replaces the e-mail address, and
removes the metadata of the audit trail's entries about the member, which hold the address. Those entries, and those about
what the member did, keep the id.

There are few former members, so the job looks at all of them.
"""

from __future__ import annotations

from typing import Final

from livecore.access.audit import AUDIT_OF_TARGET
from livecore.access.members import ENDED, MEMBERS, MEMBERSHIPS, OF_MEMBER, is_forgotten, placeholder
from livecore.kernel.declarations.jobs import MOST_ROWS, Cursor, Job
from livecore.kernel.declarations.player_lifecycle import rewrite_all
from livecore.kernel.storage.records import evolve
from livecore.kernel.time import DAY, Millis, next_midnight
from livecore.kernel.units.unit import Unit

KEPT_FOR: Final[Millis] = 30 * DAY


def _forget(unit: Unit, _: str, cursor: Cursor) -> Cursor | None:
    before = unit.now - KEPT_FOR
    ended = unit.tx.scan(ENDED, after=cursor or None, stop=(before,), limit=MOST_ROWS)
    for held in ended:
        emptied = evolve(held, name=None, issuer=None, subject=None, signed_in_at=None)
        if emptied != held:
            unit.tx.put(MEMBERSHIPS, emptied)
        _forget_person(unit, held.member_id, before)
    return ENDED.position_of(ended[-1]) if len(ended) == MOST_ROWS else None


def _forget_person(unit: Unit, member_id: str, before: Millis) -> None:
    """Remove the person's address, unless they are a member somewhere, or have left some studio only lately."""
    member = unit.tx.get(MEMBERS, member_id)
    if member is None or is_forgotten(member):
        return
    if all(held.ended_at is not None and held.ended_at < before for held in unit.tx.scan(OF_MEMBER, member_id)):
        unit.tx.put(MEMBERS, evolve(member, email=placeholder(member_id)))
        rewrite_all(unit.tx, AUDIT_OF_TARGET, ("member", member_id), {"metadata": None})


FORGET: Final = Job("access.former_members", _forget, recurs=next_midnight, in_games=False, in_directory=True)
"""Empties each day the rows of members who left thirty days ago."""
