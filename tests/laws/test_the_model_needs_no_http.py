"""What predicts the answers knows the rules and the contract alone: it can be read and tried without server and client."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.patience import PATIENCE_SECONDS

_ROOT: Final = Path(__file__).parents[2]
_HTTP: Final = {"aiohttp", "httpcore", "httpx", "respx", "urllib3"}


def test_the_model_needs_no_http() -> None:
    """A program that imports it loads no library that speaks HTTP, and nothing of the server."""
    modules = "tests.laws.model, tests.laws.areas, tests.laws.operating"
    code = f"import sys, {modules}; print(*{{name.partition('.')[0] for name in sys.modules}})"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=_ROOT, capture_output=True, text=True, check=True, timeout=PATIENCE_SECONDS
    )
    assert set(run.stdout.split()) & (_HTTP | {"livecore_server"}) == set()
