"""What is known of a unit of work when it begins, for a store that is far away and asks for many rows at once.

It is a guess beside the unit and never an input to it: with and without it the unit reads and writes the same.
"""

from __future__ import annotations

from typing import Any, Final, Protocol, runtime_checkable

UNKNOWN: Final[Any] = object()
"""In place of a value that is not known."""


class Known(Protocol):
    """What is known of one unit of work."""

    @property
    def operation(self) -> str:
        """The operation that it runs, such as `sdk:gifts.send`."""

    def value(self, name: str) -> Any:  # noqa: ANN401 - of any type
        """A value by its name, such as `now` or `argument.limit`; `UNKNOWN` where there is none."""

    def hidden(self, owner: str) -> Any:  # noqa: ANN401 - as above
        """The hash under which an owner's idempotency key is stored; `UNKNOWN` where there is none."""


@runtime_checkable
class ExpectingReader(Protocol):
    """A reader that asks for what its unit is expected to read."""

    def expect(self, known: Known) -> None:
        """The unit begins, and this is known of it."""
