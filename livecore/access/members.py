"""Members: the people who operate the games of a studio, each with one role in it.

A member is a person, invited by an e-mail address. A membership gives the person a role in one studio; somebody may
be a member of several. The name and the last sign-in are of the membership: a studio learns them from accounts that it has
admitted itself, and nothing of what others know. Nobody is told by mail: who is a member may sign in, and the first sign-in
binds the membership to the account (`livecore.access.binding`). A membership that has ended stays as a row, so that the
audit trail can name people who have left; everything else of it ends at once.

A studio always has an owner. Only an owner can make somebody an owner, and change or remove one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from livecore.access.directory import GAMES, Studio
from livecore.access.member_rows import InviteMember, MemberRow, Role
from livecore.access.personal_keys import end_personal_keys
from livecore.access.principals import Principal
from livecore.access.refusals import LastOwner, MemberExists, MemberNotFound
from livecore.access.roles import OF_ALL_GAMES
from livecore.access.sessions import end_sessions_of
from livecore.kernel.entropy import Entropy
from livecore.kernel.errors import JsonObject, ValidationFailed
from livecore.kernel.ids import new_id
from livecore.kernel.storage.reads import Get
from livecore.kernel.storage.records import JsonText, evolve
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Table
from livecore.kernel.time import Millis, Timestamp, stamp
from livecore.kernel.values import keyword_value as record
from livecore.kernel.wire import compact, decode


@record
class Member:
    """A person who may sign in. `email` is as `folded` writes it."""

    member_id: str
    email: str
    created_at: Millis


@record
class Membership:
    """The role of a member in a studio; `games` is a list of ids, or null for all games.

    `issuer` and `subject` are of the account that it is bound to, and `renewed_at` is when it was last freed of one: see
    `livecore.access.binding`.
    """

    studio_id: str
    member_id: str
    role: Role
    games: JsonText | None
    since: Millis
    ended_at: Millis | None = None
    issuer: str | None = None
    subject: str | None = None
    renewed_at: Millis | None = None
    name: str | None = None
    """The name that the identity provider gave at the last sign-in to this studio."""
    signed_in_at: Millis | None = None
    """When that was."""


MEMBERS: Final = Table("members", Member, key=("member_id",))
BY_EMAIL: Final = MEMBERS.unique("email")
MEMBERSHIPS: Final = Table("memberships", Membership, key=("studio_id", "member_id"))
OF_STUDIO: Final = MEMBERSHIPS.index("of_studio", prefix=("studio_id",), order=("since",))
OF_MEMBER: Final = MEMBERSHIPS.index("of_member", prefix=("member_id",), order=("since",))
ENDED: Final = MEMBERSHIPS.index("ended", order=("ended_at",))
"""Only memberships that have ended."""
_FORGOTTEN: Final = "__removed_"


def folded(email: str) -> str:
    """An e-mail address with its plain letters in lower case.

    Other letters stay as they are: some of them have a plain letter as their lower case (the sign for kelvin has `k`), so
    that somebody with such an address could sign in as somebody else.
    """
    return "".join(letter.lower() if letter.isascii() else letter for letter in email)


def placeholder(member_id: str) -> str:
    """What a former member has in the place of an e-mail address; nobody has such an address."""
    return f"{_FORGOTTEN}{member_id}__"


def is_forgotten(member: Member) -> bool:
    """Whether the row was emptied of its person."""
    return member.email.startswith(_FORGOTTEN)


# -- reading --------------------------------------------------------------------------------------------------------------


def membership_of(tx: Transaction, studio_id: str, member_id: str) -> Membership | None:
    """The present membership of a member in a studio, if there is one."""
    held = tx.get(MEMBERSHIPS, studio_id, member_id)
    return None if held is None or held.ended_at is not None else held


def require_membership(tx: Transaction, studio_id: str, member_id: str) -> tuple[Member, Membership]:
    """A present member of a studio. Raises `MemberNotFound`."""
    held = membership_of(tx, studio_id, member_id)
    member = None if held is None else tx.get(MEMBERS, member_id)
    if held is None or member is None:
        raise MemberNotFound
    return member, held


def membership_named(tx: Transaction, studio_id: str, email: str) -> tuple[Member, Membership]:
    """The present member of a studio with this e-mail address, in any case. Raises `MemberNotFound`."""
    member = tx.find(BY_EMAIL, folded(email))
    if member is None:
        raise MemberNotFound
    return require_membership(tx, studio_id, member.member_id)


def bound_membership(tx: Transaction, studio_id: str, email: str) -> Membership | None:
    """The present membership that belongs to this e-mail address in a studio, if it is bound to an account."""
    member = tx.find(BY_EMAIL, folded(email))
    held = None if member is None else membership_of(tx, studio_id, member.member_id)
    return None if held is None or held.subject is None else held


def present_members(tx: Transaction, studio_id: str) -> list[tuple[Member, Membership]]:
    """All present members of a studio, the oldest first."""
    held = [row for row in tx.scan(OF_STUDIO, studio_id) if row.ended_at is None]
    return with_members(tx, held)


def with_members(tx: Transaction, held: Sequence[Membership]) -> list[tuple[Member, Membership]]:
    """Each membership with its member, read together. Raises `MemberNotFound`."""
    members = tx.read_all(Get(MEMBERS, (row.member_id,)) for row in held)
    found = [(member, row) for member, row in zip(members, held, strict=True) if member is not None]
    if len(found) < len(held):
        raise MemberNotFound
    return found


def memberships_of(tx: Transaction, member_id: str) -> list[Membership]:
    """The present memberships of a person, the oldest first."""
    return [held for held in tx.scan(OF_MEMBER, member_id) if held.ended_at is None]


def games_of(held: Membership) -> tuple[str, ...] | None:
    """The ids of the games that a membership is for, in order; `None` is all."""
    return None if held.games is None else tuple(json.loads(held.games))


def sees(principal: Principal, held: Membership) -> bool:
    """Whether a member sees another one of the studio: who is for named games, those who share one, and no others."""
    if principal.games is None or held.member_id == principal.ref:
        return True
    theirs = games_of(held)
    return bool(principal.games) if theirs is None else not principal.games.isdisjoint(theirs)


def name_shown(tx: Transaction, principal: Principal, member_id: str) -> str | None:
    """What an entry about the past calls a member: the name, or the e-mail address if the reader sees the member."""
    return names_shown(tx, principal, [member_id])[member_id]


def names_shown(tx: Transaction, principal: Principal, member_ids: Sequence[str]) -> dict[str, str | None]:
    """The same of several members, by their ids."""
    found: list[Any] = tx.read_all(
        (
            *(Get(MEMBERS, (member_id,)) for member_id in member_ids),
            *(Get[Any](MEMBERSHIPS, (principal.studio_id, member_id)) for member_id in member_ids),
        )
    )
    people, memberships = found[: len(member_ids)], found[len(member_ids) :]
    return dict(zip(member_ids, map(partial(_name_shown, principal), people, memberships), strict=True))


def _name_shown(principal: Principal, member: Member | None, held: Membership | None) -> str | None:
    if member is None or held is None or is_forgotten(member):
        return None
    return held.name or (member.email if _shows_address(principal, held) else None)


def _shows_address(principal: Principal, held: Membership) -> bool:
    """Whether a member is told the address of somebody who may have left."""
    return principal.games is None or (held.ended_at is None and sees(principal, held))


def games_kept(held: Membership, role: Role) -> Sequence[str] | None:
    """The games of a membership that gets another role and no word about games: the same, where the role has a choice."""
    kept = games_of(held)
    return None if kept is None or role in OF_ALL_GAMES else sorted(kept)


def member_row(member: Member, held: Membership, *, seen: frozenset[str] | None = None) -> MemberRow:
    """A member as lists show them; `seen` are the games that the reader may know of, where these are not all."""
    games = games_of(held)
    return MemberRow(
        member_id=member.member_id,
        email=member.email,
        name=held.name,
        role=held.role,
        games=games if games is None or seen is None else tuple(game for game in games if game in seen),
        since=Timestamp(held.since),
        last_sign_in_at=stamp(held.signed_in_at),
        bound=held.subject is not None,
    )


def shown_for_audit(held: Membership) -> JsonObject:
    """A membership as the audit trail shows it."""
    games = games_of(held)
    return {"role": held.role, "games": None if games is None else [*games]}


# -- changing -------------------------------------------------------------------------------------------------------------


def add_member(
    tx: Transaction,
    studio: Studio,
    email: str,
    role: Role,
    now: Millis,
    entropy: Entropy,
    *,
    games: Sequence[str] | None = None,
) -> tuple[Member, Membership]:
    """Make somebody a member of a studio. Raises `ValidationFailed` for the address and the games, and `MemberExists`."""
    email = folded(decode(InviteMember, {"email": email, "role": role}).email)
    chosen = _chosen(tx, studio.studio_id, role, games)
    member = tx.find(BY_EMAIL, email)
    if member is None:
        member = tx.insert(MEMBERS, Member(member_id=_new_member_id(entropy), email=email, created_at=now))
    before = tx.get(MEMBERSHIPS, studio.studio_id, member.member_id)
    if before is not None and before.ended_at is None:
        raise MemberExists
    held = Membership(
        studio_id=studio.studio_id,
        member_id=member.member_id,
        role=role,
        games=chosen,
        since=now,
        # Entries of the audit trail from before go on with the name.
        name=None if before is None else before.name,
        signed_in_at=None if before is None else before.signed_in_at,
    )
    return member, tx.put(MEMBERSHIPS, held)


def _new_member_id(entropy: Entropy) -> str:
    """An id with any time: with its own one, a studio that invites could read since when others know the address."""
    return new_id("mbr", int.from_bytes(entropy.bytes(6), "big"), entropy)


def change_role(tx: Transaction, held: Membership, role: Role, games: Sequence[str] | None) -> Membership:
    """Give a member another role or other games. Raises `ValidationFailed` for the games, and `LastOwner`."""
    chosen = _chosen(tx, held.studio_id, role, games)
    if role != "OWNER":
        _keep_an_owner(tx, held)
    return tx.put(MEMBERSHIPS, evolve(held, role=role, games=chosen))


def end_membership(tx: Transaction, held: Membership, now: Millis) -> Membership:
    """End a membership, and with it the personal keys of the member in this studio.

    Who is a member of no other studio is signed out everywhere. Raises `LastOwner`.
    """
    _keep_an_owner(tx, held)
    ended = tx.put(MEMBERSHIPS, evolve(held, ended_at=now))
    end_personal_keys(tx, held.studio_id, held.member_id, now)
    if not memberships_of(tx, held.member_id):
        end_sessions_of(tx, held.member_id)
    return ended


def _keep_an_owner(tx: Transaction, held: Membership) -> None:
    if held.role != "OWNER":
        return
    owners = [row for row in tx.scan(OF_STUDIO, held.studio_id) if row.role == "OWNER" and row.ended_at is None]
    if len(owners) == 1:
        raise LastOwner


def _chosen(tx: Transaction, studio_id: str, role: Role, games: Sequence[str] | None) -> JsonText | None:
    """The games of a membership as the row holds them."""
    if games is None:
        return None
    if role in OF_ALL_GAMES:
        raise ValidationFailed({"games": f"must be left out for the role {role}, which is for all games"})
    faults: dict[str, str] = {}
    found = tx.read_all(Get(GAMES, (game_id,)) for game_id in games)
    for index, game in enumerate(found):
        if game is None or game.studio_id != studio_id or game.deleted_at is not None:
            faults[f"games[{index}]"] = "is not a game of this studio"
    if faults:
        raise ValidationFailed(faults)
    return JsonText(compact([*sorted(set(games))]))
