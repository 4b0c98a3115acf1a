"""How long a test waits for what must come.

A test that passes never waits so long. The bound is there for a hang only, so it allows for a machine that is many times
slower and busy besides; it is below the time that pytest gives a test, so that what was waited for is in the report.
"""

from __future__ import annotations

from typing import Final

__all__ = ["PATIENCE_SECONDS"]

PATIENCE_SECONDS: Final = 300.0
