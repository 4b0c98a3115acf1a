"""Which account of an identity provider a membership belongs to.

A member is invited by an e-mail address, and an address can come to somebody else: it is given to the next person of that
name, or a second account is verified for it. So the first sign-in after an invitation binds the membership to the account,
which the provider names by its issuer and a subject, and from then on the address alone opens nothing.

    invited ----- first sign-in ----> bound to (issuer, subject) ----- invitation renewed ----> invited

A membership, and not the person, is what is bound: each studio decides for itself whom it has invited, and one that invites
or renews opens no door of another. A session keeps the account that it was begun with, and opens a studio only where the
membership is bound to that account. So who is invited signs in after the invitation, also where another studio has let them
in before: an earlier session is of an account that this studio has not admitted.

The sign-in link of a development server comes from no provider and binds nothing. Its session, like one from before
memberships were bound, opens those that are bound to no account and were there when it began.
"""

from __future__ import annotations

import attrs

from livecore.access.members import MEMBERSHIPS, Membership, memberships_of
from livecore.access.personal_keys import end_personal_keys
from livecore.access.sessions import Session, end_sessions_of
from livecore.kernel.storage.records import evolve
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import Millis


@attrs.frozen
class Account:
    """An account at an identity provider: `subject` is what the provider calls it, always the same and never given again."""

    issuer: str
    subject: str


def admits(held: Membership, account: Account | None) -> bool:
    """Whether somebody with the member's address and this account may sign in to a studio; `None` is no provider's."""
    return held.subject is None or (account is not None and (held.issuer, held.subject) == attrs.astuple(account))


def bind(tx: Transaction, held: Membership, account: Account | None, now: Millis) -> Membership:
    """Bind a membership to the account that it admits, if it is bound to none.

    Personal keys of the member in the studio end with it: whoever made them did so without this account.
    """
    if account is None or held.subject is not None:
        return held
    end_personal_keys(tx, held.studio_id, held.member_id, now)
    return tx.put(MEMBERSHIPS, evolve(held, issuer=account.issuer, subject=account.subject))


def opens(held: Membership, session: Session) -> bool:
    """Whether a session of the member opens the studio of a membership."""
    if (held.issuer, held.subject) != (session.issuer, session.subject):
        return False
    if held.subject is not None:
        return True
    return held.since <= session.created_at and (held.renewed_at is None or held.renewed_at < session.created_at)


def renew_invitation(tx: Transaction, held: Membership, now: Millis) -> Membership:
    """Free a membership of its account: the next sign-in with the member's address binds it again.

    What the earlier account had of the studio ends: its sessions open the studio no more, and the personal keys end. Who is
    a member of no other studio is signed out.
    """
    renewed = tx.put(MEMBERSHIPS, evolve(held, issuer=None, subject=None, renewed_at=now))
    end_personal_keys(tx, held.studio_id, held.member_id, now)
    if len(memberships_of(tx, held.member_id)) == 1:
        end_sessions_of(tx, held.member_id)
    return renewed
