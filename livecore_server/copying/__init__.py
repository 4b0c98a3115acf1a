"""Copying a whole database into another one, of the same kind or of the other, and into backups and out of them.

See `livecore_server.copying.copier` and `livecore_server.copying.saving`.
"""

from livecore_server.copying.copier import Copied, copy
from livecore_server.copying.differences import Difference, VerificationFailed
from livecore_server.copying.saving import put_back, save

__all__ = ["Copied", "Difference", "VerificationFailed", "copy", "put_back", "save"]
