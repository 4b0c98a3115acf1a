"""The smallest webhook receiver that is right, with nothing but the standard library and the client's `verify`.

    $ python -m examples.webhook_receiver 9797 whsec_…          # prints every event that arrives, once

It proves each delivery, takes each event once although deliveries may come twice, and answers at once. It remembers in
memory; a receiver that must survive a restart keeps the ids in its database (`examples/webhook_receivers`).
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
    """Receives on `http://localhost:<port>/`, from entering the context to leaving it; port 0 takes a free one."""

    def __init__(self, port: int = 0, *secrets: str) -> None:
        self.secrets = list(secrets)
        self.events: dict[str, webhooks.WebhookEvent] = {}
        """Every proven event by its id, in the order of arrival."""
        self.refused = 0
        """How many deliveries proved nothing."""
        self._changed = Condition()
        self._server = ThreadingHTTPServer(("localhost", port), self._handler())
        self.url = f"http://localhost:{self._server.server_port}/"

    def receive(self, body: bytes, signature: str | None, sample: str | None = None) -> int:
        """Take one delivery, by its body and its two headers; gives the status to answer with."""
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
        """What to do about an event, once; here it is only told."""
        print(f"    webhook {event.event_name} {event.id}, delivery {event.delivery_attempt}\n", end="", flush=True)

    def on_sample(self, event: webhooks.WebhookEvent) -> None:
        """What to do about a sample: to tell of it, and never more, since its values are made up."""
        print(f"    sample of {event.event_name} {event.id}\n", end="", flush=True)

    def wait_for(self, expected: Counter[str], seconds: float) -> Counter[str]:
        """Wait until as many events have come as are expected of each kind, or the time is over; gives what came."""
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
                # The bytes as they came: they are what was signed.
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                signature, sample = map(self.headers.get, (webhooks.SIGNATURE_HEADER, webhooks.SAMPLE_HEADER))
                self.send_response(receiver.receive(body, signature, sample))
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Say nothing; `on_event` tells what matters."""

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
