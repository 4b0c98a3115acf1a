"""Idempotent answers: the same key and the same request have one effect and one answer, for 24 hours.

The record of an answer is written in the transaction that takes effect. So a refused or failed write leaves none and may be
tried again with the same key, and of two at once one runs and the other finds its record. Keys are unique within game,
environment, surface and, on the client surface, player; never by API key, or rotating a key between two tries would run the
write twice. The fingerprint covers method, path and body (specification 7 and 8).

Of a key only a hash is kept, for callers make keys of names. The record of a merge or an erasure may outlive the
players whom it was about, and must not tell who they were: it names nobody, and its fingerprint is hashed once more, under
the key of former ids.

An answer is also kept about the players whom it names, and goes when one of them is erased. One name stands in the row
itself, and that is all that most answers need; where there are more, they stand in `livecore.api.answer_mentions`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from livecore.api.answer_mentions import MENTIONS_OF_ANSWER, MENTIONS_OF_NAME, forget_mentions, mention_all
from livecore.kernel.errors import Json
from livecore.kernel.jobs import MOST_ROWS, START, Cursor, Job
from livecore.kernel.mentions import may_name_anybody, mentioned
from livecore.kernel.permanent_idempotency import hidden
from livecore.kernel.player_lifecycle import Erasing, Merging, clear_all, rewrite_all
from livecore.kernel.records import PlayerId, record
from livecore.kernel.store import Wanted
from livecore.kernel.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.time import DAY, Millis, next_hour
from livecore.kernel.unit import Unit

__all__ = [
    "ANSWERS",
    "KEPT_FOR",
    "SCRUB",
    "SEVERAL",
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
"""Instead of an id, which has no slash: the request has rows that were read one by one, and they may have named anybody."""
SEVERAL: Final = "//"
"""Instead of an id: request and answer name several other players, who stand in a table of their own."""
_CANONICAL = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))


@record
class IdempotentAnswer:
    """What a request with this key was answered; `owner` is the player, or `server`.

    `idempotency_key` is a hash of the caller's key.
    `shows` is the studio's id of the other player whom request or answer name, if they name one, or `SEVERAL`, or `ANYBODY`.
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
    if answer is None or unit.now < answer.expires_at:
        return answer
    if answer.shows == SEVERAL:
        # Another answer is going to take its place, and names others.
        forget_mentions(unit.tx, answer.owner, answer.idempotency_key)
    return None


def kept_ahead(unit: Unit, owner: str, key: str) -> Iterator[Wanted]:
    """The reads of `kept`, to announce them."""
    yield ANSWERS, (owner, hidden(unit.scope, owner, key))


def keep(unit: Unit, owner: str, key: str, status: int, body: str, *, named: Iterable[str] = ()) -> None:
    """Remember the answer to the request that is being run; `named` are the players whom the two name."""
    others = {*named} - {unit.external_id}
    answer = IdempotentAnswer(
        owner=owner,
        idempotency_key=hidden(unit.scope, owner, key),
        player_id=None if unit.player_id is None else PlayerId(unit.player_id),
        fingerprint=unit.fingerprint or "",
        status=status,
        body=body,
        expires_at=unit.now + KEPT_FOR,
        shows=_shown(others),
    )
    unit.tx.put(ANSWERS, answer)
    if answer.shows == SEVERAL:
        mention_all(unit.tx, owner, answer.idempotency_key, answer.player_id, sorted(others))


def _shown(others: set[str]) -> str | None:
    if not others:
        return None
    if ANYBODY in others:
        return ANYBODY
    return SEVERAL if len(others) > 1 else next(iter(others))


def players_named(request: Any, answer: object) -> list[str]:  # noqa: ANN401 - shapes have no common type
    """The studio's ids of all players whom a request and its answer name, as their shapes declare; or `ANYBODY`."""
    kind: Any = type(request)
    if may_name_anybody(kind):
        return [ANYBODY]
    return mentioned(request, "external_id") + mentioned(answer, "external_id")


def follow(unit: Unit, merging: Merging) -> None:
    """Answers that others were given about the source are found under the target's id from now on."""
    place = (merging.source_external_id,)
    rewrite_all(unit.tx, SHOWING, place, {"shows": merging.target_external_id})
    rewrite_all(unit.tx, MENTIONS_OF_NAME, place, {"name": merging.target_external_id})


def forget_shown(unit: Unit, erasing: Erasing) -> None:
    """Forget the answers that others were given about the player, and those that may name anybody.

    Of those that name several players there may be many, and each has rows of its own to take along. So they are marked with
    the service's id of the player, which says nothing to anybody, and a job forgets them.
    """
    for shown in (erasing.external_id, ANYBODY):
        clear_all(unit.tx, SHOWING, (shown,))
    if unit.tx.scan(MENTIONS_OF_NAME, erasing.external_id, limit=1):
        rewrite_all(unit.tx, MENTIONS_OF_NAME, (erasing.external_id,), {"name": _marked(erasing.player_id)})
        SCRUB.start_now(unit, erasing.player_id)


def _marked(player_id: str) -> str:
    """A name for somebody erased, which is no external id, as those have no slash."""
    return f"/{player_id}"


def _scrub(unit: Unit, player_id: str, _cursor: Cursor) -> Cursor | None:
    rows = unit.tx.scan(MENTIONS_OF_NAME, _marked(player_id), limit=MOST_ROWS)
    keys = dict.fromkeys((row.owner, row.idempotency_key) for row in rows)
    unit.tx.prefetch((source, key) for key in keys for source in (ANSWERS, MENTIONS_OF_ANSWER))
    for owner, key in keys:
        unit.tx.delete(ANSWERS, owner, key)
        forget_mentions(unit.tx, owner, key)
    return START if len(rows) == MOST_ROWS else None


SCRUB: Final = Job("idempotency.scrub", _scrub)
"""Forgets the answers that named the erased player of this id beside other players."""


def _sweep(unit: Unit, _ref: str, _cursor: Cursor) -> Cursor | None:
    rows = unit.tx.scan(BY_EXPIRY, stop=(unit.now + 1,), limit=MOST_ROWS)
    for row in rows:
        unit.tx.delete(ANSWERS, row.owner, row.idempotency_key)
        if row.shows == SEVERAL:
            forget_mentions(unit.tx, row.owner, row.idempotency_key)
    return START if len(rows) == MOST_ROWS else None


SWEEP: Final = Job("idempotency.sweep", _sweep, recurs=next_hour)
"""Forgets answers older than 24 hours, every hour."""
