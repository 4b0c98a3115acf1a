"""What a page says after an action. An address names one of these texts, so it can make a page say nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["NOTICES"]

NOTICES: Final[Mapping[str, str]] = {
    "member-invited": "The person is a member now, and can sign in.",
    "member-changed": "The member's role is changed. It holds from the next request on.",
    "member-removed": "The member is removed, and their sessions and personal keys have ended.",
    "studio-renamed": "The studio has its new name.",
    "key-revoked": "The key is revoked and opens nothing any more.",
}
