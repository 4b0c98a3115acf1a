"""The page's table of personal data: every table that names players is in it, and every period is the setting's."""

from __future__ import annotations

import re
from typing import Final

import attrs
import pytest

from livecore.access import former_members, personal_keys, sessions
from livecore.api.areas import AREAS
from livecore.api.requests import idempotency
from livecore.kernel.storage.tables import all_tables
from livecore.kernel.time import DAY, HOUR
from livecore.webhooks import delivery
from livecore_server.ephemeral.shared import OLDEST_UPDATE
from livecore_server.settings import SETTINGS
from livecore_server.storage.postgres.shared.ephemeral_tables import EPHEMERAL_NAMES
from tests.pages import ROOT

PAGE: Final = ROOT / "docs" / "how-to" / "answer-a-data-subject-request.md"
OF_NO_PLAYER: Final = {
    "members", "memberships", "sessions", "session_use", "personal_keys", "api_key_usage",  # of operators
    "guilds", "guild_words", "event_teams", "lobbies",  # texts of groups
    "livecore_windows", "livecore_updates",  # of the host
}  # fmt: skip
"""Tables without a column that names a player in which there is personal data all the same."""


@attrs.frozen
class Line:
    """A line of the table."""

    what: str
    tables: set[str]
    period: str
    settings: set[str]


def lines() -> list[Line]:
    """The table, read."""
    section = PAGE.read_text("utf-8").partition("## What is kept, and for how long")[2].partition("\n## ")[0]
    rows = [row.strip("|").split(" | ") for row in section.splitlines() if row.startswith("|")][2:]
    assert {len(row) for row in rows} == {4}
    return [
        Line(what.strip(), set(re.findall(r"`(\w+)`", where)), period, set(re.findall(r"`--([a-z-]+)`", setting)))
        for what, where, period, setting in rows
    ]


def line_of(table: str, setting: str | None = None) -> Line:
    """The line about a table, and a setting."""
    return next(line for line in lines() if table in line.tables and (setting is None or setting in line.settings))


def test_every_table_that_names_players_is_in_it() -> None:
    """And of the others those that hold something of a person; and no table that does not exist."""
    named = {table for line in lines() for table in line.tables}
    of_players = {table.name for table in AREAS.tables if table.players}
    assert of_players - named == set()
    assert OF_NO_PLAYER - named == set()
    assert named - of_players - OF_NO_PLAYER == set()
    assert {table.name for table in all_tables()} | set(EPHEMERAL_NAMES) >= OF_NO_PLAYER


def test_every_setting_of_a_period_is_in_it_with_its_default() -> None:
    """Whatever is called after days, and the log."""
    settings = {row.name.replace("_", "-"): row for row in SETTINGS}
    named = {name for line in lines() for name in line.settings}
    assert named == {name for name in settings if name.endswith("-days")} | {"request-log-addresses"}
    for line in lines():
        for name in line.settings:
            assert re.search(rf"\b{settings[name].default}\b", line.period), (line.what, name)


@pytest.mark.parametrize(
    ("table", "period"),
    [
        ("memberships", f"{former_members.KEPT_FOR // DAY} days"),
        ("sessions", f"{sessions.LONGEST // DAY} days"),
        ("personal_keys", f"{personal_keys.KEPT_FOR // DAY} days"),
        ("idempotent_answers", f"{idempotency.KEPT_FOR // HOUR} hours"),
        ("webhook_events", f"{delivery.KEPT_FOR // DAY} days"),
        ("livecore_updates", f"{OLDEST_UPDATE // HOUR} hour"),
    ],
)
def test_a_period_without_a_setting_is_the_one_in_the_code(table: str, period: str) -> None:
    """As the rules of the area have it."""
    assert period in line_of(table).period
