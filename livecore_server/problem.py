"""The base of the problems that an operator has to mend: a database that cannot be used, an address that is taken.

Their texts are whole sentences, and the program prints them instead of a traceback. The class has a module of its own, so
that the program recognises a problem without importing what may raise it.
"""

from __future__ import annotations

__all__ = ["Problem"]


class Problem(Exception):
    """The server or a command cannot do its work, for the reason that the text says."""
