"""Signals as calls of functions in the event loop, on every system.

On Windows an event loop knows no signals: the interpreter calls a handler between two instructions of the main thread. The
usual loop there is woken for that by asyncio itself; one that selects sockets has to be woken by a socket of its own, or it
would notice Ctrl+C only when something else happens. Windows has no SIGHUP. It sends SIGBREAK for Ctrl+Break, and when the
console is closed or the user signs out; then it may end the process before a server has stopped.
"""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Final, TypeAlias

Handlers: TypeAlias = "Mapping[signal.Signals, Callable[[], object]]"

if sys.platform == "win32":
    STOPPING: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGBREAK)
    """The signals that ask a server to stop."""
    TERMINAL_CLOSED: Final[tuple[signal.Signals, ...]] = ()
    """The signals that say, besides those, that the terminal was closed; a service manager may mean a reload by them."""
else:
    STOPPING: Final = (signal.SIGTERM, signal.SIGINT)
    TERMINAL_CLOSED: Final[tuple[signal.Signals, ...]] = (signal.SIGHUP,)
RELOADING: Final = TERMINAL_CLOSED
"""The signals that ask for a reload."""


@contextmanager
def called_by_signals(handlers: Handlers) -> Iterator[None]:
    """While the block runs, these signals call functions in the running loop; afterwards they do what they usually do.

    Only in the main thread.
    """
    loop = asyncio.get_running_loop()
    with ExitStack() as stack:
        if sys.platform == "win32":
            if isinstance(loop, asyncio.SelectorEventLoop):
                stack.enter_context(_woken(loop))
            stack.enter_context(_handled(loop, handlers))
        else:
            for number, function in handlers.items():
                loop.add_signal_handler(number, function)
                stack.callback(loop.remove_signal_handler, number)
        yield


@contextmanager
def _handled(loop: asyncio.AbstractEventLoop, handlers: Handlers) -> Iterator[None]:
    def handle(number: int, _: object) -> None:
        loop.call_soon_threadsafe(handlers[signal.Signals(number)])

    for number in handlers:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number in handlers:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


@contextmanager
def _woken(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Let a signal end the loop's wait for sockets."""
    here, there = socket.socketpair()
    with here, there:
        here.settimeout(0)
        there.settimeout(0)
        loop.add_reader(here, here.recv, 4096)
        before = signal.set_wakeup_fd(there.fileno(), warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)
            loop.remove_reader(here)
