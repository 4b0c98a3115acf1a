"""One delivery of a rehearsal: the request that is sent, and what a receiver should answer.

A delivery is signed when it is sent, as the service does it, so the plan says only with which secrets and how old the
signature is. What is wrong with a forged delivery is a row of `FORGERIES`.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, TypeAlias

import attrs

from livecore.kernel.values import keyword_value
from livecore.rehearsal.played import RehearsedEvent
from livecore.rehearsal.scenario import StepName
from livecore.webhooks.envelope import plain_headers
from livecore.webhooks.signature import SIGNATURE_HEADER, sign

WRONG_BY_SECONDS: Final = 600
"""How far the time of a wrongly timed delivery is from now: beyond both tolerances, though the clocks differ a little."""

Header: TypeAlias = "Callable[[Sequence[str], int, bytes], str | None]"
"""From the secrets, the time of sending in seconds and the body to the value of the signature's header."""


@keyword_value
class Delivery:
    """One request, and whether it is right; a receiver answers a right one with 2xx, and any other one with 4xx.

    `hangs_up`: the sender does not wait for the answer, as after a time-out.
    """

    step: StepName
    event: RehearsedEvent
    body: bytes
    secrets: tuple[str, ...] = attrs.field(repr=False)
    forgery: str | None = None
    """The row of `FORGERIES` that says what is wrong; `None` for a right delivery."""
    sample: bool = False
    hangs_up: bool = False

    @property
    def right(self) -> bool:
        """Whether the receiver should answer 2xx."""
        return self.forgery is None

    def headers(self, now_seconds: int) -> dict[str, str]:
        """The headers of the request when it is sent at `now_seconds`."""
        make = sign if self.forgery is None else FORGERIES[self.forgery].header
        signature = make(self.secrets, now_seconds, self.body)
        plain = plain_headers(sample=self.sample)
        return plain if signature is None else {**plain, SIGNATURE_HEADER: signature}


@attrs.frozen(kw_only=True)
class Forgery:
    """One way in which a delivery is wrong: in words that continue "a delivery that …", and what to change."""

    about: str
    change: str
    header: Header = attrs.field(repr=False)


_VERIFY_FIRST: Final = (
    "Verify X-Signature over the raw body before anything else, and answer 400 where it does not fit."
)


def _constant(value: str | None) -> Header:
    return lambda _secrets, _now, _body: value


def _of_another_body(secrets: Sequence[str], now: int, body: bytes) -> str:
    return sign(secrets, now, body + b" ")


def _by_nobody(_secrets: Sequence[str], now: int, body: bytes) -> str:
    return f"t={now},v1={hmac.digest(b'', b'%d.%b' % (now, body), 'sha256').hex()}"


def _two_times(secrets: Sequence[str], now: int, body: bytes) -> str:
    old = sign(secrets, now - WRONG_BY_SECONDS, body)
    return f"{old},t={now}"


def _later_time(secrets: Sequence[str], now: int, body: bytes) -> str:
    old = sign(secrets, now - WRONG_BY_SECONDS, body)
    return f"t={now},{old.partition(',')[2]}"


def _shifted(seconds: int) -> Header:
    return lambda secrets, now, body: sign(secrets, max(0, now + seconds), body)


FORGERIES: Final[Mapping[str, Forgery]] = MappingProxyType({
    "missing_header": Forgery(
        about="has no header X-Signature",
        change="Answer 400 where the header is missing; do not take its absence for a test.",
        header=_constant(None),
    ),
    "empty_header": Forgery(
        about="has an empty X-Signature", change="Answer 400 where the header is empty.", header=_constant("")
    ),
    "malformed_header": Forgery(
        about="has an X-Signature that is no signature",
        change="Answer 400 unless the header is t=<seconds> with one or more v1=<hex>.",
        header=_constant("rehearsal"),
    ),
    "other_secret": Forgery(about="is signed with another secret", change=_VERIFY_FIRST, header=sign),
    "no_secret": Forgery(
        about="is signed with an empty secret",
        change="Do not start without the endpoint's secret, and never verify with an empty one: anybody can sign then.",
        header=_by_nobody,
    ),
    "changed_body": Forgery(
        about="has a body that was changed after it was signed",
        change="Compute the signature over <t>.<body> with the body as it arrived, and compare it with v1.",
        header=_of_another_body,
    ),
    "two_times": Forgery(
        about="has two t in X-Signature, the signed one and a later one",
        change="Answer 400 unless there is exactly one t, and use it for the age and for the signature.",
        header=_two_times,
    ),
    "forged_sample": Forgery(
        about="is marked as a sample and is signed with another secret",
        change="Verify samples as well: look at X-Svc-Webhook-Test only after the signature.",
        header=sign,
    ),
    "no_json": Forgery(
        about="is signed with another secret and has a body that is not JSON",
        change="Verify the signature before you parse the body.",
        header=sign,
    ),
    "too_old": Forgery(
        about="was signed ten minutes ago",
        change="Answer 400 where t is more than 300 seconds in the past: a recorded delivery can be sent again.",
        header=_shifted(-WRONG_BY_SECONDS),
    ),
    "too_new": Forgery(
        about="was signed for a moment ten minutes ahead",
        change="Answer 400 where t is more than 60 seconds in the future.",
        header=_shifted(WRONG_BY_SECONDS),
    ),
    "changed_time": Forgery(
        about="has a t that was changed after it was signed",
        change="Compute the signature over <t>.<body> with the t of the header, so that it covers the time.",
        header=_later_time,
    ),
})  # fmt: skip
"""What is wrong with the forged deliveries, by name."""
WRONG_SIGNATURES: Final = tuple(list(FORGERIES)[:9])
WRONG_TIMES: Final = tuple(list(FORGERIES)[9:])
