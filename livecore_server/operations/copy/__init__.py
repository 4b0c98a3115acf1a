"""Copies a whole database into another one of the same or the other kind, into backups, and out of them.

See `livecore_server.operations.copy.copier` and `livecore_server.operations.copy.backup`.
"""

from livecore_server.operations.copy.backup import put_back, save
from livecore_server.operations.copy.copier import Copied, copy, rehearse
from livecore_server.operations.copy.differences import Difference, VerificationFailed

__all__ = ["Copied", "Difference", "VerificationFailed", "copy", "put_back", "rehearse", "save"]
