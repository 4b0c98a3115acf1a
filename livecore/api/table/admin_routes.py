"""Builds the rows of the operators' surface, with the parts that all of them share.

Most of them do what a row of the studio's backend does, for a member who has the permission: `as_admin` makes such a row
from the other one, so that there is one handler and one shape for both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias, cast

import attrs

from livecore.access.refusals import GameNotFound, StudioNotFound
from livecore.api.table.operation import MOST_BODY_VALUES, Operation, Reach, Reveals
from livecore.kernel.errors import Refusal

Handler: TypeAlias = Callable[[Any, Any], object]
STUDIO: Final = "/admin/v1/studios/{studioId}"
"""The beginning of every path about a studio."""
GAME: Final = f"{STUDIO}/games/{{gameId}}"
"""The beginning of every path about a game."""
_SERVER: Final = "/server/v1"
_OWN_GAME: Final = "/games/{gameId}"
_NOTHING: Final[Mapping[int, Any]] = MappingProxyType({})


def as_admin(row: Operation, permission: str, path: str | None = None, **changes: Any) -> Operation:  # noqa: ANN401 - the fields of a row
    """The row of the operators' surface that does what `row` of the studio's backend does, for who has `permission`.

    Its path is that of `row` below the game, or `path`.
    """
    below = row.path.removeprefix(_SERVER).removeprefix(_OWN_GAME) if path is None else path
    changes = {"most_body_values": MOST_BODY_VALUES["admin"], **changes}
    return attrs.evolve(
        row,
        surface="admin",
        path=f"{GAME}{below}",
        credential="member",
        bucket="admin",
        permission=permission,
        errors=tuple(dict.fromkeys((StudioNotFound, GameNotFound, *row.errors))),
        links=_NOTHING,
        **changes,
    )


def member_read(
    name: str,
    path: str,
    args: type,
    answer: type,
    handler: Handler,
    *errors: type[Refusal],
    permission: str | None,
    summary: str,
    about: str = "",
    reach: Reach = "game",
    audited: bool = False,
    **further: Any,  # noqa: ANN401 - the other fields of a row
) -> Operation:
    """A GET route of members; `path` is whole, or begins below a game."""
    path = path if path.startswith("/admin/") else f"{GAME}{path}"
    return Operation(
        name=name,
        surface="admin",
        method="GET",
        path=path,
        credential="member",
        bucket="admin",
        args=args,
        answers={200: answer},
        handler=handler,
        summary=summary,
        about=about,
        errors=(*_missing(path), *errors),
        permission=permission,
        reach=reach,
        audited=audited,
        **further,
    )


def member_write(
    name: str,
    route: str,
    args: type,
    answers: Mapping[int, type],
    handler: Handler,
    *errors: type[Refusal],
    permission: str | None,
    summary: str,
    about: str = "",
    reach: Reach = "game",
    dashboard_only: bool | Literal["live"] = False,
    reveals: Reveals | None = None,
    target: tuple[str, str] | None = None,
    keyed: bool = True,
    **further: Any,  # noqa: ANN401 - the other fields of a row
) -> Operation:
    """A write route of members; `route` is the method and the path, which is whole or begins below a game."""
    method, _, path = route.partition(" ")
    path = path if path.startswith("/admin/") else f"{GAME}{path}"
    return Operation(
        name=name,
        surface="admin",
        method=cast("Literal['POST', 'PUT', 'PATCH', 'DELETE']", method),
        path=path,
        credential="member",
        bucket="admin",
        args=args,
        answers=answers,
        handler=handler,
        summary=summary,
        about=about,
        errors=(*_missing(path), *errors),
        writes=True,
        keyed=keyed,
        permission=permission,
        reach=reach,
        dashboard_only=dashboard_only,
        reveals=reveals,
        target=target,
        **further,
    )


def _missing(path: str) -> tuple[type[Refusal], ...]:
    if "{gameId}" in path:
        return (StudioNotFound, GameNotFound)
    return (StudioNotFound,) if "{studioId}" in path else ()
