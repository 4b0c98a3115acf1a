"""Checking a database: the invariants of every scope, and for a file what SQLite itself finds.

    report = check(store, scopes, tell)

Nothing is changed. The rules are the core's (`livecore.api.invariants`); here they meet a store.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

import attrs

from livecore.access.directory import all_scopes
from livecore.api.areas import AREAS
from livecore.api.invariants import examined, faults_in
from livecore.kernel.area import Areas
from livecore.kernel.examination import Finding, Tally, in_key_order
from livecore.kernel.scope import DIRECTORY, Scope
from livecore_server.operations.copy.copier import count_rows
from livecore_server.operations.copy.preconditions import copied_tables
from livecore_server.storage.database import Database
from livecore_server.storage.snapshot import views_of
from livecore_server.storage.sqlite import SqliteStore

__all__ = ["LISTED", "Checked", "Report", "check", "rows_to_look_at"]

LISTED: Final = 1_000
"""How many findings are listed; the rest is counted."""
Tell: TypeAlias = "Callable[[int], None]"
"""Is told how many further rows have been looked at."""


@attrs.define
class Checked:
    """What a scope came to: how many rows it holds, what was added up, and how much was found wrong.

    `rows` are all rows of all tables, as a copy and a backup count them, whatever rules look at them.
    """

    scope: Scope
    rows: int = 0
    found: int = 0
    tally: Tally = attrs.Factory(Counter)


@attrs.define
class Report:
    """What was found, and where; `damage` is what SQLite finds wrong with the file."""

    scopes: list[Checked] = attrs.Factory(list)
    findings: list[tuple[Scope, Finding]] = attrs.Factory(list)
    damage: list[str] = attrs.Factory(list)

    @property
    def found(self) -> int:
        """How much was found wrong, listed or not."""
        return sum(checked.found for checked in self.scopes) + len(self.damage)

    def add(self, checked: Checked, finding: Finding) -> None:
        """Take in a finding."""
        checked.found += 1
        if len(self.findings) < LISTED:
            self.findings.append((checked.scope, finding))


def rows_to_look_at(store: Database, scopes: Iterable[Scope]) -> int:
    """How many rows `check` is going to report to `tell`."""
    with views_of(store) as views:
        return sum(
            views(scope)().count(in_key_order(table), (), start=None, stop=None)
            for scope in scopes
            for table in examined()
        )


def check(store: Database, scopes: Iterable[Scope], tell: Tell, areas: Areas = AREAS) -> Report:
    """Look at every row of these scopes."""
    report = Report()
    if isinstance(store, SqliteStore):
        report.damage += store.integrity_check()
    known = {scope for scope, _ in store.read(DIRECTORY, all_scopes)}
    with views_of(store) as views:
        for scope in scopes:
            checked = Checked(scope, count_rows(views, [scope], copied_tables(store)))
            report.scopes.append(checked)
            for finding in faults_in(scope, views(scope), tell, checked.tally, areas):
                report.add(checked, finding)
            if scope not in known and scope != DIRECTORY:
                report.add(checked, Finding("games", (scope.game_id,), "is not there, and this scope holds rows of it"))
    return report
