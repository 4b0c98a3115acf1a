"""A plugin of pytest, and a module for a script to follow, with which the service forgets to refund gifts that expire."""

from __future__ import annotations

from livecore.social import claims


def _forget(*_: object, **__: object) -> None:
    """Post nothing to the ledger."""


claims.post = _forget  # type: ignore[assignment,attr-defined] # the fault, at the name that the module has imported
