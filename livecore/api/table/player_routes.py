"""Builds the rows of a surface's player routes, with the parts that all of them share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias, cast

import attrs

from livecore.access.principals import Credential
from livecore.api.table.operation import Bucket, Given, Link, Operation, Surface
from livecore.kernel.errors import Refusal
from livecore.kernel.units.unit import Unit

Handler: TypeAlias = Callable[[Unit, Any], object]
Links: TypeAlias = Mapping[int, tuple[Link, ...]]
Examples: TypeAlias = Mapping[int, Given]
_NOTHING: Final[Mapping[int, Any]] = MappingProxyType({})
_PLAYER: Final = "/players/{externalId}"
Method: TypeAlias = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]


@attrs.frozen(kw_only=True)
class PlayerRoutes:
    """The routes of one surface whose path names a player."""

    surface: Surface
    credential: Credential
    reads: Bucket
    writes: Bucket

    @property
    def prefix(self) -> str:
        """The beginning of every path."""
        return f"/{self.surface}/v1{_PLAYER}"

    def read(
        self,
        name: str,
        path: str,
        args: type,
        answer: type,
        handler: Handler,
        *errors: type[Refusal],
        summary: str,
        **further: Any,  # noqa: ANN401 - the other fields of a row
    ) -> Operation:
        """A GET route of a player, who must exist."""
        path = f"{_PLAYER}{path}"
        return self.question(name, path, args, answer, handler, *errors, summary=summary, subject="existing", **further)

    def write(
        self,
        name: str,
        route: str,
        args: type,
        answers: Mapping[int, type],
        handler: Handler,
        *errors: type[Refusal],
        summary: str,
        **further: Any,  # noqa: ANN401 - the other fields of a row
    ) -> Operation:
        """A write route of a player, who must exist; `route` is the method and the path: `POST /friends/requests`."""
        method, _, path = route.partition(" ")
        return Operation(
            name=name,
            surface=self.surface,
            method=cast(Method, method),
            path=self.prefix + path,
            credential=self.credential,
            bucket=self.writes,
            args=args,
            answers=answers,
            handler=handler,
            summary=summary,
            errors=errors,
            writes=True,
            keyed=True,
            subject="existing",
            **further,
        )

    def question(
        self,
        name: str,
        path: str,
        args: type,
        answer: type,
        handler: Handler,
        *errors: type[Refusal],
        summary: str,
        **further: Any,  # noqa: ANN401 - the other fields of a row
    ) -> Operation:
        """A GET route of the same surface about the whole game; its path names no player."""
        return Operation(
            name=name,
            surface=self.surface,
            method="GET",
            path=f"/{self.surface}/v1{path}",
            credential=self.credential,
            bucket=self.reads,
            args=args,
            answers={200: answer},
            handler=handler,
            summary=summary,
            errors=errors,
            **further,
        )


SDK: Final = PlayerRoutes(surface="sdk", credential="player", reads="sdk_read", writes="sdk_write")
SERVER: Final = PlayerRoutes(surface="server", credential="server_key", reads="server_api", writes="server_api")
