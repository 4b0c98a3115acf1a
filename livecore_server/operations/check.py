"""Checking a database: the invariants of every scope, and for a file what SQLite itself finds.

    report = check(store, scopes, advance)

It changes no row. The rules are the core's (`livecore.api.invariants`); this module applies them to a store.

What a later release adds is no fault of a database that an earlier one has left. Its tables and columns are there as soon as
a store is open. Its recurring work comes with the next start of a server, and the report says which (`Checked.to_schedule`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

import attrs

from livecore.access.directory import all_scopes, every_scope
from livecore.api.areas import AREAS
from livecore.api.invariants import examined, faults_in, unprepared
from livecore.kernel.declarations.area import Areas
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.examination import Finding, Tally, in_key_order
from livecore.kernel.storage.reads import Count
from livecore_server.operations.copy.copier import count_rows
from livecore_server.operations.copy.preconditions import copied_tables
from livecore_server.storage.database import Database
from livecore_server.storage.snapshot import views_of
from livecore_server.storage.sqlite import SqliteStore

_LISTED: Final = 1_000
"""How many findings are listed; the rest is counted."""
Advance: TypeAlias = "Callable[[int], None]"
"""Called with the number of further rows that have been checked."""


@attrs.define
class Checked:
    """The result for a scope: its number of rows, the counts, and the number of findings.

    `rows` counts all rows of all tables, like a copy and a backup, whether or not a rule checks them.
    """

    scope: Scope
    rows: int = 0
    found: int = 0
    tally: Tally = attrs.Factory(Counter)
    to_schedule: list[str] = attrs.Factory(list)
    """The recurring work that the next start of a server will schedule."""


@attrs.define
class Report:
    """All findings; `damage` is what SQLite finds wrong with the file."""

    scopes: list[Checked] = attrs.Factory(list)
    findings: list[tuple[Scope, Finding]] = attrs.Factory(list)
    damage: list[str] = attrs.Factory(list)
    migrated: list[str] = attrs.Factory(list)
    """The migrations that were applied when the store was opened for this check."""

    @property
    def of_earlier_version(self) -> bool:
        """Whether no server of this version has started with this database yet, as far as its rows tell."""
        return bool(self.migrated) or any(checked.to_schedule for checked in self.scopes)

    @property
    def found(self) -> int:
        """The number of findings, listed or not."""
        return sum(checked.found for checked in self.scopes) + len(self.damage)

    def add(self, checked: Checked, finding: Finding) -> None:
        """Add a finding."""
        checked.found += 1
        if len(self.findings) < _LISTED:
            self.findings.append((checked.scope, finding))


def rows_to_look_at(store: Database, scopes: Iterable[Scope]) -> int:
    """How many rows `check` will report to `advance`."""
    with views_of(store) as views:
        return sum(views(scope)().count(Count(in_key_order(table), ())) for scope in scopes for table in examined())


def check(store: Database, scopes: Iterable[Scope], advance: Advance, areas: Areas = AREAS) -> Report:
    """Check every row of these scopes."""
    report = Report(migrated=store.migrated)
    if isinstance(store, SqliteStore):
        report.damage += store.integrity_check()
    known = {scope for scope, _ in store.read(DIRECTORY, every_scope)}
    served = {scope for scope, _ in store.read(DIRECTORY, all_scopes)}
    with views_of(store) as views:
        for scope in scopes:
            checked = Checked(scope, count_rows(views, [scope], copied_tables(store)))
            report.scopes.append(checked)
            if scope in served:
                checked.to_schedule += unprepared(views(scope), areas)
            for finding in faults_in(scope, views(scope), advance, checked.tally, areas):
                report.add(checked, finding)
            if scope not in known and scope != DIRECTORY:
                report.add(checked, Finding("games", (scope.game_id,), "does not exist, but this scope has rows of it"))
    return report
