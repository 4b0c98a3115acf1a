"""The event catalog: every kind of webhook as one typed payload. The classes stand in the areas that emit them.

    from livecore.social.webhook_events import GiftSent     # one area's, to emit
    from livecore.webhooks.catalog import CATALOG            # all of them, by kind

Importing this package loads no payloads, so that an area that emits two kinds does not load sixty: the registry and the
samples are loaded at their first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from livecore.webhooks.catalog.payload import Payload
    from livecore.webhooks.catalog.registry import CATALOG, GROUPS, groups, known
    from livecore.webhooks.catalog.samples import sample, sample_of
else:
    _HOMES = {
        "CATALOG": "registry",
        "GROUPS": "registry",
        "Payload": "payload",
        "groups": "registry",
        "known": "registry",
        "sample": "samples",
        "sample_of": "samples",
    }

    def __getattr__(name: str) -> object:
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{home}"), name)


__all__ = ["CATALOG", "GROUPS", "Payload", "groups", "known", "sample", "sample_of"]
