"""The program `livecore`: its commands, and how it ends.

Every problem is one line that says what to change. The exit status is 2 for a wrong call, for wrong input, and for a server
that cannot start until somebody changes something; it is 1 for everything else. A traceback is a bug.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import Final

import click

from livecore.kernel.errors import NotFound, Refusal, ValidationFailed
from livecore.version import VERSION
from livecore_server.cli.groups import Deferred, Group
from livecore_server.problem import LASTING, Problem

_CLI: Final = "livecore_server.cli"
_COMMANDS: Final = {
    "advise": Deferred(
        f"{_CLI}.advice:advise",
        "Print what is allowed in the configuration FILE and probably not meant; ends with status 1 where there is any.",
    ),
    "apply": Deferred(
        f"{_CLI}.apply:apply",
        "Give a game the configuration in FILE; prints the difference first.",
    ),
    "backup": Deferred(f"{_CLI}.copies:backup", "Copy the database into a new FILE, also while servers use it."),
    "check": Deferred(
        f"{_CLI}.check:check_command",
        "Look for what must not be in a database: ends with status 0 when it is sound and 1 when it is not.",
    ),
    "copy": Deferred(
        f"{_CLI}.copying:copy_command",
        "Copy a database into another one and compare every row; run it again to go on after an interruption.",
    ),
    "crates": Deferred(f"{_CLI}.crates:crates", "Crates that players have opened."),
    "dev": Deferred(
        f"{_CLI}.dev:dev",
        "Run a server with a demo game on this machine (in livecore-dev.db): shows what to paste next, and the keys.",
    ),
    "games": Deferred(f"{_CLI}.games:games", "The games that a database holds."),
    "init": Deferred(
        f"{_CLI}.init:init", "Make the schema, a studio, a game and its four keys, which are shown this once."
    ),
    "keys": Deferred(f"{_CLI}.keys:keys", "API keys: what game clients and the studio's backend show."),
    "members": Deferred(f"{_CLI}.members:members", "The people who may operate a studio's games, each with a role."),
    "migrate-in": Deferred(
        f"{_CLI}.migrate_in:migrate_in",
        "Move players, balances or items in; the first to register an id gets the player, unless knownPlayers is backend.",
    ),
    "openapi": Deferred(
        f"{_CLI}.documents:openapi",
        "Print the OpenAPI 3.1 document of the surface for games, for backends or for operators.",
    ),
    "players": Deferred(f"{_CLI}.players:players", "Players of a game: what a studio does to them without a server."),
    "rehearse": Deferred(
        f"{_CLI}.rehearse:rehearse_command",
        "Send right and wrong deliveries to a receiver and judge its answers; ends with status 1 where something is wrong.",
    ),
    "restore": Deferred(f"{_CLI}.copies:restore", "Put the backup FILE in the place of the database."),
    "schema": Deferred(f"{_CLI}.documents:schema", "Print the JSON Schema of the game configuration."),
    "serve": Deferred(f"{_CLI}.serve:serve", "Run the server. SIGTERM or SIGINT drains it and ends it with status 0."),
    "simulate": Deferred(
        f"{_CLI}.simulate:simulate",
        "Let virtual players play a season of the configuration in FILE, under the server's own rules.",
    ),
    "webhooks": Deferred(
        f"{_CLI}.webhooks:webhooks",
        "Where a game's events are sent: endpoints, their secrets, and how deliveries went.",
    ),
}


@click.group(
    cls=Group,
    deferred=_COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(VERSION, prog_name="livecore")
def program() -> None:
    """Live operations for games: friends, gifts, wallets and webhooks."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program and exit."""
    for stream in (sys.stdout, sys.stderr):
        # A console or a pipe of Windows may have an encoding without the letters of a name; they are then shown escaped.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
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
    except Refusal as fault:
        return _print_refusal(fault)
    except Problem as fault:
        return _print_error(str(fault), fault.status)
    except OSError as fault:
        return _print_error(str(fault))
    return status if isinstance(status, int) else 0


def _print_refusal(fault: Refusal) -> int:
    if isinstance(fault, ValidationFailed):
        return _print_error("\n".join(f"{path or 'value'}: {text}" for path, text in fault.fields.items()), LASTING)
    # What is not found was named in the call.
    return _print_error(fault.message, LASTING if isinstance(fault, NotFound) else 1)


def _print_error(message: str, status: int = 1) -> int:
    for line in message.splitlines():
        click.echo(f"livecore: {line}", err=True)
    return status
