"""Groups of commands whose help shows what each command is for, without importing the commands.

Importing a command imports what it works with, which for most of them is a store and for some the whole server. So a group
knows of a deferred command only its name, its place and the first paragraph of its help, and imports it when it is used:
for its own help, for its options, or to run. A test holds the paragraph against the command's own help.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, NamedTuple

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class Deferred(NamedTuple):
    """A command that is imported when it is used."""

    place: str
    """The module and the name in it: `livecore_server.cli.keys:keys`."""
    paragraph: str
    """The first paragraph of the command's help."""


class _Commands(MutableMapping[str, click.Command]):
    """Commands by name, in which a deferred command is imported by the first look at it."""

    def __init__(self, deferred: Mapping[str, Deferred]) -> None:
        self._deferred = deferred
        self._loaded: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._loaded and name in self._deferred:
            module, _, attribute = self._deferred[name].place.partition(":")
            self._loaded[name] = getattr(import_module(module), attribute)
        return self._loaded[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._loaded[name] = command

    def __delitem__(self, name: str) -> None:
        raise TypeError(f"the command {name} cannot be taken away")

    def __contains__(self, name: object) -> bool:
        return name in self._loaded or name in self._deferred

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*self._loaded, *self._deferred}))

    def __len__(self) -> int:
        return len({*self._loaded, *self._deferred})


class Group(click.Group):
    """A group that wraps the descriptions of its commands instead of cutting them short.

    `deferred` are its commands that stand in modules of their own. `commands` has all commands, and imports those that are
    looked at.
    """

    def __init__(
        self,
        name: str | None = None,
        *,
        deferred: Mapping[str, Deferred] | None = None,
        **options: Any,  # noqa: ANN401 - those of click's own class, to which they are handed on
    ) -> None:
        self.deferred = deferred or {}
        super().__init__(name, commands=_Commands(self.deferred), **options)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands, each with the first paragraph of its own help."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, self._paragraph(name)) for name in self.list_commands(ctx)])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the name of a command or of an option; imports none of the commands that are only named."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415 - for shells only

        names = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        found = [CompletionItem(name, help=self._paragraph(name)) for name in names]
        return found + click.Command.shell_complete(self, ctx, incomplete)

    def _paragraph(self, name: str) -> str:
        known = self.deferred.get(name)
        return first_paragraph(self.commands[name]) if known is None else known.paragraph


def first_paragraph(command: click.Command) -> str:
    """What a list of commands says of a command: the first paragraph of its help, as one line."""
    return " ".join(cleandoc(command.help or "").partition("\n\n")[0].split())
