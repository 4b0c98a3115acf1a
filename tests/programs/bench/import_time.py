"""What importing the client costs, as a ratio to importing httpx; run as `python -m tests.programs.bench.import_time`.

Each figure is the median of fresh interpreters' own account of their imports, taken in turns, so that a busy machine slows
all alike. `client names` is the honest one: the four clients and the exceptions in hand, ready to be called. Prints machine,
versions and ratios, and asserts nothing.
"""

from __future__ import annotations

import platform
import statistics
import subprocess
import sys
from importlib.metadata import version

ROUNDS = 15
PROGRAMS = {
    "httpx": "import httpx",
    "client": "import livecore_client",
    "client names": "from livecore_client import SdkClient, AsyncSdkClient, ServerClient, AsyncServerClient, errors",
    "webhooks": "from livecore_client import webhooks",
    "all shapes": "from livecore_client import rows, SdkClient; import livecore_client._arguments",
}
BASE = "httpx"


def import_seconds(program: str) -> float:
    """How long a fresh interpreter takes for the imports of `program`, itself not included."""
    timed = f"import time; a = time.perf_counter()\n{program}\nprint(time.perf_counter() - a)"
    done = subprocess.run([sys.executable, "-c", timed], capture_output=True, text=True, check=True)
    return float(done.stdout)


def measure(rounds: int = ROUNDS) -> dict[str, float]:
    """The median seconds of each program."""
    seen: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    for _ in range(rounds):
        for name, program in PROGRAMS.items():
            seen[name].append(import_seconds(program))
    return {name: statistics.median(times) for name, times in seen.items()}


def shown(rounds: int = ROUNDS) -> dict[str, float]:
    """Print the table; gives the ratios."""
    medians = measure(rounds)
    print(f"Python {platform.python_version()}, httpx {version('httpx')}, {platform.machine()}")
    for name, seconds in medians.items():
        print(f"{name:<14}{seconds * 1000:8.1f} ms  {seconds / medians[BASE]:5.2f} x {BASE}")
    return {name: round(seconds / medians[BASE], 3) for name, seconds in medians.items()}


if __name__ == "__main__":
    shown()
