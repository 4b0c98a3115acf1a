"""The players whom a stored answer names, if it names several: one row for each, found by the answer and by the name.

The rows are deleted with their answer: when the answer is swept, replaced or deleted singly. An erasure deletes answers
about the player in bulk, and these rows by the same policy, because each row also holds that player. A merge changes the
name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from livecore.kernel.storage.reads import Scan
from livecore.kernel.storage.records import PlayerId
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Erase, Key, Merge, PlayerColumn, Table
from livecore.kernel.values import keyword_value as record


@record
class AnswerMention:
    """One of `total` players whom the answer of this owner and key names; the answer is about `player_id`."""

    owner: str
    idempotency_key: str
    place: int
    name: str
    total: int
    player_id: PlayerId | None = None


ANSWER_MENTIONS = Table(
    "answer_mentions",
    AnswerMention,
    # The key has the position and not the name: a merge may give two rows of an answer the same name.
    key=("owner", "idempotency_key", "place"),
    players={"player_id": PlayerColumn(Merge.RETAIN, Erase.DELETE)},
    export=(),
)
MENTIONS_OF_ANSWER = ANSWER_MENTIONS.index("of_answer", prefix=("owner", "idempotency_key"), order=("place",))
MENTIONS_OF_NAME = ANSWER_MENTIONS.index("of_name", prefix=("name",), order=("owner", "idempotency_key"))
OF_PLAYER = ANSWER_MENTIONS.index("of_player", prefix=("player_id",), order=("owner", "idempotency_key"))


def mention_all(tx: Transaction, owner: str, key: str, player_id: PlayerId | None, names: Sequence[str]) -> None:
    """Write the rows for the players whom an answer names."""
    for place, name in enumerate(names):
        tx.insert(
            ANSWER_MENTIONS,
            AnswerMention(
                owner=owner, idempotency_key=key, place=place, name=name, total=len(names), player_id=player_id
            ),
        )


def forget_mentions(tx: Transaction, answers: Iterable[Key]) -> None:
    """Delete the rows of answers that are deleted or replaced, each with its owner and its key."""
    for row in tx.scan_all(Scan(MENTIONS_OF_ANSWER, answer) for answer in answers):
        tx.delete(ANSWER_MENTIONS, row.owner, row.idempotency_key, row.place)
