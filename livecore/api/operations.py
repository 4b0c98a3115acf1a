"""The table of operations: every route of the service, once.

The rows are in `livecore.api.routes`, area by area. This module only lists the files of each surface, in the order of its
document.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import Final

from livecore.access.connectivity_rows import GetDocument
from livecore.api.areas import AREAS
from livecore.api.requests.routing import Router
from livecore.api.routes import (
    access,
    audit,
    commerce,
    crates,
    deliveries,
    economy,
    events,
    friends,
    games,
    gifts,
    grants,
    guild_moderation,
    guilds,
    keys,
    leaderboards,
    lobbies,
    members,
    migration,
    player_tools,
    players,
    settings,
    support,
    support_economy,
    teams,
    webhooks,
)
from livecore.api.table.operation import Document, Operation, Surface
from livecore.kernel.declarations.area import Areas
from livecore.kernel.errors import RateLimited
from livecore.kernel.wire import compact

ROUTES: Final[Mapping[Surface, tuple[ModuleType, ...]]] = {
    "sdk": (players, friends, gifts, economy, grants, crates, events, leaderboards, lobbies, teams, guilds, commerce),
    "server": (
        access,
        grants,
        friends,
        gifts,
        players,
        economy,
        events,
        leaderboards,
        lobbies,
        teams,
        guild_moderation,
        player_tools,
        commerce,
        migration,
    ),
    "admin": (
        access,
        members,
        games,
        audit,
        keys,
        webhooks,
        deliveries,
        settings,
        events,
        leaderboards,
        lobbies,
        teams,
        guild_moderation,
        commerce,
        support,
        support_economy,
    ),
}
"""The files of rows by surface; a file with rows of several surfaces is listed under each."""


def _document_of(surface: Surface, table: Sequence[Operation], areas: Areas) -> Operation:
    @cache
    def served() -> Document:
        # Loaded at the first request: the documents need every kind of event and take longer to load than all the rest.
        from livecore.api.documents.description import describe  # noqa: PLC0415 - see above

        return Document(compact(describe(surface, table, areas)).encode())

    return Operation(
        name="openapi.get",
        surface=surface,
        method="GET",
        path=f"/{surface}/v1/openapi.json",
        # What operators may do is for them alone to read.
        credential="member" if surface == "admin" else "none",
        bucket="admin" if surface == "admin" else None,
        reach="directory" if surface == "admin" else "game",
        args=GetDocument,
        answers={200: Document},
        handler=lambda _, __: served(),
        summary="Read this document.",
        errors=() if surface == "admin" else (RateLimited,),
    )


def table_of(rows: Iterable[Operation], areas: Areas = AREAS) -> tuple[Operation, ...]:
    """A table of these rows over these areas, surface by surface, each of which serves its own document."""
    rows = [row if row.over is None else row.over(row, areas) for row in rows]
    table: list[Operation] = []
    for surface in ROUTES:
        table += (row for row in rows if row.surface == surface)
        table.append(_document_of(surface, table, areas))
    return tuple(table)


def _rows() -> Iterable[Operation]:
    for surface, modules in ROUTES.items():
        for module in modules:
            yield from (row for row in module.OPERATIONS if row.surface == surface)


ROWS: Final = tuple(_rows())
"""The rows of all areas."""
OPERATIONS: Final = table_of(ROWS)
"""Every operation of the service."""

_BY_ID = {entry.id: entry for entry in OPERATIONS}


def operation(id_: str) -> Operation:
    """The operation with this id, such as `sdk:gifts.send`. Raises `KeyError`."""
    return _BY_ID[id_]


def router_of(operations: Sequence[Operation]) -> Router:
    """Finds the operations of a table. That of all operations is shared: it takes longer to make than a whole `World`."""
    return _router_of_all() if operations is OPERATIONS else Router(operations)


@cache
def _router_of_all() -> Router:
    return Router(OPERATIONS)
