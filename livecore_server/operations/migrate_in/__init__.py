"""Migrates players from files: reading them, applying their rows by the migration routes' rules, and rehearsals."""

from livecore_server.operations.migrate_in.files import FileProblem, Line, held, read_lines
from livecore_server.operations.migrate_in.rehearsal import Rehearsed, rehearse
from livecore_server.operations.migrate_in.run import KINDS, Kind, Progress, Tally, move_in, unused_failures

__all__ = [
    "KINDS",
    "FileProblem",
    "Kind",
    "Line",
    "Progress",
    "Rehearsed",
    "Tally",
    "held",
    "move_in",
    "read_lines",
    "rehearse",
    "unused_failures",
]
