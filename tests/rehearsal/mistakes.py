"""What a rehearsal must find at each receiver with a mistake, and by which steps."""

from __future__ import annotations

from typing import Final

import attrs

from livecore.kernel.errors import Json
from livecore.rehearsal.deliveries import FORGERIES
from tests.rehearsal import receivers
from tests.rehearsal.receivers import Receiver


@attrs.frozen
class Mistake:
    """A receiver, the steps that show its mistake, and the findings: code and step, or forgery of a forged delivery."""

    receiver: type[Receiver]
    steps: tuple[str, ...]
    findings: frozenset[tuple[str, str]]

    @property
    def scenario(self) -> dict[str, Json]:
        """The scenario of these steps, about one kind of event."""
        return {"steps": [{"step": step, "times": 1} for step in self.steps], "events": ["gift.claimed"]}


def _of(receiver: type[Receiver], steps: str, *findings: str) -> Mistake:
    pairs = [finding.partition(" ")[::2] for finding in findings]
    return Mistake(receiver, tuple(steps.split()), frozenset(pairs))


_FORGED = (
    "missing_header",
    "empty_header",
    "malformed_header",
    "other_secret",
    "no_secret",
    "changed_body",
    "two_times",
)
MISTAKES: Final = (
    _of(
        receivers.VerifiesNothing,
        "deliver wrong_signatures wrong_times",
        *(f"accepted_forged {name}" for name in FORGERIES),
    ),
    _of(receivers.IgnoresTimes, "deliver wrong_times", "accepted_forged too_old", "accepted_forged too_new"),
    _of(
        receivers.AppliesTwice,
        "deliver duplicates late disorder",
        "applied_twice duplicates", "applied_twice late",
    ),
    _of(receivers.LooksBeforeItStores, "concurrent_duplicates", "applied_twice concurrent_duplicates"),
    _of(receivers.ComparesTheFirstSignature, "deliver rotation", "refused_right rotation"),
    _of(receivers.ParsesBeforeItVerifies, "deliver wrong_signatures", "failed_at_forged no_json"),
    _of(receivers.VerifiesWhatItWroteAgain, "deliver unknown_members", "refused_everything deliver"),
    _of(receivers.RefusesUnknownKinds, "deliver unknown_events unknown_members", "refused_right unknown_events"),
    _of(receivers.RefusesUnknownMembers, "deliver unknown_events unknown_members", "refused_right unknown_members"),
    _of(receivers.RefusesOldEvents, "deliver late", "refused_right late"),
    _of(
        receivers.RefusesRepetitions,
        "deliver duplicates",
        "refused_right duplicates",
    ),
    _of(receivers.AppliesSamples, "deliver samples", "applied_sample samples"),
    _of(receivers.KeepsIdsOfSamples, "deliver samples", "lost samples"),
    _of(
        receivers.ForgetsTheEffect,
        "deliver retry_after_timeout",
        "refused_right retry_after_timeout", "lost retry_after_timeout",
    ),
    _of(receivers.TakesAnEmptySecret, "deliver wrong_signatures", "accepted_forged no_secret"),
    _of(receivers.Redirects, "deliver", "redirected deliver"),
    _of(receivers.IsGone, "deliver disorder", "gone disorder"),
)  # fmt: skip
