"""What members do about members: sessions, the studio, members with their roles, and personal keys.

All of it is in the directory. A unit of such a request knows the studio of the path, whose member the caller is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from livecore.access import members as rules
from livecore.access import personal_keys, sessions
from livecore.access.audit import KEY_USAGE, KeyUsage
from livecore.access.binding import opens, renew_invitation
from livecore.access.directory import STUDIOS, Studio
from livecore.access.member_rows import (
    CreatePersonalKey,
    GetSession,
    GetStudio,
    InviteMember,
    ListMembers,
    ListPersonalKeys,
    MemberGiven,
    MembersPage,
    OneMember,
    PersonalKeyGiven,
    PersonalKeyRevoked,
    PersonalKeyRow,
    PersonalKeysPage,
    Removed,
    RemoveMember,
    RevokePersonalKey,
    SessionShown,
    SignedOut,
    SignOut,
    StudioGiven,
    StudioOfSession,
    StudioRow,
    UpdateMember,
    UpdateStudio,
)
from livecore.access.members import MEMBERS, OF_STUDIO, Member, Membership
from livecore.access.personal_keys import PersonalKey
from livecore.access.principals import Principal
from livecore.access.refusals import PersonalKeyNotFound, SessionInvalid, StudioNotFound
from livecore.access.signing_in import note_sign_out
from livecore.kernel.errors import JsonObject
from livecore.kernel.storage.paging import page_by_time, page_that_fits
from livecore.kernel.storage.reads import Get
from livecore.kernel.storage.records import evolve
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Change, Unit
from livecore.kernel.wire.shapes import ABSENT

SECRET_BYTES = 25
"""The random bytes of a personal key."""


def _studio(unit: Unit) -> Studio:
    studio = unit.tx.get(STUDIOS, unit.studio_id)
    if studio is None:
        raise StudioNotFound
    return studio


def _principal(unit: Unit) -> Principal:
    principal = unit.principal
    if not isinstance(principal, Principal):
        raise SessionInvalid
    return principal


# -- sessions -------------------------------------------------------------------------------------------------------------


def get_session(unit: Unit, _: GetSession) -> SessionShown:
    """Who asks, and the studios of which they are a member; for a personal key only the key's own studio."""
    principal = _principal(unit)
    member = unit.tx.get(MEMBERS, principal.ref)
    if member is None:
        raise SessionInvalid
    shown = rules.memberships_of(unit.tx, member.member_id)
    if principal.kind == "session":
        session = unit.tx.get(sessions.SESSIONS, principal.credential)
        shown = [held for held in shown if session is not None and opens(held, session)]
    if principal.kind == "personal_key":
        key = unit.tx.get(personal_keys.PERSONAL_KEYS, principal.credential)
        shown = [held for held in shown if key is not None and held.studio_id == key.studio_id]
    return SessionShown(
        member=OneMember(member_id=member.member_id, email=member.email, name=_latest_name(shown)),
        studios=tuple(_studio_of_session(unit, held) for held in shown),
        via="session" if principal.via is None or principal.via == "cli" else principal.via,
    )


def _latest_name(shown: Sequence[Membership]) -> str | None:
    """What the identity provider called the person at the last sign-in to one of these studios."""
    return max(shown, key=lambda held: held.signed_in_at or 0).name if shown else None


def _studio_of_session(unit: Unit, held: Membership) -> StudioOfSession:
    studio = unit.tx.get(STUDIOS, held.studio_id)
    return StudioOfSession(
        studio_id=held.studio_id,
        name="" if studio is None else studio.name,
        role=held.role,
        games=rules.games_of(held),
    )


def sign_out(unit: Unit, _: SignOut) -> SignedOut:
    """End the session; every studio of the person can read of it in its audit trail."""
    session = unit.tx.get(sessions.SESSIONS, _principal(unit).credential)
    if session is None:
        raise SessionInvalid
    sessions.end_session(unit.tx, session.session_id)
    note_sign_out(unit.tx, unit.now, unit.entropy, session, address=unit.origin.address)
    return SignedOut(signed_out=True)


# -- the studio -----------------------------------------------------------------------------------------------------------


def get_studio(unit: Unit, _: GetStudio) -> StudioGiven:
    """The studio of the path."""
    return StudioGiven(studio=_studio_row(_studio(unit)))


def update_studio(unit: Unit, args: UpdateStudio) -> StudioGiven:
    """Give the studio another name."""
    before = _studio(unit)
    after = unit.tx.put(STUDIOS, evolve(before, name=args.name))
    unit.change = Change({"name": before.name}, {"name": after.name})
    return StudioGiven(studio=_studio_row(after))


def _studio_row(studio: Studio) -> StudioRow:
    return StudioRow(studio_id=studio.studio_id, name=studio.name, created_at=Timestamp(studio.created_at))


# -- members --------------------------------------------------------------------------------------------------------------


def list_members(unit: Unit, args: ListMembers) -> MembersPage:
    """The studio's members whom the caller sees, the newest first."""
    principal, page = _principal(unit), page_by_time(args)

    def shows(held: Membership) -> bool:
        return held.ended_at is None and rules.sees(principal, held)

    shown, following = page_that_fits(unit.tx, OF_STUDIO, (unit.studio_id,), page, shows)
    members = (rules.member_row(*each, seen=principal.games) for each in rules.with_members(unit.tx, shown))
    return MembersPage(members=tuple(members), next_cursor=following)


def judge_role(principal: Principal, body: JsonObject) -> None:
    """Only an owner makes an owner. Raises `PermissionDenied`."""
    if body.get("role") == "OWNER":
        principal.require("owner.manage")


