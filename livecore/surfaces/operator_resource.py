"""What every namespace of a studio's member is made of."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol, TypeVar

from livecore.kernel.scope import Environment

__all__ = ["OperatorResource", "OperatorSender"]

T = TypeVar("T")


class OperatorSender(Protocol):
    """Sends the calls of a member of a studio, who works at one environment of one game."""

    @property
    def studio_id(self) -> str:
        """The studio of the member."""

    @property
    def game_id(self) -> str:
        """The game that the calls are about."""

    @property
    def environment(self) -> Environment:
        """The environment that the calls are about."""

    def new_idempotency_key(self) -> str:
        """A key for a shape that requires one."""

    def send_arguments(
        self,
        method: str,
        path: str,
        arguments: object,
        answer: type[T],
        *,
        player: str | None,
        studio_id: str | None,
        game_id: str | None,
        environment: Environment | None,
    ) -> T:
        """Call the operation with this method and template of a path, whose `{externalId}` is the `player`.

        Studio, game and environment are the caller's own where they are `None`. Raises as the clients do.
        """


class OperatorResource:
    """Operations of the operator surface, on the player that each call names."""

    def __init__(self, caller: OperatorSender) -> None:
        self._caller = caller

    @property
    def _own_studio_id(self) -> str:
        return self._caller.studio_id

    @property
    def _own_game_id(self) -> str:
        return self._caller.game_id

    @property
    def _own_environment(self) -> Environment:
        return self._caller.environment

    def _new_idempotency_key(self) -> str:
        """A key for a shape that requires one."""
        return self._caller.new_idempotency_key()

    def _send(
        self,
        method: str,
        path: str,
        arguments: object,
        answer: type[T],
        *,
        player: str | None = None,
        studio_id: str | None = None,
        game_id: str | None = None,
        environment: Environment | None = None,
        query: Collection[str] = (),  # noqa: ARG002 - only HTTP tells the parts of a request apart
    ) -> T:
        """Call the route at `path`, whose `{externalId}` is the `player`."""
        return self._caller.send_arguments(
            method,
            path,
            arguments,
            answer,
            player=player,
            studio_id=studio_id,
            game_id=game_id,
            environment=environment,
        )
