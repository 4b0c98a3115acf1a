"""Crates: what a player holds, what is in it, and with which chances."""

from __future__ import annotations

from typing import Final

from livecore.api.table.operation import Link, Operation
from livecore.api.table.player_routes import SDK
from livecore.economy import crate_rows as rows
from livecore.economy import crates
from livecore.economy.refusals import CrateNotFound, CrateUndefined, GrantAlreadyClaimed, GrantExpired

OPERATIONS: Final[tuple[Operation, ...]] = (
    SDK.read(
        "crates.list",
        "/crates",
        rows.ListCrates,
        rows.Crates,
        crates.list_crates,
        summary="List the crates that one holds.",
        about=(
            "The newest 200 that can be opened, newest first. Each is a pending grant too, and its id is the id of the "
            "grant."
        ),
        links={
            200: (Link("crates.open", "crateId", "crates/0/crateId"), Link("crates.odds", "key", "crates/0/crateKey"))
        },
    ),
    SDK.write(
        "crates.open",
        "POST /crates/{crateId}/open",
        rows.OpenCrate,
        {200: rows.Opened},
        crates.open_crate,
        CrateNotFound,
        GrantAlreadyClaimed,
        GrantExpired,
        CrateUndefined,
        summary="Open a crate.",
        about=(
            "Draws the contents, which then wait to be claimed in a grant of their own. `rolls` tells which row each roll "
            "gave. The draw can be derived again later from a seed that the service has recorded."
        ),
        links={200: (Link("grants.claim", "grantId", "grant/grantId"),)},
    ),
    Operation(
        name="crates.odds",
        surface="sdk",
        method="GET",
        path="/sdk/v1/crates/{key}/odds",
        credential="client_key",
        bucket="sdk_read",
        args=rows.GetOdds,
        answers={200: rows.CrateOdds},
        handler=crates.odds,
        summary="Read what a crate may hold, and with which chances.",
        about=(
            "The probabilities of a roll's rows are decimal numbers that add up to exactly 1. With `pity`, its row is given "
            "in the first roll of an opening when `after` openings in a row have not given it."
        ),
        errors=(CrateNotFound,),
    ),
)
