"""Signing in: from a verified e-mail address to a new session.

How the address was verified is the host's affair (an identity provider, or the link of a development server). Here stands
what follows from it: only a member of some studio gets a session, and only with the account that the membership is bound to
(`livecore.access.binding`); each sign-in starts a new session, and every studio that it opens can read of it in its audit
trail. The name and the time are written for these studios alone.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import attrs

from livecore.access.audit import audit
from livecore.access.binding import Account, admits, bind, opens
from livecore.access.members import BY_EMAIL, MEMBERSHIPS, Membership, folded, memberships_of
from livecore.access.sessions import Session, SessionOnce, start_session
from livecore.kernel.entropy import Entropy
from livecore.kernel.errors import JsonObject
from livecore.kernel.storage.records import evolve
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import Millis
from livecore.kernel.units.unit import Actor

SIGN_IN: Final = "session.signIn"
"""The name of a sign-in in the audit trail."""
_SIGN_OUT: Final = "session.signOut"
"""The name of a sign-out there."""
NotAdmitted: TypeAlias = Literal["no_member", "another_account"]
"""Why somebody is not let in: a member of no studio, or each membership is bound to another account."""
_LONGEST_NAME: Final = 100


def sign_in(
    tx: Transaction,
    email: str,
    name: str | None,
    now: Millis,
    entropy: Entropy,
    *,
    through: str,
    account: Account | None = None,
    address: str | None = None,
) -> SessionOnce | NotAdmitted:
    """A new session of the member with this verified address, or why there is none.

    `tx` is a transaction of the directory. `name` is what the provider calls the person, `through` the provider, and
    `account` the account there, to which memberships that are bound to none are bound now. Writes nothing where there is no
    session.
    """
    member = tx.find(BY_EMAIL, folded(email))
    held = [] if member is None else memberships_of(tx, member.member_id)
    if member is None or not held:
        return "no_member"
    admitting = [one for one in held if admits(one, account)]
    if not admitting:
        return "another_account"
    issuer, subject = (None, None) if account is None else attrs.astuple(account)
    once = start_session(tx, member.member_id, now, entropy, address=address, issuer=issuer, subject=subject)
    for one in admitting:
        entered = bind(tx, one, account, now)
        tx.put(MEMBERSHIPS, evolve(entered, name=_shown(name) or one.name, signed_in_at=now))
        metadata: JsonObject = {"through": through}
        if account is not None and one.subject is None:
            metadata["bound"] = True
        _note(tx, now, entropy, one, SIGN_IN, address=address, metadata=metadata)
    return once


def note_sign_out(tx: Transaction, now: Millis, entropy: Entropy, session: Session, *, address: str | None) -> None:
    """Leave an entry about the end of a session in the audit trail of each studio that it opened."""
    for held in memberships_of(tx, session.member_id):
        if opens(held, session):
            _note(tx, now, entropy, held, _SIGN_OUT, address=address)


def _note(
    tx: Transaction,
    now: Millis,
    entropy: Entropy,
    held: Membership,
    action: str,
    *,
    address: str | None,
    metadata: JsonObject | None = None,
) -> None:
    audit(
        tx,
        now,
        entropy,
        Actor("member", held.member_id),
        action,
        address=address,
        principal="session",
        via="session",
        target=("member", held.member_id),
        metadata=metadata,
        studio_id=held.studio_id,
    )


def _shown(name: str | None) -> str | None:
    """A name as pages may show it: one line of printable characters."""
    if name is None:
        return None
    printable = "".join(one if one.isprintable() else " " for one in name)
    return " ".join(printable.split())[:_LONGEST_NAME] or None
