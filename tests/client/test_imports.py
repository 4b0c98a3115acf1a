"""What importing the clients brings along: nothing of the server, and the slow parts only when they are used."""

from __future__ import annotations

import subprocess
import sys

import pytest

FORBIDDEN = {"aiohttp", "asyncio", "attr", "attrs", "cattrs", "livecore_server", "sqlite3", "sqlite_utils"}
SERVER_ONLY = {"aiohttp", "cryptography", "livecore_server", "prometheus_client", "sqlite3", "sqlite_utils"}
"""Without click, which httpx itself imports where it is installed, for a command line of its own."""


def _modules_after(program: str) -> set[str]:
    """The top-level modules that are loaded after a program in a fresh interpreter."""
    report = "; import sys; print('\\n'.join(sorted(name for name in sys.modules)))"
    # Not in isolated mode: the checkout itself is what is to be imported.
    done = subprocess.run([sys.executable, "-c", program + report], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in done.stdout.split()}


@pytest.mark.parametrize(
    "program",
    [
        "import livecore_client",
        "from livecore_client import SdkClient, AsyncSdkClient, ServerClient, AsyncServerClient, errors",
    ],
)
def test_importing_a_client_stays_cheap(program: str) -> None:
    """Games load the client at start: no server package, no database, no event loop, and no shapes before the first call."""
    assert not _modules_after(program) & FORBIDDEN


@pytest.mark.parametrize(
    "program",
    [
        "from livecore_client import *",
        "import livecore_client.webhooks, livecore_client.local, livecore_client.rows",
        "import livecore_client as l; l.SdkClient(base_url='http://x', api_key='k', external_player_id='a').friends",
    ],
)
def test_using_all_of_it_brings_nothing_of_the_server(program: str) -> None:
    """A game's machine has `livecore[client]` and no more, so nothing of the server's may be asked for."""
    assert not _modules_after(program) & SERVER_ONLY


def test_a_webhook_receiver_does_not_load_the_http_library() -> None:
    """Verifying needs no client."""
    assert "httpx" not in _modules_after("from livecore_client import webhooks")
