"""Crates, as the wire contract shows them."""

from __future__ import annotations

from typing import Final

from livecore.kernel.errors import JsonObject
from tests.contract.expected import KEY, NOON, Area, Route, SdkCall
from tests.contract.operations.grants import grant
from tests.contract.stories import MARK, Life, Scene, Step, Thing, Walk
from tests.worlds import crate as make_crate

# -- samples --------------------------------------------------------------------------------------------------------------

_CRATES: Final[JsonObject] = {
    "crates": [
        {
            "crateId": "01900000-0000-7000-8000-000000000002",
            "crateKey": "chest",
            "name": "Chest",
            "createdAt": NOON,
            "expiresAt": None,
        }
    ]
}
_OPENED: Final[JsonObject] = {
    "crate": {"crateId": "01900000-0000-7000-8000-000000000002", "crateKey": "chest", "openedAt": NOON},
    "rolls": [{"roll": 0, "row": 1}],
    "grant": grant(),
}
_ODDS: Final[JsonObject] = {
    "crateKey": "chest",
    "guaranteed": [{"type": "currency", "resourceKey": "gold", "amount": 2}],
    "rolls": [
        {
            "times": 1,
            "rows": [
                {"entries": [{"type": "item", "resourceKey": "potion", "amount": 1}], "probability": "0.75"},
                {"entries": [], "probability": "0.25"},
            ],
            "pity": {"after": 9, "row": 0},
        }
    ],
}

# -- operations -----------------------------------------------------------------------------------------------------------

_ROUTES: Final = (
    Route(
        "sdk", "crates.list", "GET /crates",
        answers="crates:heldCrate[]",
        calls=(SdkCall(lambda c: c.crates.list(), _CRATES),),
    ),
    Route(
        "sdk", "crates.open", "POST /crates/{crateId}/open",
        asks=f"crateId {KEY}",
        answers="crate:openedCrate rolls:rollResult[] grant:grant",
        refusals="player_banned crate_not_found grant_already_claimed grant_expired crate_undefined",
        calls=(SdkCall(lambda c: c.crates.open("0190-2"), _OPENED, at={"crateId": "0190-2"}),),
    ),
    Route(
        "sdk", "crates.odds", "GET /crates/{key}/odds",
        below="",
        credential="client_key",
        asks="key",
        answers="crateKey guaranteed:entry[] rolls:rollOdds[]",
        refusals="crate_not_found",
        named={"key": "chest"},
        calls=(SdkCall(lambda c: c.crates.odds("chest"), _ODDS, at={"key": "chest"}),),
    ),
)  # fmt: skip

# -- the walk -------------------------------------------------------------------------------------------------------------


def _open(walk: Walk) -> None:
    """A crate of the studio's that is opened; one in a reward, which is claimed; and one that is not opened in time."""
    bert = walk.player("bert")
    entry = {"type": "crate", "resourceKey": "chest", "amount": 1}
    given = walk.ask(
        walk.server, "grants.create", external_id="bert", idempotency_key="c1", kind="crate", entries=[entry]
    )
    walk.ask(bert, "crates.list")
    walk.ask(bert, "crates.open", crate_id=given["grant.grantId"])
    reward = walk.ask(walk.server, "grants.create", external_id="bert", idempotency_key="c2", entries=[entry])
    walk.ask(bert, "grants.claim", grant_id=reward["grant.grantId"])
    walk.ask(
        walk.server, "grants.create", external_id="bert", idempotency_key="c3", kind="crate", entries=[entry],
        expires_at="2026-01-03T00:00:00Z",
    )  # fmt: skip
    walk.ask(bert, "crates.list")
    walk.ask(bert, "crates.odds", key="chest")


_WALK: Final = (
    # three grants of the studio's, the contents of the one that is opened, and the crate of the claimed reward
    Step("trade", _open, {"grant.created": 5, "grant.claimed": 2, "crate.opened": 1}, then={"grant.expired": 1}),
)

# -- the marked life ------------------------------------------------------------------------------------------------------


def _open_marked(life: Life) -> None:
    """The crate that is opened is the marker's."""
    entry = {"type": "crate", "resourceKey": "chest", "amount": 1}
    more = {"external_id": MARK, "kind": "crate", "entries": [entry], "metadata": {MARK: MARK}, "source_ref_id": MARK}
    crate = life.ask(life.server, "grants.create", **more).text("grant.grantId")
    life.ask(life.marked, "crates.open", crate_id=crate)


# -- the scene of the authorization matrix --------------------------------------------------------------------------------


def _held(scene: Scene) -> str:
    return make_crate(scene.me, named="scene").text("grant.grantId")


AREA: Final = Area(
    routes=_ROUTES,
    rows={
        "heldCrate": "crateId crateKey name createdAt expiresAt",
        "openedCrate": "crateId crateKey openedAt",
        "rollResult": "roll row",
        "pity": "after row",
        "rollOdds": "times rows:rowOdds[] pity:pity",
        "rowOdds": "entries:entry[] probability",
    },
    refusals={404: "crate_not_found", 409: "crate_must_be_opened crate_undefined"},
    walk=_WALK,
    marked=(Step("trade", _open_marked),),
    things={"crateId": Thing(_held, "crate_not_found")},
)
