"""Configurations that commands are given: the file, how it is named, and the advice on what stands in it.

Some commands take it by an option, others as an argument, and tell apart who mixes them up.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final

import click

from livecore.api.areas import AREAS
from livecore.api.configuration.game_config import GameConfig, config_schema, load_config
from livecore.kernel.errors import ValidationFailed
from livecore.kernel.wire.config import Advice
from livecore.starter import SCHEMA_FILE, STARTER
from livecore_server.system import now_millis

CONFIG_FILE: Final = click.Path(path_type=Path, exists=True, dir_okay=False, allow_dash=True)
"""The type of an option or argument that names a configuration."""
accept_option: Final = click.option(
    "--accept",
    "accepted",
    metavar="PATH",
    multiple=True,
    help="Give no advice on this path; may be given several times.",
)


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
            raise click.UsageError(
                f"the file is given without an option: livecore {ctx.info_name} {file}", ctx
            ) from None


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

    Raises `click.ClickException` where there is a configuration already, and `click.UsageError` for the name of the schema.
    An existing schema is replaced.
    """
    schema = path.with_name(SCHEMA_FILE)
    if path.resolve() == schema.resolve():
        raise click.UsageError(f"{path} is the name of the schema that is written beside it: take another one")
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(STARTER)
    except FileExistsError:
        raise click.ClickException(f"{path} is there already: take another name, or remove it first") from None
    text = json.dumps(config_schema(), ensure_ascii=False, indent=2) + "\n"
    schema.write_text(text, "utf-8", newline="\n")
    return schema


def read_text(path: Path) -> str:
    """The text of a file, `-` for standard input. Raises `ValidationFailed` for a file that is not UTF-8."""
    try:
        with click.open_file(str(path), encoding="utf-8") as file:
            text: str = file.read()
            return text
    except UnicodeDecodeError:
        raise ValidationFailed({str(path): "is not UTF-8: save it in this encoding"}) from None


def read_config(path: Path | None) -> GameConfig:
    """A configuration file. Raises `ValidationFailed`, each path led by the file's name."""
    return GameConfig() if path is None else load_named(path, read_text(path))


def load_named(path: Path, text: str) -> GameConfig:
    """The configuration in the text of a file. Raises `ValidationFailed`, each path led by the file's name."""
    try:
        return load_config(text)
    except ValidationFailed as fault:
        raise named_fault(path, fault) from None


def named_fault(path: Path, fault: ValidationFailed) -> ValidationFailed:
    """The faults of a file, each path led by the file's name."""
    return ValidationFailed({f"{path}: {place}" if place else str(path): text for place, text in fault.fields.items()})


def advice_beside(config: GameConfig, accepted: Collection[str]) -> list[Advice]:
    """What is probably not meant in a configuration, without the advice on the paths that somebody has accepted."""
    return [(path, message) for path, message in AREAS.advice_on(config, now_millis()) if path not in accepted]


def print_advice(config: GameConfig, accepted: Collection[str] = (), *, err: bool = False) -> bool:
    """What is probably not meant in a configuration, a line for each field; gives whether there is anything."""
    found = advice_beside(config, accepted)
    for line in advice_lines(found):
        click.echo(line, err=err)
    return bool(found)


def advice_lines(found: Sequence[Advice]) -> list[str]:
    """Advice for people."""
    return [f"advice: {path} {message}" for path, message in found]
