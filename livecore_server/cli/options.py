"""From the table of settings to options of the command line: the one place where the two meet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import attrs
import click

from livecore_server.settings import SETTINGS, Setting, Settings

F = TypeVar("F", bound=Callable[..., Any])
_BY_NAME = {row.name: row for row in SETTINGS}


class _Checked(click.ParamType[object]):
    """A setting's type: that of its kind, and then the setting's own check, whose words name what is wrong."""

    def __init__(self, row: Setting) -> None:
        self._row = row
        self._inner = _plain_type(row)
        self.name = self._inner.name

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> object:
        """The value, if it will do."""
        found: object = self._inner.convert(value, param, ctx)
        if self._row.check is not None:
            try:
                self._row.check(str(found))
            except ValueError as fault:
                self.fail(str(fault), param, ctx)
        return found


def _plain_type(row: Setting) -> click.ParamType[Any]:
    if row.choices:
        return click.Choice(row.choices)
    if row.kind is int:
        return click.IntRange(
            None if row.least is None else int(row.least), None if row.most is None else int(row.most)
        )
    if row.kind is float:
        return click.FloatRange(row.least, row.most)
    return click.STRING


def _option(row: Setting, default: object) -> Callable[[F], F]:
    flags = f"{row.flag}/--no-{row.flag[2:]}" if row.kind is bool else row.flag
    return click.option(
        flags,
        row.name,
        default=default,
        envvar=row.variable,
        metavar=row.metavar,
        type=click.BOOL if row.kind is bool else _Checked(row),
        help=row.text,
        show_default=default not in (None, "") and not row.secret,
        show_envvar=True,
    )


def setting_option(name: str, *, default: object = None) -> Callable[[F], F]:
    """One setting as an option of a command, which receives it under the setting's name."""
    row = _BY_NAME[name]
    return _option(row, row.default if default is None else default)


def settings_options(**defaults: object) -> Callable[[F], F]:
    """Every setting as an option; some may have another default here. The command receives them all by name."""

    def decorate(command: F) -> F:
        for row in reversed(SETTINGS):
            command = _option(row, defaults.get(row.name, row.default))(command)
        return command

    return decorate


def settings_from(values: Mapping[str, Any]) -> Settings:
    """The settings that a command was given. Raises `click.UsageError` for what does not go together."""
    known = {field.name for field in attrs.fields(Settings)}
    try:
        return Settings(**{name: value for name, value in values.items() if name in known})
    except ValueError as fault:
        raise click.UsageError(str(fault)) from None


def game_option(command: F) -> F:
    """`--game ID`, which may be left out where there is but one game."""
    return click.option(
        "--game", "game_id", envvar="LIVECORE_GAME", metavar="ID", show_envvar=True,
        help="The game; may be left out where there is only one.",
    )(command)  # fmt: skip


def json_option(command: F) -> F:
    """`--json`: print one JSON object and nothing else."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else.")(command)
