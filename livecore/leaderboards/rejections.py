"""What validators have rejected: the last reports of an attempt, and the last scores for a period of a shared leaderboard.

A rejected report is refused, and changes nothing of the attempt or the leaderboard. That it was made is kept for the
studio's members, who can see whether somebody tries what cannot be: this is the one refusal that leaves something behind. It
is one row, which is written again each time and has the last `MOST_KEPT` of them, so that a rejected report costs no more
than one that is taken. A repetition under the same idempotency key is not one more.

An erasure deletes what was rejected on leaderboards. An attempt that stays without its player keeps its rejections, as it
keeps its metrics: they hold numbers, keys of the configuration, times, and the beginning of a hash, and nothing by which
somebody could be recognized.

What an attempt reports to an event that feeds a leaderboard is kept with the attempt, whichever validator has rejected it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from livecore.kernel.declarations.player_lifecycle import Merging
from livecore.kernel.errors import RecordedRefusal
from livecore.kernel.storage.reads import Get
from livecore.kernel.storage.records import JsonText, PlayerId, evolve
from livecore.kernel.storage.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.time import Timestamp
from livecore.kernel.units.permanent_idempotency import namespaced
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as record
from livecore.kernel.wire import compact, encode
from livecore.leaderboards.operator_rows import RejectionRow
from livecore.leaderboards.periods import Period
from livecore.leaderboards.refusals import AntiCheatRejected
from livecore.leaderboards.validators import Finding

MOST_KEPT: Final = 20
"""How many rejections of an attempt, or of a player in a period, are kept: the last ones."""
_KEY_LENGTH: Final = 16
_NOTHING: Final = JsonText("[]")


# -- records --------------------------------------------------------------------------------------------------------------


@record
class ScoreRejections:
    """A player's scores that validators of a shared leaderboard have rejected in a period, as JSON, the oldest first."""

    period_id: str
    player_id: PlayerId
    latest: JsonText


SCORE_REJECTIONS = Table(
    "leaderboard_rejections",
    ScoreRejections,
    key=("period_id", "player_id"),
    players={"player_id": PlayerColumn(Merge.FOLD, Erase.DELETE)},
    # What was rejected of an attempt is a part of the attempt, with which an export shows it.
    export="rejectedScores",
)
REJECTIONS_OF_PLAYER = SCORE_REJECTIONS.index("of_player", prefix=("player_id",), order=("period_id",))


# -- rules ----------------------------------------------------------------------------------------------------------------


def _known(text: JsonText) -> list[dict[str, Any]]:
    known: list[dict[str, Any]] = json.loads(text)
    return known


def with_finding(unit: Unit, text: JsonText, finding: Finding) -> JsonText:
    """The rejections with one more, if it is not a repetition of one of them."""
    known, key = _known(text), namespaced(unit)
    key = None if key is None else key[:_KEY_LENGTH]
    if key is not None and any(one["key"] == key for one in known):
        return text
    snapshot = finding.snapshot
    known.append(
        {
            "validator": finding.validator.key,
            "metric": snapshot.metric_key,
            "value": snapshot.after,
            "limit": snapshot.limit,
            "reason": finding.reason,
            "at": unit.now,
            "key": key,
        }
    )
    return _text(known)


def _text(known: list[dict[str, Any]]) -> JsonText:
    return JsonText(compact([*known[-MOST_KEPT:]]))


def rows(text: JsonText) -> tuple[RejectionRow, ...]:
    """Rejections as members see them, the newest first."""
    return tuple(_row(one) for one in reversed(_known(text)))


def _row(one: Mapping[str, Any]) -> RejectionRow:
    return RejectionRow(
        validator_key=one["validator"],
        metric=one["metric"],
        value=one["value"],
        limit=one["limit"],
        reason=one["reason"],
        rejected_at=Timestamp(one["at"]),
    )


# -- operations -----------------------------------------------------------------------------------------------------------


def refused(finding: Finding) -> RecordedRefusal:
    """The refusal of what a validator has rejected, which keeps what the unit has written."""
    return RecordedRefusal(
        AntiCheatRejected(validator_key=finding.validator.key, metric_snapshot=encode(finding.snapshot))
    )


def note_score(unit: Unit, period: Period, player_id: PlayerId, finding: Finding) -> RecordedRefusal:
    """Keep that a player's score for a shared leaderboard was rejected; gives the refusal."""
    known = unit.tx.get(SCORE_REJECTIONS, period.period_id, player_id)
    before = _NOTHING if known is None else known.latest
    text = with_finding(unit, before, finding)
    if text != before:
        row = ScoreRejections(period_id=period.period_id, player_id=player_id, latest=text)
        unit.tx.put(SCORE_REJECTIONS, row)
    return refused(finding)


def unite_rejections(unit: Unit, merging: Merging) -> None:
    """Give the target the source's, the last of both in each period."""
    found = unit.tx.scan(REJECTIONS_OF_PLAYER, merging.source_id)
    own = unit.tx.read_all(Get(SCORE_REJECTIONS, (coming.period_id, merging.target_id)) for coming in found)
    for coming, held in zip(found, own, strict=True):
        unit.tx.delete(SCORE_REJECTIONS, coming.period_id, coming.player_id)
        both = [*_known(coming.latest), *([] if held is None else _known(held.latest))]
        both.sort(key=lambda one: int(one["at"]))
        unit.tx.put(SCORE_REJECTIONS, evolve(coming, player_id=merging.target_id, latest=_text(both)))
