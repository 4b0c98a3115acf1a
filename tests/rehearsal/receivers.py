"""Receivers of webhooks to rehearse: one that does everything right, and others that each make one mistake."""

from __future__ import annotations

import hmac
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Barrier, Lock, Thread
from typing import TypeAlias

import attrs

from livecore.rehearsal.answers import APPLIED_HEADER
from livecore.rehearsal.played import RehearsedEvent
from livecore_client import webhooks
from tests.patience import PATIENCE_SECONDS

SECRET = "whsec_rehearsed"
Reply: TypeAlias = "tuple[int, bool | None]"
"""The status, and whether the event was applied."""


@attrs.frozen
class Answered:
    """An answer as frameworks give it."""

    status_code: int
    headers: dict[str, str]


class Receiver:
    """A right receiver, with its effects in memory; subclasses do one thing wrong."""

    past_seconds: float = 300
    future_seconds: float = 60
    now: float | None = None
    """Its clock, where that is not the machine's."""

    def __init__(self, *secrets: str) -> None:
        self.secrets = secrets or (SECRET,)
        self.handled: set[str] = set()
        self.effects = Counter[str]()
        self._lock = Lock()

    def reply(self, headers: Mapping[str, str], body: bytes) -> Reply:
        """Handle one delivery."""
        event = self.verified(headers, body)
        if event is None:
            return 400, None
        if self.is_sample(headers):
            return 204, None
        return self.take(event)

    def verified(self, headers: Mapping[str, str], body: bytes) -> webhooks.WebhookEvent | None:
        """The event, if the delivery is right."""
        try:
            return webhooks.verify(
                body,
                headers.get(webhooks.SIGNATURE_HEADER),
                self.secrets,
                now=self.now,
                tolerance_seconds=self.past_seconds,
                future_seconds=self.future_seconds,
            )
        except webhooks.WebhookVerificationError:
            return None

    def is_sample(self, headers: Mapping[str, str]) -> bool:
        """Whether a verified delivery is a sample."""
        return webhooks.is_sample(headers.get(webhooks.SAMPLE_HEADER))

    def take(self, event: webhooks.WebhookEvent) -> Reply:
        """Apply an event once."""
        with self._lock:
            if event.id in self.handled:
                return 200, False
            self.handled.add(event.id)
            self.apply(event.id)
        return 200, True

    def apply(self, event_id: str) -> None:
        """The effect."""
        self.effects[event_id] += 1

    def applied(self, event: RehearsedEvent) -> int:
        """How often the effect of an event was applied."""
        return self.effects[event.id]

    def __call__(self, headers: Mapping[str, str], body: bytes) -> Answered:
        """Handle one delivery, for the fixture."""
        status, applied = self.reply(headers, body)
        return Answered(status, {} if applied is None else {APPLIED_HEADER: str(int(applied))})


# -- one mistake each -----------------------------------------------------------------------------------------------------


class VerifiesNothing(Receiver):
    """Accepts whatever comes."""

    def reply(self, headers: Mapping[str, str], body: bytes) -> Reply:  # noqa: ARG002 - that is its mistake
        """Look at nothing."""
        return 200, None


class IgnoresTimes(Receiver):
    """Accepts a signature however old it is, and one of the future."""

    past_seconds = future_seconds = float("inf")


class AppliesTwice(Receiver):
    """Keeps no ids."""

    def take(self, event: webhooks.WebhookEvent) -> Reply:
        """Apply an event whenever it comes."""
        self.apply(event.id)
        return 200, True


class LooksBeforeItStores(Receiver):
    """Looks for the id and stores it later; both of two deliveries look before either stores. Deliveries come in pairs."""

    def __init__(self, *secrets: str) -> None:
        super().__init__(*secrets)
        self._both = Barrier(2)

    def take(self, event: webhooks.WebhookEvent) -> Reply:
        """Apply an event unless its id was there at the first look."""
        known = event.id in self.handled
        self._both.wait(PATIENCE_SECONDS)
        if known:
            return 200, False
        self.handled.add(event.id)
        self.apply(event.id)
        return 200, True


class ComparesTheFirstSignature(Receiver):
    """Reads one v1 of the header."""

    def verified(self, headers: Mapping[str, str], body: bytes) -> webhooks.WebhookEvent | None:
        """Verify by the first two parts of the header."""
        header = ",".join((headers.get(webhooks.SIGNATURE_HEADER) or "").split(",")[:2])
        return super().verified({**headers, webhooks.SIGNATURE_HEADER: header}, body)


