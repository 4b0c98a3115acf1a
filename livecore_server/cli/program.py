"""The program `livecore`: its commands, and how it ends.

Every problem is one line that says what to change: exit status 2 for a wrong call, 1 for everything else. A traceback is a
bug.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

import click

from livecore.kernel.errors import Refusal, ValidationFailed
from livecore.version import VERSION
from livecore_server.cli.check import check_command
from livecore_server.cli.copies import backup, restore
from livecore_server.cli.copying import copy_command
from livecore_server.cli.crates import crates
from livecore_server.cli.deliveries import deliveries, replay
from livecore_server.cli.dev import dev
from livecore_server.cli.documents import openapi, schema
from livecore_server.cli.games import apply, games, init
from livecore_server.cli.groups import Group
from livecore_server.cli.keys import keys
from livecore_server.cli.members import members
from livecore_server.cli.migrate_in import migrate_in
from livecore_server.cli.resealing import reseal
from livecore_server.cli.serve import serve
from livecore_server.cli.webhooks import webhooks
from livecore_server.http.client_address import CountryFileProblem
from livecore_server.http.listening import ListenProblem
from livecore_server.storage.database import DatabaseProblem
from livecore_server.workers.process import WorkerFailed

__all__ = ["main", "program"]

_PROBLEMS: Final = (
    DatabaseProblem, ListenProblem, WorkerFailed, CountryFileProblem, OSError,
)  # fmt: skip


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(VERSION, prog_name="livecore")
def program() -> None:
    """Live operations for games: friends, gifts, wallets and webhooks."""


_COMMANDS: Final = (
    dev, init, serve, apply, games, keys, members, webhooks, backup, restore, check_command, copy_command, migrate_in,
    crates, openapi, schema,
)  # fmt: skip
for command in _COMMANDS:
    program.add_command(command)
for command in (deliveries, replay, reseal):
    webhooks.add_command(command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program and exit."""
    sys.exit(_run(arguments))


def _run(arguments: Sequence[str] | None) -> int:
    try:
        status = program.main(args=arguments, prog_name="livecore", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as fault:
        fault.show()
        return fault.exit_code
    except click.ClickException as fault:
        return _print_error(" ".join(fault.format_message().split()), fault.exit_code)
    except click.Abort:
        return 130
    except ValidationFailed as fault:
        return _print_error("\n".join(f"{path or 'value'}: {text}" for path, text in fault.fields.items()))
    except Refusal as fault:
        return _print_error(fault.message)
    except _PROBLEMS as fault:
        return _print_error(str(fault))
    return status if isinstance(status, int) else 0


def _print_error(message: str, status: int = 1) -> int:
    for line in message.splitlines():
        click.echo(f"livecore: {line}", err=True)
    return status
