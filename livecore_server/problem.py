"""The base of the problems that an operator has to mend: a database that cannot be used, an address that is taken.

Their texts are whole sentences, and the program prints them instead of a traceback. The class has a module of its own, so
that the program recognises a problem without importing what may raise it.
"""

from __future__ import annotations

from typing import Final

LASTING: Final = 2
"""The exit status of what cannot succeed until a person changes something: a wrong call, wrong input, or files that a server
may not use. A service manager should not try again (`RestartPreventExitStatus`)."""


class Problem(Exception):
    """The server or a command cannot do its work, for the reason that the text says."""

    status: int = 1
    """The exit status of the program that it ends."""


class WrongInput(Problem):
    """What the call names or gives is wrong: another call, or another file, is needed."""

    status = LASTING
