"""What a unit raises that needs something which its process is loading into memory."""

from __future__ import annotations

from collections.abc import Callable


class StillLoading(Exception):
    """The unit has no effect; its host waits until the loading has ended, for a limited time, and runs the unit again.

    Only units whose `waits` is set raise it. `when_settled` has a function called once the loading has succeeded or failed,
    and returns a function that takes this back.
    """

    def __init__(self, when_settled: Callable[[Callable[[], None]], Callable[[], None]]) -> None:
        super().__init__("what the unit needs is still being loaded")
        self.when_settled = when_settled
