"""Copies a whole database into another one of the same or the other kind, into backups, and out of them.

See `livecore_server.operations.copy.copier` and `livecore_server.operations.copy.backup`.
"""

from livecore_server.operations.copy.backup import put_back, save
from livecore_server.operations.copy.copier import Copied, copy, rehearse
from livecore_server.operations.copy.differences import Difference, VerificationFailed
from livecore_server.operations.copy.erasing_again import Applied
from livecore_server.operations.copy.put_file_back import put_file_back

__all__ = [
    "Applied",
    "Copied",
    "Difference",
    "VerificationFailed",
    "copy",
    "put_back",
    "put_file_back",
    "rehearse",
    "save",
]
