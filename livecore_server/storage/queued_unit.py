"""A unit of work that an executor has accepted: its function, its result, and the future of its caller."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import attrs

from livecore.kernel.errors import Overloaded
from livecore.kernel.scope import Scope
from livecore.kernel.storage.notices import Notice
from livecore.kernel.storage.store import Transaction

T = TypeVar("T")


@attrs.define(slots=True, eq=False)
class QueuedUnit(Generic[T]):
    """The unit; `conclude`, `settle`, `refuse` or `refuse_overloaded` answers it, and the first answer counts."""

    scope: Scope
    work: Callable[[Transaction], T]
    future: asyncio.Future[T]
    result: T | None = None
    error: BaseException | None = None
    publish: Callable[[Sequence[Notice]], None] | None = None
    """Takes the notices once they are committed."""
    notices: Sequence[Notice] = ()

    def conclude(self) -> None:
        """Give the answer and publish the unit's notices; the unit is committed, whether or not the caller still waits."""
        self.settle()
        if self.notices and self.publish is not None:
            self.publish(self.notices)

    def settle(self) -> None:
        """Give the answer, if the caller still waits."""
        if self.future.done():
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)  # type: ignore[arg-type] # None is a result of its own

    def refuse_overloaded(self, cause: BaseException) -> None:
        """Fail as `Overloaded`, because the store failed."""
        overloaded = Overloaded()
        overloaded.__cause__ = cause
        self.refuse(overloaded)

    def refuse(self, error: BaseException) -> None:
        """Fail, whatever the unit's result."""
        self.error = error
        self.settle()
