"""Commands as pages and deployment files show them, held against the program itself."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

import click
import pytest

from livecore_server.cli.options import settings_from
from livecore_server.cli.program import program
from livecore_server.cli.serve import serve
from livecore_server.settings import SETTINGS, Settings


def require_command(words: Sequence[str]) -> None:
    """The program has the command that these words (what follows `livecore`) call, and the command every option."""
    command: click.Command = program
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        found = command.commands.get(words[0])
        assert found is not None, f"there is no command {words[0]}"
        command, words = found, words[1:]
    known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
    given = {word.partition("=")[0] for word in words if word.startswith("--")}
    assert given <= known | {"--help", "--version"}


def settings_with(environment: dict[str, str], *arguments: str) -> Settings:
    """What `livecore serve` makes of an environment and arguments; a variable that nobody reads is a failure."""
    unknown = {name for name in environment if name.startswith("LIVECORE_")} - {row.variable for row in SETTINGS}
    assert not unknown, f"nobody reads {', '.join(sorted(unknown))}"
    with ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        for row in SETTINGS:
            patch.delenv(row.variable, raising=False)
        for name, value in environment.items():
            patch.setenv(name, value)
        context = stack.enter_context(serve.make_context("serve", [*arguments]))
        return settings_from(context.params)
