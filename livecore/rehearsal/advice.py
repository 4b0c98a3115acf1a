"""The words of the findings: what the receiver did, and what to change."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

WORDS: Final[Mapping[str, str]] = MappingProxyType({
    "refused_everything": "It refused every right delivery: it {shown}.",
    "accepted_forged": "It accepted a delivery that {about}: it {shown}.",
    "failed_at_forged": "It failed at a delivery that {about}, instead of refusing it: it {shown}.",
    "applied_forged": "It applied a delivery that {about}.",
    "refused_right": "It refused a right delivery: it {shown} to {kind} ({event}).",
    "redirected": "It redirected a right delivery: it {shown} to {kind} ({event}).",
    "gone": "It answered 410 to a right delivery ({kind}, {event}), by which it is sent nothing more.",
    "no_answer": "It left a right delivery unanswered: it {shown} to {kind} ({event}).",
    "too_late": "It answered too late: after {seconds} seconds or more to {kind} ({event}).",
    "applied_twice": "It applied {events} more than once: {kind} ({event}), up to {count} times.",
    "applied_sample": "It applied a sample: {kind} ({event}), whose values are made up.",
    "lost": "It answered 2xx and applied nothing, by which {events} would be lost: {kind} ({event}).",
})  # fmt: skip
"""What was found, by code."""
CHANGES: Final[Mapping[str, str]] = MappingProxyType({
    "refused_everything": (
        "Compare the secret with the one that `livecore webhooks add` printed, verify the raw bytes of the body, and "
        "compare the clocks of the two machines."
    ),
    "failed_at_forged": "Verify the signature before anything else, and answer 400 where it does not fit.",
    "applied_forged": "Verify the signature before you act on a delivery.",
    "refused_right": "Answer any 2xx once the event is stored; everything else is tried again.",
    "redirected": "Register the address at which the receiver answers itself: the service follows no redirect.",
    "gone": "Answer 410 only where the endpoint shall be paused.",
    "no_answer": "Look at the receiver's log, and answer any 2xx once the event is stored.",
    "too_late": "Store the event, answer, and do what takes long afterwards: the service waits for ten seconds.",
    "applied_sample": "Answer a delivery with X-Svc-Webhook-Test: 1 with 2xx, and do nothing else.",
    "lost": "Store the event's id in the transaction of its effect, and no id of a sample.",
    "late": (
        "Accept an event however long ago it occurred: retries come for a day, and events of a paused endpoint for thirty. "
        "Only the signature's t must be recent."
    ),
    "disorder": "Accept events in any order: no order between them is promised.",
    "duplicates": "Answer 2xx to an event that you have already handled: otherwise it is sent again and again.",
    "concurrent_duplicates": "Answer 2xx to both of two deliveries of one event, also where the other one is being handled.",
    "unknown_events": "Answer 2xx to kinds of events that you do not know: a later release may send them.",
    "unknown_members": (
        "Accept members that you do not know, in the envelope and in `data`, and verify the raw bytes of the body: JSON "
        "that was parsed and written again has other bytes."
    ),
    "large_bodies": "Raise the limit on the size of a body in the receiver and in the proxies before it.",
    "samples": "Answer 2xx to samples, and to the event whose id a sample had.",
    "rotation": (
        "Accept a delivery if any v1 of the header fits any of your secrets: a header has two while a secret is rotated. "
        "Give the receiver the newest secret before the earlier one ends, 24 hours after the rotation."
    ),
})  # fmt: skip
"""What to change, by code; of right deliveries that were refused, by the step."""
_ONE_TRANSACTION: Final = (
    "Store the event's id, under a unique key, in the transaction of its effect, and do nothing where it is there."
)
TWICE: Final[Mapping[str, str]] = MappingProxyType({
    "duplicates": _ONE_TRANSACTION,
    "concurrent_duplicates": (
        "Insert the event's id under a unique key first, in the transaction of its effect: two deliveries that both look "
        "before either has stored the id both find nothing."
    ),
})  # fmt: skip
"""What to change where an event was applied more than once, by step."""
