"""The smallest correct webhook receiver, with only the standard library and the client's `verify`.

    $ python -m examples.webhook_receiver 9797 whsec_…          # prints every event that arrives, once

It verifies each delivery, handles each event once although deliveries may come twice, and answers at once. It keeps the ids
in memory; a receiver that must survive a restart keeps them in its database (`examples/webhook_receivers`).
"""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Condition, Event, Thread
from types import TracebackType
from typing import Self

from livecore_client import webhooks


class Receiver:
    """Receives on `http://localhost:<port>/` during a `with` block; port 0 chooses a free one."""

    def __init__(self, port: int = 0, *secrets: str) -> None:
        self.secrets = list(secrets)
        self.events: dict[str, webhooks.WebhookEvent] = {}
        """Every verified event by its id, in the order of arrival."""
        self.refused = 0
        """How many deliveries could not be verified."""
        self._changed = Condition()
        self._server = ThreadingHTTPServer(("localhost", port), self._handler())
        self.url = f"http://localhost:{self._server.server_port}/"

    def receive(self, body: bytes, signature: str | None, sample: str | None = None) -> int:
        """Handle one delivery, with its body and its two headers; returns the status to answer with."""
        try:
            event = webhooks.verify(body, signature, self.secrets)
        except webhooks.WebhookVerificationError:
            self.refused += 1
            return 400
        if webhooks.is_sample(sample):
            self.on_sample(event)
            return 204
        with self._changed:
            if event.id not in self.events:
                self.events[event.id] = event
                self.on_event(event)
            self._changed.notify_all()
        return 204

    def on_event(self, event: webhooks.WebhookEvent) -> None:
        """The effect of an event, once for each; here it only prints a line."""
        print(f"    webhook {event.event_name} {event.id}, delivery {event.delivery_attempt}\n", end="", flush=True)

    def on_sample(self, event: webhooks.WebhookEvent) -> None:
        """Print a line for a sample, and never do more, because its values are made up."""
        print(f"    sample of {event.event_name} {event.id}\n", end="", flush=True)

    def wait_for(self, expected: Counter[str], seconds: float) -> Counter[str]:
        """Wait until the expected number of events of each kind has come, or the time is over; returns the counts."""
        with self._changed:
            self._changed.wait_for(lambda: self.kinds() >= expected, seconds)
            return self.kinds()

    def kinds(self) -> Counter[str]:
        """How many events of each kind have come."""
        return Counter(event.event_name for event in self.events.values())

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                # The raw bytes, because they are what was signed.
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                signature, sample = map(self.headers.get, (webhooks.SIGNATURE_HEADER, webhooks.SAMPLE_HEADER))
                self.send_response(receiver.receive(body, signature, sample))
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Print nothing; `on_event` prints what matters."""

        return Handler

    def __enter__(self) -> Self:
        Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


if __name__ == "__main__":
    with Receiver(int(sys.argv[1]), *sys.argv[2:]) as running, suppress(KeyboardInterrupt):
        print(f"receiving at {running.url}; Control-C ends it", flush=True)
        Event().wait()
