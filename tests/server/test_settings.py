"""The table of settings: one row for each, from which options, variables and pages follow."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import attrs
import click
import pytest
from click.testing import CliRunner

from livecore.api.limits import DEFAULT_PER_MINUTE, RateLimits
from livecore_server.cli.dev import dev
from livecore_server.cli.options import settings_from, settings_options
from livecore_server.cli.program import program
from livecore_server.cli.serve import serve
from livecore_server.settings import SETTINGS, Setting, Settings, parse_address, parse_rate_limits

ROOT = Path(__file__).parent.parent.parent
REFERENCE = ROOT / "docs" / "reference"


@click.command()
@settings_options()
def shown(**values: object) -> None:
    """Show the settings that the command line and the environment give."""
    for name, value in attrs.asdict(settings_from(values)).items():
        click.echo(f"{name}={value!r}")


def given(*arguments: str, **environment: str) -> dict[str, str]:
    """The settings by name, as text."""
    result = CliRunner().invoke(shown, arguments, env=environment, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return dict(line.split("=", 1) for line in result.output.splitlines())


def test_defaults_of_the_command_line_are_those_of_the_class() -> None:
    """A program that makes `Settings` itself gets what the command would use."""
    assert given() == {name: repr(value) for name, value in attrs.asdict(Settings()).items()}


def other(row: Setting) -> str:
    """A value that is not the default."""
    special = {
        "rate_limits": "off",
        "cors_origins": "https://play.example.com",
        "metrics_address": "0.0.0.0:9100",
        "vault_key": "A" * 43 + "=",
        "webhook_networks": "10.0.0.0/8,fd00::/8",
    }
    if row.name in special:
        return special[row.name]
    if row.kind is bool:
        return "off" if row.default else "on"
    if row.choices:
        return next(choice for choice in row.choices if choice != row.default)
    return "3" if row.kind in (int, float) else "something"


@pytest.mark.parametrize("row", SETTINGS, ids=lambda row: row.name)
def test_every_setting_comes_from_its_option_and_its_variable(row: Setting) -> None:
    """Both give the same value, which is not the default, and change nothing else."""
    value = other(row)
    option = ([row.flag] if value == "on" else [f"--no-{row.flag[2:]}"]) if row.kind is bool else [row.flag, value]
    by_option, by_variable = given(*option), given(**{row.variable: value})
    assert by_option == by_variable
    assert [name for name, text in by_option.items() if text != given()[name]] == [row.name]


@pytest.mark.parametrize("command", [serve, dev])
def test_serve_and_dev_take_every_setting(command: click.Command) -> None:
    """No setting is out of reach."""
    assert {option.name for option in command.params} == {row.name for row in SETTINGS}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--port", "65536"], ["--port", "65536", "0<=x<=65535"]),
        (["--port", "http"], ["--port", "http"]),
        (["--workers", "65"], ["--workers", "1<=x<=64"]),
        (["--rate-limits", "sdk_write=0"], ["--rate-limits", "sdk_write", "1 to 1000000000"]),
        (["--rate-limits", "all=5"], ["--rate-limits", "'all'", "sdk_read, sdk_write, server_api, admin"]),
        (["--log-format", "xml"], ["--log-format", "text", "json"]),
        (["--metrics-address", "9100"], ["--metrics-address", "HOST:PORT"]),
        (["--vault-key", "short"], ["--vault-key", "base64"]),
        (["--webhook-networks", "10.0.0.1/8"], ["--webhook-networks", "10.0.0.1/8"]),
        (["--breaker-threshold", "0"], ["--breaker-threshold", "1<=x<=1000"]),
        (["--drain-seconds", "-1"], ["--drain-seconds", "0<=x<=600"]),
        (["--body-limit-bytes", "9000000"], ["--body-limit-bytes", "8388608"]),
    ],
)  # fmt: skip
def test_a_value_that_will_not_do_is_refused_by_name(arguments: list[str], says: list[str]) -> None:
    """The line names the option, the value or its limits; the same goes for the variable."""
    row = next(row for row in SETTINGS if row.flag == arguments[0])
    for result in (
        CliRunner().invoke(shown, arguments),
        CliRunner().invoke(shown, [], env={row.variable: arguments[1]}),
    ):
        assert result.exit_code == 2
        assert [part for part in says if part not in result.output] == []


def test_rate_limits_change_only_the_buckets_that_they_name() -> None:
    """`on` is the specification's table; a list changes parts of it."""
    assert parse_rate_limits("on") == RateLimits()
    assert parse_rate_limits("off") == RateLimits.off()
    assert parse_rate_limits("off", per_player=True).per_player
    changed = parse_rate_limits("sdk_write=5, admin=off,unauthenticated=off")
    assert dict(changed.per_minute) == {**{k: v for k, v in DEFAULT_PER_MINUTE.items() if k != "admin"}, "sdk_write": 5}
    assert changed.unauthenticated_per_minute is None


@pytest.mark.parametrize(("text", "address"), [("localhost:1", ("localhost", 1)), ("[::1]:65535", ("::1", 65_535))])
def test_an_address_is_host_and_port(text: str, address: tuple[str, int]) -> None:
    """IPv6 hosts stand in brackets."""
    assert parse_address(text) == address


@pytest.mark.parametrize("text", ["", ":1", "host", "host:", "host:65536", "host:-1"])
def test_what_is_no_address_is_refused(text: str) -> None:
    """The message shows the form."""
    with pytest.raises(ValueError, match="HOST:PORT"):
        parse_address(text)


def test_a_secret_setting_is_not_shown() -> None:
    """Neither the representation nor the help text holds one."""
    key = "A" * 43 + "="
    assert key not in repr(Settings(vault_key=key))
    assert key not in CliRunner().invoke(shown, ["--help"], env={"LIVECORE_VAULT_KEY": key}).output


# -- the reference pages


def test_the_reference_pages_are_current() -> None:
    """`docs/reference/settings.md` and `cli.md` are what the code says."""
    script = ROOT / ".ci" / "server_reference.py"
    result = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (0, "")


def test_every_setting_is_documented() -> None:
    """Flag and variable of each stand on the page, and no others."""
    page = (REFERENCE / "settings.md").read_text("utf-8")
    assert re.findall(r"`(LIVECORE_[A-Z_]+)`", page) == [row.variable for row in SETTINGS]
    assert [row.flag for row in SETTINGS if f"`{row.flag}`" not in page] == []


def leaves(group: click.Group, words: str) -> list[str]:
    """Every command by the words that call it."""
    found: list[str] = []
    for name, command in group.commands.items():
        path = f"{words} {name}"
        found += leaves(command, path) if isinstance(command, click.Group) else [path]
    return sorted(found)


def test_every_command_is_documented_and_explains_itself() -> None:
    """Each command of the program has a section on the page, and each of its options a text."""
    page = (REFERENCE / "cli.md").read_text("utf-8")
    assert re.findall(r"^## (.*)$", page, re.MULTILINE) == leaves(program, "livecore")
    contract = {"dev", "init", "serve", "apply", "openapi", "keys", "webhooks"}
    assert contract <= set(program.commands)


def test_every_option_of_every_command_has_a_text() -> None:
    """`--help` says what each option is for."""
    pending: list[click.Command] = [program]
    missing = []
    for command in pending:
        pending += command.commands.values() if isinstance(command, click.Group) else []
        missing += [
            f"{command.name} {option.name}"
            for option in command.params
            if isinstance(option, click.Option) and not option.help
        ]
    assert missing == []
