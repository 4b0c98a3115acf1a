"""The rehearsal of a webhook receiver: what is sent to it, and how its answers are judged.

    scenario ──> plan ──> deliveries ──(a host sends them)──> answers ──> verdict

Everything here is deterministic and does no I/O. Equal scenarios, seeds and moments give equal plans, and equal answers give
equal verdicts. The hosts are the command `livecore rehearse`, which sends over HTTP, and the pytest fixture
`livecore_rehearsal`, which calls a function.
"""

from __future__ import annotations