class ParsesBeforeItVerifies(Receiver):
    """Reads the body as JSON first, so that anybody makes it fail."""

    def verified(self, headers: Mapping[str, str], body: bytes) -> webhooks.WebhookEvent | None:
        """Parse, and then verify."""
        json.loads(body)
        return super().verified(headers, body)


class VerifiesWhatItWroteAgain(Receiver):
    """Verifies JSON that it has parsed and written."""

    def verified(self, headers: Mapping[str, str], body: bytes) -> webhooks.WebhookEvent | None:
        """Parse, write and verify."""
        try:
            body = json.dumps(json.loads(body)).encode()
        except ValueError:
            return None
        return super().verified(headers, body)


class RefusesUnknownKinds(Receiver):
    """Knows a list of kinds."""

    def take(self, event: webhooks.WebhookEvent) -> Reply:
        """Apply what it knows, and refuse the rest."""
        return super().take(event) if isinstance(event.data, webhooks.Payload) else (422, False)


class RefusesUnknownMembers(Receiver):
    """Knows a list of members."""

    def take(self, event: webhooks.WebhookEvent) -> Reply:
        """Refuse an envelope with more in it."""
        return super().take(event) if len(event.raw) == 7 else (400, False)


class RefusesOldEvents(Receiver):
    """Takes the time of the event for the time of the delivery."""

    def take(self, event: webhooks.WebhookEvent) -> Reply:
        """Refuse what did not happen today."""
        return super().take(event) if event.delivery_attempt < 7 else (400, False)


class RefusesRepetitions(Receiver):
    """Answers 409 to what it has handled."""

    def take(self, event: webhooks.WebhookEvent) -> Reply:
        """Apply an event once, and refuse it afterwards."""
        status, applied = super().take(event)
        return (status if applied else 409), applied


class AppliesSamples(Receiver):
    """Does not look at the header of samples."""

    def is_sample(self, headers: Mapping[str, str]) -> bool:
        """No delivery is one."""
        return not headers


class KeepsIdsOfSamples(Receiver):
    """Stores the id of a sample with those that it has handled."""

    def is_sample(self, headers: Mapping[str, str]) -> bool:
        """Remember that the next event is one."""
        self._sample = super().is_sample(headers)
        return False

    def take(self, event: webhooks.WebhookEvent) -> Reply:
        """Store the id, and apply nothing of a sample."""
        if self._sample:
            self.handled.add(event.id)
            return 204, False
        return super().take(event)


class ForgetsTheEffect(Receiver):
    """Stores the id, and then fails once: the retry finds the id."""

    def take(self, event: webhooks.WebhookEvent) -> Reply:
        """Fail at the second event, after its id is stored."""
        if len(self.handled) == 1 and event.id not in self.handled:
            self.handled.add(event.id)
            return 500, False
        return super().take(event)


class TakesAnEmptySecret(Receiver):
    """Lacks its setting, and verifies with an empty text."""

    def verified(self, headers: Mapping[str, str], body: bytes) -> webhooks.WebhookEvent | None:
        """Accept what is signed with nothing, too."""
        time, _, signature = (headers.get(webhooks.SIGNATURE_HEADER) or "").partition(",v1=")
        empty = hmac.digest(b"", f"{time[2:]}.".encode() + body, "sha256").hex()
        if signature == empty:
            headers = {webhooks.SIGNATURE_HEADER: webhooks.sign([SECRET], int(time[2:]), body)}
        return super().verified(headers, body)


class Redirects(Receiver):
    """Has moved."""

    def reply(self, headers: Mapping[str, str], body: bytes) -> Reply:
        """Point elsewhere."""
        return (308, None) if self.verified(headers, body) else (400, None)


class IsGone(Receiver):
    """Answers 410 to the second event."""

    def take(self, event: webhooks.WebhookEvent) -> Reply:
        """Apply the first event only."""
        return super().take(event) if not self.handled - {event.id} else (410, False)


# -- over sockets ---------------------------------------------------------------------------------------------------------


@contextmanager
def listening(reply: Callable[[Mapping[str, str], bytes], Reply]) -> Iterator[str]:
    """A receiver on a socket, each connection in a thread of its own; gives its URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            try:
                status, applied = reply(dict(self.headers), body)
            except ValueError:
                status, applied = 500, None
            self.send_response(status)
            if applied is not None:
                self.send_header(APPLIED_HEADER, str(int(applied)))
            if 300 <= status < 400:
                self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/hook"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
