"""Sessions, the studio, members and personal keys, as the wire contract shows them."""

from __future__ import annotations

from typing import Final

from tests.contract.expected import DOCUMENT, KEY, PAGE, Area, Route
from tests.contract.stories import Scene, Thing
from tests.worlds import text_at

_STUDIO: Final = "/studios/{studioId}"


def _member(here: Scene) -> str:
    """A member who is no owner."""
    given = here.world.operator().call("members.invite", email="viewer-of-the-scene@example.com", role="VIEWER")
    return text_at(given, "member", "memberId")


def _personal_key(here: Scene) -> str:
    """A personal key of the owner of the scene."""
    made = here.world.operator().call("personalKeys.create", name="script", expires_in_days=7)
    return text_at(made, "personalKey", "keyId")


_ROUTES: Final = (
    Route("admin", "openapi.get", "GET /openapi.json", below="", answers=DOCUMENT),
    Route("admin", "session.get", "GET /session", below="", answers="member:sessionMember studios:sessionStudio[] via"),
    Route(
        "admin", "session.signOut", "POST /sign-out", below="", asks=KEY, answers="signedOut", dashboard_only=True,
        repeats="new",
    ),
    Route("admin", "studios.get", "GET", below=_STUDIO, answers="studio:studio", permission="studio.read"),
    Route(
        "admin", "studios.update", "PATCH", below=_STUDIO, asks=f"name {KEY}", answers="studio:studio",
        permission="studio.manage",
    ),
    Route(
        "admin", "members.list", "GET /members", below=_STUDIO, asks=PAGE, answers="members:member[] nextCursor",
        permission="member.read",
    ),
    Route(
        "admin", "members.invite", "POST /members", below=_STUDIO, asks=f"email role games? {KEY}", statuses=(201,),
        answers="member:member", refusals="member_exists last_owner", permission="member.manage", dashboard_only=True,
    ),
    Route(
        "admin", "members.update", "PATCH /members/{memberId}", below=_STUDIO, asks=f"memberId role? games? {KEY}",
        answers="member:member", refusals="member_not_found last_owner", permission="member.manage",
        dashboard_only=True,
    ),
    Route(
        "admin", "members.remove", "DELETE /members/{memberId}", below=_STUDIO, asks=f"memberId {KEY}",
        answers="removed", refusals="member_not_found last_owner", permission="member.manage", dashboard_only=True,
    ),
    Route(
        "admin", "personalKeys.list", "GET /personal-keys", below=_STUDIO, asks=PAGE,
        answers="personalKeys:personalKey[] nextCursor",
        permission="personal_key.read",
    ),
    Route(
        "admin", "personalKeys.create", "POST /personal-keys", below=_STUDIO,
        asks=f"name expiresInDays readOnly? {KEY}", statuses=(201,), answers="personalKey:personalKey key",
        dashboard_only=True,
    ),
    Route(
        "admin", "personalKeys.revoke", "DELETE /personal-keys/{keyId}", below=_STUDIO, asks=f"keyId {KEY}",
        answers="revoked", refusals="personal_key_not_found", dashboard_only=True,
        things={"keyId": Thing(_personal_key)},
    ),
)  # fmt: skip


AREA: Final = Area(
    routes=_ROUTES,
    rows={
        "sessionMember": "memberId email name",
        "sessionStudio": "studioId name role games",
        "studio": "studioId name createdAt",
        "member": "memberId email name role games since lastSignInAt bound",
        "personalKey": "keyId memberId email name prefix readOnly createdAt expiresAt lastUsedAt",
    },
    refusals={404: "member_not_found personal_key_not_found", 409: "member_exists last_owner"},
    operated={"memberId": Thing(_member)},
)
