"""Idempotent answers: the same key and the same request have one effect and one answer, for 24 hours.

The record of an answer is written in the transaction that takes effect. So a refused or failed write leaves none and may be
tried again with the same key, and of two at once one runs and the other finds its record. Keys are unique within game,
environment, surface and, on the client surface, player; never by API key, or rotating a key between two tries would run the
write twice. The fingerprint covers method, path and body (specification 7 and 8).

Of a key only a hash is kept, for callers make keys of names. The record of a merge or an erasure may outlive the
players whom it was about, and must not tell who they were: it names nobody, and its fingerprint is hashed once more, under
the key of former ids.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Final

from livecore.kernel.durable import hidden
from livecore.kernel.errors import Json
from livecore.kernel.jobs import MOST_ROWS, START, Cursor, Job
from livecore.kernel.policies import Erasing, Merging, clear_all, rewrite_all
from livecore.kernel.records import PlayerId, record
from livecore.kernel.store import Wanted
from livecore.kernel.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.texts import texts_in
from livecore.kernel.time import DAY, Millis, next_hour
from livecore.kernel.unit import Unit

__all__ = [
    "ANSWERS",
    "KEPT_FOR",
    "SWEEP",
    "IdempotentAnswer",
    "fingerprint_of",
    "follow",
    "forget_shown",
    "keep",
    "kept",
    "kept_ahead",
    "players_named",
]

KEPT_FOR: Final[Millis] = DAY
ANYBODY: Final = "/"
"""Instead of an id, which has no slash: the request was about no single player and may have named many."""
_CANONICAL = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))


@record
class IdempotentAnswer:
    """What a request with this key was answered; `owner` is the player, or `server`.

    `idempotency_key` is a hash of the caller's key.
    `shows` is the studio's id of the other player whom request or answer name, if they name one, or `ANYBODY`.
    """

    owner: str
    idempotency_key: str
    player_id: PlayerId | None
    fingerprint: str
    status: int
    body: str
    expires_at: Millis
    shows: str | None = None


ANSWERS = Table(
    "idempotent_answers",
    IdempotentAnswer,
    key=("owner", "idempotency_key"),
    # A merged player's answers run out like all others, so that the studio's late retries still find theirs.
    players={"player_id": PlayerColumn(Merge.RETAIN, Erase.DELETE)},
    export=(),
)
BY_EXPIRY = ANSWERS.index("by_expiry", order=("expires_at",))
OF_PLAYER = ANSWERS.index("of_player", prefix=("player_id",), order=("expires_at",))
SHOWING = ANSWERS.index("showing", prefix=("shows",), order=("expires_at",))


def fingerprint_of(method: str, path: str, body: Json) -> str:
    """What tells one request from another under the same key: method, path and canonical body."""
    canonical = _CANONICAL.encode(body) if body else ""
    return hashlib.sha256(f"{method}\n{path}\n{canonical}".encode("utf-8", "surrogatepass")).hexdigest()


def kept(unit: Unit, owner: str, key: str) -> IdempotentAnswer | None:
    """The answer that was given under this key within the last 24 hours."""
    answer = unit.tx.get(ANSWERS, owner, hidden(unit.scope, owner, key))
    return answer if answer is not None and unit.now < answer.expires_at else None


def kept_ahead(unit: Unit, owner: str, key: str) -> Iterator[Wanted]:
    """What `kept` is going to read."""
    yield ANSWERS, (owner, hidden(unit.scope, owner, key))


def keep(unit: Unit, owner: str, key: str, status: int, body: str, *, named: Iterable[str] = ()) -> None:
    """Remember the answer to the request that is being run; `named` are the players whom the two name."""
    others = sorted(set(named) - {unit.external_id})
    unit.tx.put(
        ANSWERS,
        IdempotentAnswer(
            owner=owner,
            idempotency_key=hidden(unit.scope, owner, key),
            player_id=None if unit.player_id is None else PlayerId(unit.player_id),
            fingerprint=unit.fingerprint or "",
            status=status,
            body=body,
            expires_at=unit.now + KEPT_FOR,
            shows=ANYBODY if unit.external_id is None else (others[0] if others else None),
        ),
    )


def players_named(*shapes: object) -> set[str]:
    """The studio's ids of all players whom a request or its answer name; a write about one player names one more at most.

    The placeholder of somebody who is gone names nobody.
    """
    endings = ("external_id", "external_player_id")
    return {text for name, text in texts_in(shapes) if name.endswith(endings) and not name.startswith("anonymized")}


def follow(unit: Unit, merging: Merging) -> None:
    """Answers that others were given about the source are found under the target's id from now on."""
    place = (merging.source_external_id,)
    rewrite_all(unit.tx, SHOWING, place, {"shows": merging.target_external_id})


def forget_shown(unit: Unit, erasing: Erasing) -> None:
    """Forget the answers that others were given about the player, and those that may name anybody."""
    for shown in (erasing.external_id, ANYBODY):
        clear_all(unit.tx, SHOWING, (shown,))


def _sweep(unit: Unit, _ref: str, _cursor: Cursor) -> Cursor | None:
    rows = unit.tx.scan(BY_EXPIRY, stop=(unit.now + 1,), limit=MOST_ROWS)
    for row in rows:
        unit.tx.delete(ANSWERS, row.owner, row.idempotency_key)
    return START if len(rows) == MOST_ROWS else None


SWEEP: Final = Job("idempotency.sweep", _sweep, recurs=next_hour)
"""Forgets answers older than 24 hours, every hour."""
