"""What goes over the wire: shapes and their checks, their JSON in both directions, and the configurations of games.

    from livecore.kernel.wire import decode, encode

The functions of `codec` are those that everybody needs, so the package itself has them.
"""

from livecore.kernel.wire.checks import compact
from livecore.kernel.wire.codec import INTEGER_TEXT, UNKNOWN_FIELD, decode, decode_lenient, encode, is_closed

__all__ = ["INTEGER_TEXT", "UNKNOWN_FIELD", "compact", "decode", "decode_lenient", "encode", "is_closed"]
