"""Entries of the record of reads that are given, and not learned: sequences rarely show them, or cannot.

Whoever sends an idempotency key has the server look for the answer that is kept under it, whatever the operation; and where
a ledger entry keeps the key for good, for that entry. What the spend in several windows reads is written with the arguments
in an expression, which learning does not look for. What is learned is added to these.
"""

from __future__ import annotations

from typing import Any, Final

from livecore.api.operations import OPERATIONS
from livecore.api.requests.idempotency import ANSWERS
from livecore.api.table.operation import Operation
from livecore.commerce.totals import PURCHASES_OF_PLAYER, SPEND_DAYS_OF_PLAYER
from livecore.economy.ledger import ENTRY_BY_KEY
from livecore.kernel.time import DAY
from livecore.players.player import BY_EXTERNAL_ID
from tests.laws.recording import Entries, name_of

_PLAYER: Final = {"as": "row0", "find": name_of(BY_EXTERNAL_ID), "by": ("externalId",)}
_IN_LEDGER: Final = frozenset({
    "sdk:wallet.debit", "sdk:inventory.consume", "server:wallet.credit", "server:wallet.debit", "server:inventory.grant",
    "server:inventory.revoke", "admin:wallet.adjust", "admin:inventory.adjust",
})  # fmt: skip
"""The operations whose entry in the ledger keeps the idempotency key for good."""


def given_reads() -> Entries:
    """What is given of each operation."""
    given = {operation.id: _kept(operation) for operation in OPERATIONS if _keeps_its_answer(operation)}
    return {**given, **{f"{surface}:spend.get": _spend_in_windows() for surface in ("server", "admin")}}


def _keeps_its_answer(operation: Operation) -> bool:
    """Whether the answer is kept among the rows of a game, so that it can be expected."""
    return operation.keyed and operation.reach == "game" and operation.reveals is None


def _kept(operation: Operation) -> list[dict[str, Any]]:
    owner = "row0.player_id" if operation.surface == "sdk" else repr(operation.surface)
    kept: list[dict[str, Any]] = [{"get": name_of(ANSWERS), "by": (owner, f"hidden({owner})")}]
    if operation.id in _IN_LEDGER:
        kept.append({"find": name_of(ENTRY_BY_KEY), "by": (f"hidden({owner})",)})
    first = [_PLAYER] if operation.surface == "sdk" else []
    return [*first, *({"as": f"row{at}", **entry} for at, entry in enumerate(kept, len(first)))]


def _spend_in_windows() -> list[dict[str, Any]]:
    first_whole_day = "day - each + 1"
    part = {"start": (f"now - each * {DAY}",), "stop": (f"({first_whole_day}) * {DAY}",)}
    each = {"for": "argument.windows", "by": ("row0.player_id",)}
    return [
        _PLAYER,
        {"as": "row1", **each, "scan": name_of(SPEND_DAYS_OF_PLAYER), "start": (first_whole_day,)},
        {"as": "row2", **each, "scan": name_of(PURCHASES_OF_PLAYER), **part},
    ]
