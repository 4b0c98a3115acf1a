"""Webhook delivery: leases deliveries of the outbox, posts them, and records the outcomes."""

from livecore.webhooks.addresses import NetworkRules
from livecore_server.background.webhooks.guard import AddressRefused, NameService
from livecore_server.background.webhooks.post import Poster, default_tls
from livecore_server.background.webhooks.sender import Sender, SenderObserver, SenderOptions

__all__ = [
    "AddressRefused",
    "NameService",
    "NetworkRules",
    "Poster",
    "Sender",
    "SenderObserver",
    "SenderOptions",
    "default_tls",
]
