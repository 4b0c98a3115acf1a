"""Plain values: classes that are frozen for type checkers and plain slotted classes at run time.

A frozen attrs class costs about three times as much to build as a plain one, and a busy server builds hundreds of thousands
of small values a second. So the type checker, which checks every line of the project, enforces immutability, and the run
time does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, dataclass_transform

import attrs

C = TypeVar("C")

if TYPE_CHECKING:

    @dataclass_transform(frozen_default=True, field_specifiers=(attrs.field,))
    def value(cls: type[C]) -> type[C]:  # noqa: ARG001 - for type checkers
        """Declare a value whose fields may be given by position."""
        raise AssertionError

    @dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(attrs.field,))
    def keyword_value(cls: type[C]) -> type[C]:  # noqa: ARG001 - for type checkers
        """Declare a value whose fields are given by name."""
        raise AssertionError

else:

    def value(cls):  # noqa: ANN001, ANN201 - typed above
        """Declare a value whose fields may be given by position."""
        return attrs.define(cls, slots=True, eq=True, order=False)

    def keyword_value(cls):  # noqa: ANN001, ANN201 - typed above
        """Declare a value whose fields are given by name."""
        return attrs.define(cls, kw_only=True, slots=True, eq=True, order=False)
