"""Refusing new connections while those that are being made can still end: a moment before a listening socket closes.

Between the last look into a socket's queue and its closing, another connection may be made, whose caller then gets a reset
although it was never told to go elsewhere. On Linux a filter on the socket drops the first packet of new connections, so
the queue runs empty before the socket is closed. A caller whose packet was dropped sends it again after a second, and is
refused then, as by a server that is gone.

A filter is for all processes that share the socket, so this is only for a socket that nobody else listens on.
"""

from __future__ import annotations

import ctypes
import socket
import struct
import sys
from contextlib import suppress
from typing import Final

_SO_ATTACH_FILTER: Final = 26
_INSTRUCTIONS: Final = (
    (0x30, 0, 0, 13),  # the flags of a TCP packet
    (0x54, 0, 0, 0x12),  # of these SYN and ACK
    (0x15, 1, 0, 0x02),  # SYN alone begins a connection
    (0x06, 0, 0, 0xFFFFFFFF),  # anything else comes through
    (0x06, 0, 0, 0),  # and that does not
)
"""A program of the classic packet filter; each instruction is a code, two jumps and a value."""


def refuse_handshakes(listening: socket.socket) -> bool:
    """Drop the packets that begin connections to a listening socket from now on; `False` where the system cannot."""
    if sys.platform != "linux":
        return False
    program = b"".join(struct.pack("HBBI", *instruction) for instruction in _INSTRUCTIONS)
    held = ctypes.create_string_buffer(program, len(program))
    with suppress(OSError):
        described = struct.pack("HP", len(_INSTRUCTIONS), ctypes.addressof(held))
        listening.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, described)
        return True
    return False
