"""Groups of commands whose help shows what each command is for in whole sentences."""

from __future__ import annotations

from inspect import cleandoc

import click

__all__ = ["Group"]


class Group(click.Group):
    """A group that wraps the descriptions of its commands instead of cutting them short."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands, each with the first paragraph of its own help."""
        found = [self.get_command(ctx, name) for name in self.list_commands(ctx)]
        rows = [(command.name or "", _paragraph(command)) for command in found if command is not None]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _paragraph(command: click.Command) -> str:
    return " ".join(cleandoc(command.help or "").partition("\n\n")[0].split())
