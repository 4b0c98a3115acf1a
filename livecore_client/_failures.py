"""What goes wrong on the client's side of the wire, beside the service's refusals (`livecore.errors`)."""

from __future__ import annotations

from livecore.errors.families import LivecoreError

__all__ = [
    "ClientClosed",
    "ConfigurationError",
    "ConnectionFailed",
    "TimedOut",
    "TlsFailed",
    "TransportError",
    "WebhookVerificationError",
]


class ConfigurationError(LivecoreError):
    """A required setting is missing, or the key is of the wrong kind; no request was sent."""


class ClientClosed(LivecoreError, RuntimeError):
    """The client, or the `http_client` that it was given, was closed before; no request was sent."""


class WebhookVerificationError(LivecoreError):
    """The delivery is not verified to come from the service, or is not an event; answer it with 400 and do nothing else."""


class TransportError(LivecoreError):
    """No answer arrived. The request may have taken effect: a retry must keep its idempotency key."""


class ConnectionFailed(TransportError, ConnectionError):
    """The connection could not be made, or broke before the answer was complete."""


class TlsFailed(ConnectionFailed):
    """No encrypted connection could be agreed: the certificate is not trusted, or the server does not speak https.

    Never retried: waiting does not change a certificate or an address.
    """


class TimedOut(TransportError, TimeoutError):
    """The answer did not arrive in time."""
