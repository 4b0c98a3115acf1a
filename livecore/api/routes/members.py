"""The operators themselves: sessions, the studio, members and personal keys."""

from __future__ import annotations

from typing import Final

from livecore.access import managing_members, member_rows
from livecore.access.refusals import LastOwner, MemberExists, MemberNotFound, PersonalKeyNotFound
from livecore.api.table.admin_routes import STUDIO, member_read, member_write
from livecore.api.table.operation import Answer, Operation, Reveals
from livecore.kernel.units.unit import Unit

_FORGET_COOKIES: Final = (
    ("Set-Cookie", "__Host-livecore=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax"),
    ("Set-Cookie", "livecore=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax"),
)


def _sign_out(unit: Unit, args: member_rows.SignOut) -> Answer:
    return Answer(200, managing_members.sign_out(unit, args), _FORGET_COOKIES)


OPERATIONS: Final[tuple[Operation, ...]] = (
    member_read(
        "session.get",
        "/admin/v1/session",
        member_rows.GetSession,
        member_rows.SessionShown,
        managing_members.get_session,
        permission=None,
        reach="directory",
        summary="Read who is signed in.",
        about="The studios are those of which the person is a member; with a personal key only the key's own.",
    ),
    member_write(
        "session.signOut",
        "POST /admin/v1/sign-out",
        member_rows.SignOut,
        {200: member_rows.SignedOut},
        _sign_out,
        permission=None,
        reach="directory",
        dashboard_only=True,
        # A second one would find no session. It leaves an entry for each studio of the person, by itself.
        keyed=False,
        audited=False,
        summary="End the session.",
        about="The session's cookie is taken out of the browser, and opens nothing any more.",
    ),
    member_read(
        "studios.get",
        STUDIO,
        member_rows.GetStudio,
        member_rows.StudioGiven,
        managing_members.get_studio,
        permission="studio.read",
        reach="directory",
        summary="Read a studio.",
    ),
    member_write(
        "studios.update",
        f"PATCH {STUDIO}",
        member_rows.UpdateStudio,
        {200: member_rows.StudioGiven},
        managing_members.update_studio,
        permission="studio.manage",
        destructive=False,
        reach="directory",
        target=("studio", "studioId"),
        summary="Rename a studio.",
        about="`name` has 1 to 100 characters.",
    ),
    member_read(
        "members.list",
        f"{STUDIO}/members",
        member_rows.ListMembers,
        member_rows.MembersPage,
        managing_members.list_members,
        permission="member.read",
        reach="directory",
        summary="List the members of a studio.",
        about=(
            "The newest first, at most `limit` (1 to 200) from `cursor` on. A member for named games sees the members who "
            "share one of them, with the games that they share."
        ),
    ),
    member_write(
        "members.invite",
        f"POST {STUDIO}/members",
        member_rows.InviteMember,
        {201: member_rows.MemberGiven},
        managing_members.invite,
        MemberExists,
        LastOwner,
        permission="member.manage",
        reach="directory",
        dashboard_only=True,
        judge=managing_members.judge_role,
        summary="Make somebody a member.",
        about=(
            "The person signs in with the identity provider that confirms `email`, and the first sign-in binds the "
            "membership to the account there. No mail is sent. `games` limits the role to some games; OWNER and ADMIN are "
            "for all. Only an owner makes an owner. Inviting a member again whose membership is bound renews the "
            "invitation, with the role and the games that are given: personal keys end, sessions open the studio no more, "
            "and the next sign-in with the address binds it again."
        ),
    ),
    member_write(
        "members.update",
        f"PATCH {STUDIO}/members/{{memberId}}",
        member_rows.UpdateMember,
        {200: member_rows.MemberGiven},
        managing_members.update,
        MemberNotFound,
        LastOwner,
        permission="member.manage",
        reach="directory",
        dashboard_only=True,
        target=("member", "memberId"),
        judge=managing_members.judge_role,
        summary="Change a member's role or games.",
        about="It takes effect with the member's next request. Null for `games` is all games; what is left out stays.",
    ),
    member_write(
        "members.remove",
        f"DELETE {STUDIO}/members/{{memberId}}",
        member_rows.RemoveMember,
        {200: member_rows.Removed},
        managing_members.remove,
        MemberNotFound,
        LastOwner,
        permission="member.manage",
        reach="directory",
        dashboard_only=True,
        target=("member", "memberId"),
        summary="Remove a member.",
        about="The member's personal keys and sessions end with it. The last owner cannot be removed.",
    ),
    member_read(
        "personalKeys.list",
        f"{STUDIO}/personal-keys",
        member_rows.ListPersonalKeys,
        member_rows.PersonalKeysPage,
        managing_members.list_personal_keys,
        permission="personal_key.read",
        reach="directory",
        summary="List personal keys.",
        about=(
            "One's own; owners and admins see those of all members. The newest first, at most `limit` (1 to 200) from "
            "`cursor` on; a key that has ended is not among them. A key's text is never shown again."
        ),
    ),
    member_write(
        "personalKeys.create",
        f"POST {STUDIO}/personal-keys",
        member_rows.CreatePersonalKey,
        {201: member_rows.PersonalKeyGiven},
        managing_members.create_personal_key,
        permission=None,
        reach="directory",
        dashboard_only=True,
        reveals=Reveals("key", managing_members.SECRET_BYTES, managing_members.spell_personal_key),
        summary="Make oneself a personal key.",
        about=(
            "By it a script or an assistant does what one's role allows, or only reads with `read_only`. It ends after "
            "`expires_in_days` (7 to 365). The key is shown this once, and one's earlier key of this studio is revoked."
        ),
    ),
    member_write(
        "personalKeys.revoke",
        f"DELETE {STUDIO}/personal-keys/{{keyId}}",
        member_rows.RevokePersonalKey,
        {200: member_rows.PersonalKeyRevoked},
        managing_members.revoke_personal_key,
        PersonalKeyNotFound,
        permission=None,
        reach="directory",
        dashboard_only=True,
        target=("personal_key", "keyId"),
        summary="Revoke a personal key.",
        about="One's own; owners and admins may revoke every key.",
    ),
)
