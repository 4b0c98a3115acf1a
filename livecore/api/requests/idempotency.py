"""Idempotent answers: the same key and the same request have one effect and one answer, for 24 hours.

The record of an answer is written in the transaction of the write. So a refused or failed write leaves no record and may be
retried with the same key. Of two concurrent requests one runs, and the other finds its record. Keys are unique within game,
environment, surface and, on the client surface, player. They do not depend on the API key: otherwise a rotation between two
attempts would run the write twice. The fingerprint covers method, path, query and body (specification 7 and 8).

Only a hash of a key is stored, because callers may use names in keys. The record of a merge or an erasure may remain after
the players are gone, and must not reveal who they were: it names nobody, and its fingerprint is hashed once more, with the
key of former ids.

An answer is deleted when a player whom it names is erased. The row itself holds one name, which is enough for most answers;
further names are in `livecore.api.requests.answer_mentions`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from itertools import chain
from typing import Any, Final

from livecore.api.requests.answer_mentions import MENTIONS_OF_ANSWER, MENTIONS_OF_NAME, forget_mentions, mention_all
from livecore.kernel.declarations.jobs import MOST_ROWS, START, Cursor, Job
from livecore.kernel.declarations.player_lifecycle import Erasing, EveryRow, Merging, OneRow, change_all
from livecore.kernel.errors import Json
from livecore.kernel.storage.records import PlayerId
from livecore.kernel.storage.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.time import DAY, Millis, next_hour
from livecore.kernel.units.permanent_idempotency import hidden
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as record
from livecore.kernel.wire.mentions import may_name_anybody, mentioned

KEPT_FOR: Final[Millis] = DAY
ANYBODY: Final = "/"
"""In place of an id (ids have no slash): the rows of the request were read one by one, and may name any player."""
SEVERAL: Final = "//"
"""In place of an id: request and answer name several other players, who are in `answer_mentions`."""
_CANONICAL = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))


@record
class IdempotentAnswer:
    """The stored answer to a request with this key; `owner` is the player, or `server`.

    `idempotency_key` is a hash of the caller's key.
    `shows` is the studio's id of the other player whom request or answer name, or `SEVERAL`, or `ANYBODY`.
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
    # A merged player's answers expire like all others, so that late retries of the studio still find them.
    players={"player_id": PlayerColumn(Merge.RETAIN, Erase.DELETE)},
    export=(),
    # Only a repetition reads it, and it may hold as much as its request.
    read_once=True,
)
BY_EXPIRY = ANSWERS.index("by_expiry", order=("expires_at",))
OF_PLAYER = ANSWERS.index("of_player", prefix=("player_id",), order=("expires_at",))
SHOWING = ANSWERS.index("showing", prefix=("shows",), order=("expires_at",))


def fingerprint_of(method: str, path: str, body: Json) -> str:
    """The fingerprint by which requests with the same key are compared: method, path and canonical body."""
    canonical = _CANONICAL.encode(body) if body else ""
    return hashlib.sha256(f"{method}\n{path}\n{canonical}".encode("utf-8", "surrogatepass")).hexdigest()


def kept(unit: Unit, owner: str, key: str) -> IdempotentAnswer | None:
    """The stored answer under this key from the last 24 hours."""
    answer = unit.tx.get(ANSWERS, owner, hidden(unit.scope, owner, key))
    if answer is None or unit.now < answer.expires_at:
        return answer
    if answer.shows == SEVERAL:
        # A new answer will replace it, and may name other players.
        forget_mentions(unit.tx, [(answer.owner, answer.idempotency_key)])
    return None


def keep(unit: Unit, owner: str, key: str, status: int, body: str, *, named: Iterable[str] = ()) -> None:
    """Store the answer to the current request; `named` are the players whom request and answer name."""
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
    """Change the source's id to the target's in stored answers to other callers."""
    place = (merging.source_external_id,)
    change_all(
        unit.tx,
        (
            EveryRow(SHOWING, place, {"shows": merging.target_external_id}),
            EveryRow(MENTIONS_OF_NAME, place, {"name": merging.target_external_id}),
        ),
    )


def forget_shown(unit: Unit, erasing: Erasing) -> None:
    """Delete stored answers to other callers that name the player, and those that may name anybody.

    There may be many that name several players, each with its own mentions. So they are marked with the service's id of the
    player, which reveals nothing, and a job deletes them.
    """
    *_, named = change_all(
        unit.tx,
        (
            *(EveryRow(SHOWING, (shown,), None) for shown in (erasing.external_id, ANYBODY)),
            EveryRow(MENTIONS_OF_NAME, (erasing.external_id,), {"name": _marked(erasing.player_id)}),
        ),
    )
    if named:
        SCRUB.start_now(unit, erasing.player_id)


def _marked(player_id: str) -> str:
    """A mark for an erased player. It is not an external id, because it has a slash."""
    return f"/{player_id}"


def _scrub(unit: Unit, player_id: str, _cursor: Cursor) -> Cursor | None:
    rows = unit.tx.scan(MENTIONS_OF_NAME, _marked(player_id), limit=MOST_ROWS)
    keys = dict.fromkeys((row.owner, row.idempotency_key) for row in rows)
    change_all(
        unit.tx,
        chain.from_iterable((OneRow(ANSWERS, key, None), EveryRow(MENTIONS_OF_ANSWER, key, None)) for key in keys),
    )
    return START if len(rows) == MOST_ROWS else None


SCRUB: Final = Job("idempotency.scrub", _scrub)
"""Deletes the answers that named the erased player with this id and other players."""


def _sweep(unit: Unit, _ref: str, _cursor: Cursor) -> Cursor | None:
    rows = unit.tx.scan(BY_EXPIRY, stop=(unit.now + 1,), limit=MOST_ROWS)
    for row in rows:
        unit.tx.delete(ANSWERS, row.owner, row.idempotency_key)
    forget_mentions(unit.tx, ((row.owner, row.idempotency_key) for row in rows if row.shows == SEVERAL))
    return START if len(rows) == MOST_ROWS else None


SWEEP: Final = Job("idempotency.sweep", _sweep, recurs=next_hour)
"""Deletes every hour the answers that are older than 24 hours."""