def invite(unit: Unit, args: InviteMember) -> MemberGiven:
    """Make somebody a member, or invite a member again whose membership is bound to an account.

    Raises `ValidationFailed` for the games and `MemberExists`; for a member who is invited again as `update`.
    """
    before = rules.bound_membership(unit.tx, unit.studio_id, args.email)
    if before is not None:
        if before.role == "OWNER":
            unit.principal.require("owner.manage")
        after = renew_invitation(unit.tx, rules.change_role(unit.tx, before, args.role, args.games), unit.now)
        member, held = rules.require_membership(unit.tx, unit.studio_id, after.member_id)
    else:
        member, held = rules.add_member(
            unit.tx, _studio(unit), args.email, args.role, unit.now, unit.entropy, games=args.games
        )
    unit.audit_target = ("member", member.member_id)
    unit.change = Change(None if before is None else rules.shown_for_audit(before), rules.shown_for_audit(held))
    unit.audit_metadata = {"email": member.email}
    if before is not None:
        unit.audit_metadata["renewed"] = True
    return MemberGiven(member=rules.member_row(member, held))


def update(unit: Unit, args: UpdateMember) -> MemberGiven:
    """Change a member's role or games; from the next request on it holds.

    Refusals, in order: `MemberNotFound`, `PermissionDenied` for an owner who is changed by somebody who is none,
    `ValidationFailed`, `LastOwner`.
    """
    member, before = rules.require_membership(unit.tx, unit.studio_id, args.member_id)
    role = before.role if args.role is ABSENT else args.role
    if before.role == "OWNER":
        unit.principal.require("owner.manage")
    games = rules.games_kept(before, role) if args.games is ABSENT else args.games
    after = rules.change_role(unit.tx, before, role, games)
    unit.change = Change(rules.shown_for_audit(before), rules.shown_for_audit(after))
    return MemberGiven(member=rules.member_row(member, after))


def remove(unit: Unit, args: RemoveMember) -> Removed:
    """End a membership, and with it the personal keys of the member in this studio.

    Who is a member of no other studio is signed out. Refusals, in order: `MemberNotFound`, `PermissionDenied` for an owner
    by somebody who is none, `LastOwner`.
    """
    member, held = rules.require_membership(unit.tx, unit.studio_id, args.member_id)
    if held.role == "OWNER":
        unit.principal.require("owner.manage")
    rules.end_membership(unit.tx, held, unit.now)
    unit.change = Change(rules.shown_for_audit(held), None)
    unit.audit_metadata = {"email": member.email}
    return Removed(removed=True)


# -- personal keys --------------------------------------------------------------------------------------------------------


def list_personal_keys(unit: Unit, args: ListPersonalKeys) -> PersonalKeysPage:
    """One's own key, and for those who may manage all keys, everybody's, the newest first."""
    principal, page = _principal(unit), page_by_time(args)
    every = principal.holds("personal_key.manage_all")
    index = personal_keys.OF_STUDIO if every else personal_keys.OF_MEMBER
    prefix = (unit.studio_id,) if every else (unit.studio_id, principal.ref)
    shown, following = page_that_fits(unit.tx, index, prefix, page, lambda key: unit.now < key.ends_at)
    return PersonalKeysPage(personal_keys=_key_rows(unit, shown), next_cursor=following)


def create_personal_key(unit: Unit, args: CreatePersonalKey) -> PersonalKeyGiven:
    """Make oneself a personal key for this studio."""
    once = personal_keys.add_personal_key(
        unit.tx,
        unit.studio_id,
        _principal(unit).ref,
        args.name,
        unit.now,
        unit.entropy,
        secret=unit.secret_bytes(SECRET_BYTES),
        expires_in_days=args.expires_in_days,
        read_only=args.read_only,
    )
    unit.audit_target = ("personal_key", once.key.key_id)
    unit.change = Change(None, _shown_for_audit(once.key))
    return PersonalKeyGiven(personal_key=_key_row(unit, once.key), key=once.text)


def spell_personal_key(_: JsonObject, secret: bytes) -> str:
    """The text of a key that was made with these random bytes."""
    return personal_keys.spelled(secret)


def revoke_personal_key(unit: Unit, args: RevokePersonalKey) -> PersonalKeyRevoked:
    """End a key at once: one's own, or anybody's for those who may manage all keys. Raises `PersonalKeyNotFound`."""
    principal = _principal(unit)
    key = personal_keys.require_personal_key(unit.tx, unit.studio_id, args.key_id)
    if key.member_id != principal.ref and not principal.holds("personal_key.manage_all"):
        raise PersonalKeyNotFound
    personal_keys.revoke_personal_key(unit.tx, key, unit.now)
    unit.change = Change(_shown_for_audit(key), None)
    return PersonalKeyRevoked(revoked=True)


def _key_rows(unit: Unit, keys: Sequence[PersonalKey]) -> tuple[PersonalKeyRow, ...]:
    """Several keys, whose members and uses are read together."""
    found: list[Any] = unit.tx.read_all(
        (*(Get(MEMBERS, (key.member_id,)) for key in keys), *(Get[Any](KEY_USAGE, (key.key_id,)) for key in keys))
    )
    return tuple(map(_key_row_of, keys, found[: len(keys)], found[len(keys) :]))


def _key_row(unit: Unit, key: PersonalKey) -> PersonalKeyRow:
    return _key_rows(unit, [key])[0]


def _key_row_of(key: PersonalKey, member: Member | None, usage: KeyUsage | None) -> PersonalKeyRow:
    email = "" if member is None else member.email
    return personal_keys.personal_key_row(key, email, None if usage is None else usage.at)


def _shown_for_audit(key: PersonalKey) -> JsonObject:
    return {"name": key.name, "prefix": key.prefix, "readOnly": key.read_only, "memberId": key.member_id}
