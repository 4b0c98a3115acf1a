"""API keys, as operators manage them."""

from __future__ import annotations

from typing import Final

from tests.contract.expected import KEY, PAGE, Area, Route
from tests.contract.stories import Scene, Thing
from tests.worlds import text_at


def _api_key(here: Scene) -> str:
    """A key of the game that nobody uses."""
    made = here.world.operator().call("keys.create", environment="test", permission="client", name="spare")
    return text_at(made, "key", "keyId")


_ROUTES: Final = (
    Route(
        "admin", "keys.list", "GET /keys", asks=f"gameId environment? {PAGE}", answers="keys:apiKey[] nextCursor",
        permission="api_key.read",
    ),
    Route(
        "admin", "keys.create", "POST /keys", asks=f"gameId environment permission name? {KEY}", statuses=(201,),
        answers="key:apiKey text", permission="api_key.manage", dashboard_only="live",
    ),
    Route(
        "admin", "keys.rotate", "POST /keys/{keyId}/rotate", asks=f"gameId keyId environment? {KEY}", query="environment",
        answers="key:apiKey rotated:apiKey text", refusals="api_key_not_found api_key_ended",
        permission="api_key.manage", dashboard_only=True,
    ),
    Route(
        "admin", "keys.revoke", "POST /keys/{keyId}/revoke", asks=f"gameId keyId environment? {KEY}", query="environment",
        answers="key:apiKey",
        refusals="api_key_not_found", permission="api_key.manage", dashboard_only=True,
    ),
)  # fmt: skip


AREA: Final = Area(
    routes=_ROUTES,
    rows={
        "apiKey": ("keyId prefix environment permission name status createdAt rotatedAt endsAt lastUsedAt lastUsedSdk"),
    },
    refusals={409: "api_key_ended"},
    operated={"keyId": Thing(_api_key)},
)
