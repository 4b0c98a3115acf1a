"""Grants, as the specification and the wire contract show them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from livecore.kernel.errors import JsonObject
from livecore_client import rows
from tests.contract.expected import KEY, NOON, PAGE, Area, Route, SdkCall, ServerCall
from tests.contract.stories import MARK, Life, Scene, Step, Thing, Walk
from tests.worlds import grant as make_grant

# -- samples --------------------------------------------------------------------------------------------------------------


def grant(grant_id: str = "01900000-0000-7000-8000-000000000002") -> JsonObject:
    """A grant, as the wire contract lists its fields."""
    return {
        "grantId": grant_id,
        "status": "pending",
        "kind": "reward",
        "entries": [{"type": "item", "resourceKey": "potion", "amount": 2, "parameters": {"level": 3}}],
        "sourceKind": "api",
        "sourceRefId": None,
        "metadata": {"season": 4},
        "createdAt": NOON,
        "expiresAt": None,
        "claimedAt": None,
        "ackedBy": None,
    }


GRANT: Final[JsonObject] = {"grant": grant()}
GRANTS: Final[JsonObject] = {"grants": [grant()], "nextCursor": None}

# -- operations -----------------------------------------------------------------------------------------------------------

_REFUSED: Final = "grant_not_found crate_must_be_opened grant_expired gift_expired balance_overflow"
_ONE: Final = {"grantId": "0190-2"}

_ROUTES: Final = (
    Route(
        "sdk", "grants.listPending", "GET /pending-grants",
        asks=PAGE,
        answers="grants:grant[] nextCursor",
        calls=(SdkCall(lambda c: c.grants.list_pending(limit=7), GRANTS, query={"limit": "7"}),),
    ),
    Route(
        "sdk", "grants.claim", "POST /grants/{grantId}/claim",
        asks=f"grantId {KEY}",
        answers="grant:grant",
        refusals=f"player_banned grant_already_claimed {_REFUSED}",
        calls=(SdkCall(lambda c: c.grants.claim("0190-2"), GRANT, at=_ONE),),
    ),
    Route(
        "server", "grants.create", "POST /grants",
        statuses=(201, 200),
        asks="idempotencyKey entries:entry[] kind? expiresAt? sourceKind? sourceRefId? metadata?",
        answers="grant:grant",
        refusals="system_resource_locked",
        body={
            "idempotencyKey": "k",
            "entries": [{"type": "currency", "resourceKey": "gold", "amount": 1}],
        },
        calls=(
            ServerCall(
                lambda c: c.grants.create(
                    "anna",
                    entries=[rows.RewardEntry(type="item", resource_key="potion", amount=2)],
                    idempotency_key="season-4", metadata={"season": 4}, expires_at=datetime(2026, 2, 1, tzinfo=UTC),
                ),
                GRANT,
                body={
                    "idempotencyKey": "season-4", "metadata": {"season": 4}, "expiresAt": "2026-02-01T00:00:00.000Z",
                    "entries": [{"type": "item", "resourceKey": "potion", "amount": 2}],
                },
            ),
        ),
    ),
    Route(
        "server", "grants.ack", "POST /grants/{grantId}/ack",
        asks=f"grantId {KEY}",
        answers="grant:grant",
        refusals=f"player_not_found {_REFUSED}",
        calls=(ServerCall(lambda c: c.grants.ack("anna", "0190-2"), GRANT, at=_ONE),),
    ),
)  # fmt: skip

# -- the walk -------------------------------------------------------------------------------------------------------------


def _reward(walk: Walk) -> None:
    """Three rewards for bert, one of which stays open, and one for somebody whom nobody knew."""
    entries = [
        {"type": "currency", "resourceKey": "gold", "amount": 5},
        {"type": "item", "resourceKey": "sword", "amount": 1, "parameters": {"level": 2}},
    ]
    more = {"external_id": "bert", "entries": entries, "metadata": {"season": 1}, "source_ref_id": "s1"}
    made = [walk.ask(walk.server, "grants.create", idempotency_key=key, **more) for key in ("g1", "g2", "g3")]
    walk.ask(walk.server, "grants.create", idempotency_key="g1", **more)
    bert = walk.player("bert")
    walk.ask(bert, "grants.listPending")
    walk.ask(bert, "grants.claim", grant_id=made[0]["grant.grantId"])
    walk.ask(walk.server, "grants.ack", external_id="bert", grant_id=made[1]["grant.grantId"])
    soon = {"entries": entries[:1], "expires_at": "2026-01-03T00:00:00Z"}
    walk.ask(walk.server, "grants.create", external_id="erik", idempotency_key="g4", **soon)


_WALK: Final = (
    # four; of bert two are paid out, each in gold and a sword; erik is registered by his, without a secret, and loses it
    Step("trade", _reward, {
        "grant.created": 4, "grant.claimed": 2, "wallet.changed": 2, "inventory.changed": 2, "player.registered": 1,
    }, then={"grant.expired": 1}),
)  # fmt: skip

# -- the marked life ------------------------------------------------------------------------------------------------------


def _reward_marked(life: Life) -> None:
    """One reward is claimed, one acknowledged, and one stays open."""
    entry = {"type": "item", "resourceKey": "sword", "amount": 1, "parameters": {MARK: {MARK: [MARK]}}}
    more = {"external_id": MARK, "entries": [entry], "metadata": {MARK: MARK}, "source_ref_id": MARK}
    claimed, acknowledged, _ = (life.ask(life.server, "grants.create", **more).text("grant.grantId") for _ in range(3))
    life.ask(life.marked, "grants.claim", grant_id=claimed)
    life.ask(life.server, "grants.ack", external_id=MARK, grant_id=acknowledged)


# -- the scene of the authorization matrix --------------------------------------------------------------------------------


def _granted(scene: Scene) -> str:
    return make_grant(scene.me).text("grant.grantId")


AREA: Final = Area(
    routes=_ROUTES,
    rows={
        "entry": "type resourceKey amount parameters?",
        "grant": (
            "grantId status kind entries:entry[] sourceKind sourceRefId metadata createdAt expiresAt claimedAt ackedBy"
        ),
    },
    refusals={404: "grant_not_found", 409: "grant_already_claimed", 410: "grant_expired"},
    walk=_WALK,
    marked=(Step("trade", _reward_marked),),
    things={"grantId": Thing(_granted, "grant_not_found")},
)
