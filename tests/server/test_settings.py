"""The table of settings: one row for each, from which options, variables and pages follow."""

from __future__ import annotations

import re
from pathlib import Path

import attrs
import click
import pytest
from click.testing import CliRunner

from livecore.api.requests.limits import DEFAULT_PER_MINUTE, RateLimits
from livecore.kernel.units.quotas import NO_QUOTAS
from livecore_server.cli.dev import dev
from livecore_server.cli.options import settings_from, settings_options
from livecore_server.cli.program import program
from livecore_server.cli.serve import serve
from livecore_server.setting_values import parse_address, parse_rate_limits
from livecore_server.settings import SETTINGS, Setting, Settings

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


PROVIDER = {
    "LIVECORE_PUBLIC_URL": "https://live.example.com",
    "LIVECORE_OIDC_ISSUER": "https://accounts.example.com",
    "LIVECORE_OIDC_CLIENT_ID": "client",
    "LIVECORE_OIDC_CLIENT_SECRET": "secret",
}
"""Settings that are given together."""


def other(row: Setting) -> str:
    """A value that is not the default."""
    special = {
        "rate_limits": "off",
        "cors_origins": "https://play.example.com",
        "metrics_address": "0.0.0.0:9100",
        "vault_key": "A" * 43 + "=",
        "checkpoint_bytes": "2000000",
        "webhook_networks": "10.0.0.0/8,fd00::/8",
        "public_url": "https://play.example.com",
        "oidc_issuer": "https://login.example.com/tenant",
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
    beside = PROVIDER if row.variable in PROVIDER else {}
    without = {name: text for name, text in beside.items() if name != row.variable}
    by_option, by_variable = given(*option, **without), given(**{**beside, row.variable: value})
    assert by_option == by_variable
    assert [name for name, text in by_option.items() if text != given(**beside)[name]] == [row.name]


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


def test_limits_of_addresses_and_players_are_named_in_the_same_list() -> None:
    """Those of addresses come with a bucket for each player, and each of them may be set or switched off."""
    apart = parse_rate_limits("on", per_player=True)
    assert (apart.address_per_minute, apart.new_players_per_hour) == (3_000, 200)
    assert parse_rate_limits("sdk_address=9,new_players=8,player_bytes=7") == RateLimits(
        address_per_minute=9, new_players_per_hour=8, stored_bytes_per_day=7
    )
    none = parse_rate_limits("sdk_address=off,new_players=off,player_bytes=off", per_player=True)
    assert (none.address_per_minute, none.new_players_per_hour, none.stored_bytes_per_day) == (None, None, None)
    off = parse_rate_limits("off", per_player=True)
    assert (off.address_per_minute, off.quotas) == (None, NO_QUOTAS)
    with pytest.raises(ValueError, match="players an hour"):
        parse_rate_limits("new_players=0")


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
    assert re.findall(r"^## (.*)$", page, re.MULTILINE) == ["Exit statuses", *leaves(program, "livecore")]
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


@pytest.mark.parametrize("missing", PROVIDER)
def test_a_provider_wants_all_of_its_settings(missing: str) -> None:
    """The line names what is missing; the public address alone is fine."""
    environment = {name: text for name, text in PROVIDER.items() if name != missing}
    result = CliRunner().invoke(shown, env=environment)
    assert (result.exit_code, f"an identity provider wants {missing} as well" in result.output) == (2, True)
    assert given(LIVECORE_PUBLIC_URL="https://live.example.com")["oidc_issuer"] == "None"


@pytest.mark.parametrize(
    ("variable", "text", "said"),
    [
        ("LIVECORE_PUBLIC_URL", "http://live.example.com", "must begin with https://"),
        ("LIVECORE_PUBLIC_URL", "live.example.com", "is not a web address"),
        ("LIVECORE_PUBLIC_URL", "https://live.example.com/base", "must be an origin"),
        ("LIVECORE_PUBLIC_URL", "https://live.example.com?", "must be an origin"),
        ("LIVECORE_PUBLIC_URL", "https://user@live.example.com", "is not a web address without user"),
        ("LIVECORE_PUBLIC_URL", "https://live.example.com:port", "Port could not be cast"),
        ("LIVECORE_OIDC_ISSUER", "http://10.0.0.1/realm", "must begin with https://"),
        ("LIVECORE_OIDC_ISSUER", "https://accounts.example.com/?a=b", "must have no query"),
        ("LIVECORE_OIDC_ISSUER", "https://accounts.example.com/#a", "is not a web address"),
        ("LIVECORE_OIDC_CLIENT_ID", "two\nlines", "must be printable text"),
    ],
)
def test_addresses_of_a_provider_are_checked(variable: str, text: str, said: str) -> None:
    """Each with a line that says what is wrong."""
    result = CliRunner().invoke(shown, env={**PROVIDER, variable: text})
    assert (result.exit_code, said in result.output) == (2, True), result.output


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8787", "[::1]:8787"])
def test_http_is_for_this_machine(host: str) -> None:
    """For both addresses; then browsers get no cookie that needs https."""
    address = f"http://{host}"
    given(**{**PROVIDER, "LIVECORE_PUBLIC_URL": address, "LIVECORE_OIDC_ISSUER": address})
    assert Settings(public_url=address).origin is None


@pytest.mark.parametrize(
    ("public_url", "origin"),
    [
        ("https://live.example.com/", "https://live.example.com"),
        ("HTTPS://Live.Example.com:443", "https://live.example.com"),
        ("https://live.example.com:8443", "https://live.example.com:8443"),
        ("https://[2001:db8::1]:8443", "https://[2001:db8::1]:8443"),
    ],
)
def test_the_origin_is_written_as_browsers_write_it(public_url: str, origin: str) -> None:
    """They send it with each change, and it is compared letter by letter."""
    assert Settings(public_url=public_url).origin == origin


def test_the_secret_is_in_no_listing() -> None:
    """Neither in the representation nor in the help text."""
    settings = Settings(
        public_url=PROVIDER["LIVECORE_PUBLIC_URL"],
        oidc_issuer=PROVIDER["LIVECORE_OIDC_ISSUER"],
        oidc_client_id="client",
        oidc_client_secret="do not show",
    )
    assert "do not show" not in repr(settings)
    assert (
        "do not show"
        not in CliRunner().invoke(shown, ["--help"], env={"LIVECORE_OIDC_CLIENT_SECRET": "do not show"}).output
    )
