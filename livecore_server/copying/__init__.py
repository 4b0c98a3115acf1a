"""Copying a whole database into an empty one, of the same kind or of the other: see `livecore_server.copying.copier`."""

from livecore_server.copying.copier import Copied, copy
from livecore_server.copying.differences import Difference, VerificationFailed

__all__ = ["Copied", "Difference", "VerificationFailed", "copy"]
