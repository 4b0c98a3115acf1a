"""A webhook receiver that verifies what it gets and remembers it by event id."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread

from livecore_client import webhooks
from tests.patience import PATIENCE_SECONDS


class Receiver:
    """Listens on a port of this machine until it is closed."""

    def __init__(self) -> None:
        self.secret = ""
        self.future_seconds = 3600.0
        """How far the sender's clock may be ahead: the last deliveries are sent by one whose clock has been put on."""
        self.refusing = False
        """Whether it is out of order, and answers 503."""
        self.events: dict[str, webhooks.WebhookEvent] = {}
        self.deliveries: Counter[str] = Counter()
        self.forged: list[str] = []
        self._lock = Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self._take))
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Where to send."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/hooks"

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(PATIENCE_SECONDS)

    def _take(self, body: bytes, signature: str | None) -> int:
        if self.refusing:
            return 503
        try:
            event = webhooks.verify(body, signature, self.secret, future_seconds=self.future_seconds)
        except webhooks.WebhookVerificationError as fault:
            self.forged.append(str(fault))
            return 400
        with self._lock:
            self.events[event.id] = event
            self.deliveries[event.id] += 1
        return 204


def _handler(take: Callable[[bytes, str | None], int]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """One connection."""

        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            """Take a delivery."""
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            self.send_response(take(body, self.headers.get("X-Signature")))
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler
