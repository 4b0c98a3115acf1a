"""Webhook delivery: the host that leases what the outbox holds, posts it, and records how it went."""

from livecore_server.background.webhooks.guard import AddressRefused, NameService, NetworkRules
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
