"""Commands that are given a configuration: one by an option, the other as an argument. They tell apart who mixes them up."""

from __future__ import annotations

import json
from pathlib import Path

import click

from livecore.api.configuration.game_config import config_schema
from livecore.starter import SCHEMA_FILE, STARTER

__all__ = ["ByArgument", "ByOption", "write_example"]


class ByArgument(click.Command):
    """Takes the file as an argument, and says so to whoever writes `--config`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the call. Raises `click.UsageError`."""
        words = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as fault:
            if fault.option_name != "--config":
                raise
            file = next((word.removeprefix("--config=") for word in words if word.endswith(".json")), "FILE")
            raise click.UsageError(f"the file stands without an option: livecore {ctx.info_name} {file}", ctx) from None


class ByOption(click.Command):
    """Takes the file by `--config`, and says so to whoever writes it as an argument."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the call. Raises `click.UsageError`."""
        ctx.allow_extra_args = True
        rest = super().parse_args(ctx, args)
        if rest:
            raise click.UsageError(f"the file is given by an option: livecore {ctx.info_name} --config {rest[0]}", ctx)
        return rest


def write_example(path: Path) -> Path:
    """Write a configuration to start from, and its schema beside it; gives the schema's file.

    Raises `click.ClickException` where there is a configuration already. A schema that is there is written anew.
    """
    schema = path.with_name(SCHEMA_FILE)
    if path.resolve() == schema.resolve():
        raise click.ClickException(f"{path} is the name of the schema that is written beside it: take another one")
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(STARTER)
    except FileExistsError:
        raise click.ClickException(f"{path} is there already: take another name, or remove it first") from None
    text = json.dumps(config_schema(), ensure_ascii=False, indent=2) + "\n"
    schema.write_text(text, "utf-8", newline="\n")
    return schema
