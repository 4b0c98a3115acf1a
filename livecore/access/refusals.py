"""The refusals of keys, sessions and members: the caller is not known, or may not do this."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from livecore.kernel.errors import Conflict, Forbidden, Json, NotFound, Unauthorized


class ApiKeyMissing(Unauthorized):
    """The request carries no `Authorization: Bearer` API key."""

    code = "api_key_missing"
    text = "Send an API key as 'Authorization: Bearer <key>'."
    remedy = "Send the key in the `Authorization` header."


class ApiKeyInvalid(Unauthorized):
    """This deployment has no such API key."""

    code = "api_key_invalid"
    text = "This API key is not known here."
    remedy = "Check that the key is complete and belongs to this deployment."


class ApiKeyRevoked(Unauthorized):
    """The API key was revoked, or its 60 days of grace after a rotation are over."""

    code = "api_key_revoked"
    text = "This API key has been revoked."
    remedy = "Ask the studio for its current key."


class SessionInvalid(Unauthorized):
    """The operator's session is missing, unknown or over."""

    code = "session_invalid"
    text = "Sign in again."
    remedy = "Sign in again."


class WrongPermissionSet(Forbidden):
    """A client key was used on a server route, or a server key on a client route."""

    code = "wrong_permission_set"
    text = "This key's permission set does not cover this route."
    remedy = "Use a client key on `/sdk/v1` and a server key on `/server/v1`; never put a server key into a game."


class TestEnvironmentOnly(Forbidden):
    """The route or option exists for test keys and test players only."""

    code = "test_environment_only"
    text = "Only a test-environment key may do this."
    remedy = "Use a test key; in the live environment the studio's backend rotates the secret."


class PermissionDenied(Forbidden):
    """The member's role does not allow this; `details.permission` names the missing permission."""

    code = "permission_denied"
    text = "Your role does not allow this."
    remedy = "Ask an administrator of the studio."
    example: ClassVar[Mapping[str, Json]] = {"permission": "player.ban"}


class DashboardOnly(Forbidden):
    """A personal key was used for an action that only a signed-in member may do."""

    code = "dashboard_only"
    text = "This can only be done by a member who is signed in."
    remedy = "Sign in to the dashboard and do it there; personal keys cannot do this."


class ReadOnlyKey(Forbidden):
    """A read-only personal key was used for a change."""

    code = "read_only_key"
    text = "This key can only read."
    remedy = "Use a key that may write."


class GameNotFound(NotFound):
    """The path names a game that does not exist or is not the key's."""

    code = "game_not_found"
    text = "There is no such game."
    remedy = "Use the game's own key, or correct the path."


class ApiKeyEnded(Conflict):
    """The key has ended, or has a successor already."""

    code = "api_key_ended"
    text = "This API key has ended, or has been rotated before."
    remedy = "Rotate its successor instead, or make a new key."


class ApiKeyNotFound(NotFound):
    """No such API key in this game."""

    code = "api_key_not_found"
    text = "There is no such API key."
    remedy = "List the game's keys and name one of them."


class SameOriginRequired(Forbidden):
    """A signed-in browser sent a change that no page of this service has caused."""

    code = "same_origin_required"
    text = "This request must come from a page of this service."
    remedy = "Send it from the operator portal; scripts use a personal key instead of a session."


class StudioNotFound(NotFound):
    """The path names a studio that does not exist, or one that the caller is not a member of."""

    code = "studio_not_found"
    text = "There is no such studio."
    remedy = "Name a studio of which you are a member."


class MemberNotFound(NotFound):
    """No such member in this studio."""

    code = "member_not_found"
    text = "There is no such member."
    remedy = "List the studio's members and name one of them."


class MemberExists(Conflict):
    """The person is a member of this studio already, and has not signed in since the invitation, so it still holds."""

    code = "member_exists"
    text = "This person is a member already."
    remedy = "Change the member's role instead."


class LastOwner(Conflict):
    """The studio would be left without an owner."""

    code = "last_owner"
    text = "A studio needs an owner."
    remedy = "Make somebody else an owner first."


class PersonalKeyNotFound(NotFound):
    """No such personal key in this studio, or it is another member's."""

    code = "personal_key_not_found"
    text = "There is no such personal key."
    remedy = "List the personal keys and name one of them."
