"""Idempotent answers: the same key and the same request have one effect and one answer, for 24 hours.

The record of an answer is written in the transaction that takes effect. So a refused or failed write leaves none and may be
tried again with the same key, and of two at once one runs and the other finds its record. Keys are unique within game,
environment, surface and, on the client surface, player; never by API key, or rotating a key between two tries would run the
write twice. The fingerprint covers method, path and body (specification 7 and 8).
"""

from __future__ import annotations

import hashlib
import json
from typing import Final

from livecore.kernel.errors import Json
from livecore.kernel.records import PlayerId, record
from livecore.kernel.store import Transaction
from livecore.kernel.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.time import DAY, HOUR, Millis
from livecore.kernel.unit import Unit

__all__ = ["ANSWERS", "KEPT_FOR", "SWEEP", "IdempotentAnswer", "fingerprint_of", "keep", "kept", "sweep"]

KEPT_FOR: Final[Millis] = DAY
SWEEP: Final = "idempotency.sweep"
_BATCH = 1_000
_CANONICAL = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))


@record
class IdempotentAnswer:
    """What a request with this key was answered; `owner` is the player, or `server`."""

    owner: str
    idempotency_key: str
    player_id: PlayerId | None
    fingerprint: str
    status: int
    body: str
    expires_at: Millis


ANSWERS = Table(
    "idempotent_answers",
    IdempotentAnswer,
    key=("owner", "idempotency_key"),
    players={"player_id": PlayerColumn(Merge.KEEP_TARGET, Erase.DELETE)},
)
BY_EXPIRY = ANSWERS.index("by_expiry", order=("expires_at",))
OF_PLAYER = ANSWERS.index("of_player", prefix=("player_id",), order=("expires_at",))


def fingerprint_of(method: str, path: str, body: Json) -> str:
    """What tells one request from another under the same key: method, path and canonical body."""
    canonical = _CANONICAL.encode(body) if body else ""
    return hashlib.sha256(f"{method}\n{path}\n{canonical}".encode("utf-8", "surrogatepass")).hexdigest()


def kept(tx: Transaction, owner: str, key: str, now: Millis) -> IdempotentAnswer | None:
    """The answer that was given under this key within the last 24 hours."""
    answer = tx.get(ANSWERS, owner, key)
    return answer if answer is not None and now < answer.expires_at else None


def keep(unit: Unit, owner: str, key: str, status: int, body: str) -> None:
    """Remember the answer to the request that is being run."""
    unit.tx.put(
        ANSWERS,
        IdempotentAnswer(
            owner=owner,
            idempotency_key=key,
            player_id=None if unit.player_id is None else PlayerId(unit.player_id),
            fingerprint=unit.fingerprint or "",
            status=status,
            body=body,
            expires_at=unit.now + KEPT_FOR,
        ),
    )


def sweep(unit: Unit, ref: str) -> None:
    """Forget answers older than 24 hours, every hour, in batches."""
    rows = unit.tx.scan(BY_EXPIRY, stop=(unit.now + 1,), limit=_BATCH)
    for row in rows:
        unit.tx.delete(ANSWERS, row.owner, row.idempotency_key)
    unit.schedule(SWEEP, ref, unit.now if len(rows) == _BATCH else (unit.now // HOUR + 1) * HOUR)
