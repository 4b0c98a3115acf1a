"""Signing in: from a verified e-mail address to a new session.

How the address was verified is the host's affair (an identity provider, or the link of a development server). Here stands
what follows from it: only a member of some studio gets a session, each sign-in starts a new one, and every studio of the
member can read of it in its audit trail.
"""

from __future__ import annotations

from typing import Final

from livecore.access.audit import audit
from livecore.access.members import BY_EMAIL, MEMBERS, folded, memberships_of
from livecore.access.sessions import SessionOnce, start_session
from livecore.kernel.entropy import Entropy
from livecore.kernel.errors import JsonObject
from livecore.kernel.records import evolve
from livecore.kernel.store import Transaction
from livecore.kernel.time import Millis
from livecore.kernel.unit import Actor

__all__ = ["SIGN_IN", "note_in_studios", "sign_in"]

SIGN_IN: Final = "session.signIn"
"""The name of a sign-in in the audit trail."""
_LONGEST_NAME: Final = 100


def sign_in(
    tx: Transaction,
    email: str,
    name: str | None,
    now: Millis,
    entropy: Entropy,
    *,
    through: str,
    address: str | None = None,
) -> SessionOnce | None:
    """A new session of the member with this verified address; `None` for somebody who is a member of no studio.

    `tx` is a transaction of the directory. `name` is what the provider calls the person, and `through` the provider. Writes
    nothing where it gives `None`.
    """
    member = tx.find(BY_EMAIL, folded(email))
    held = [] if member is None else memberships_of(tx, member.member_id)
    if member is None or not held:
        return None
    member = tx.put(MEMBERS, evolve(member, name=_shown(name) or member.name, signed_in_at=now))
    once = start_session(tx, member.member_id, now, entropy, address=address)
    note_in_studios(tx, now, entropy, member.member_id, SIGN_IN, address=address, metadata={"through": through})
    return once


def note_in_studios(
    tx: Transaction,
    now: Millis,
    entropy: Entropy,
    member_id: str,
    action: str,
    *,
    address: str | None,
    metadata: JsonObject | None = None,
) -> None:
    """Leave an entry about a member's session in the audit trail of each studio of the member."""
    for held in memberships_of(tx, member_id):
        audit(
            tx,
            now,
            entropy,
            Actor("member", member_id),
            action,
            address=address,
            principal="session",
            via="session",
            target=("member", member_id),
            metadata=metadata,
            studio_id=held.studio_id,
        )


def _shown(name: str | None) -> str | None:
    """A name as pages may show it: one line of printable characters."""
    if name is None:
        return None
    printable = "".join(one if one.isprintable() else " " for one in name)
    return " ".join(printable.split())[:_LONGEST_NAME] or None
