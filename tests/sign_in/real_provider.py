"""A real identity provider, npm's `oidc-provider` on Node.js, as a program beside the tests."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import aiohttp
import attrs
import pytest
from joserfc.jwk import ECKey, RSAKey

from tests.npm import Node, npm_project
from tests.patience import PATIENCE_SECONDS
from tests.sign_in.python_provider import CLIENT_ID, CLIENT_SECRET

_HERE = Path(__file__).parent / "node_provider"
_MOST_STEPS = 10


@attrs.frozen
class Program:
    """The provider's program with what it needs, as npm has installed it."""

    node: Node
    folder: Path


def installed(config: pytest.Config, folder: Path) -> Program:
    """The program, installed as its lock file says; `folder` is the test's own."""
    return Program(*npm_project(_HERE, config, folder))


def free_port() -> int:
    """A port on which nobody listens now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@attrs.frozen
class RealProvider:
    """A running provider, and what a person does there."""

    issuer: str
    redirect_uri: str

    async def answer(self, location: str, login: str) -> str:
        """Log in with the name of an account, or decline with none; gives where the provider sends the browser at last."""
        jar = aiohttp.CookieJar(unsafe=True)
        async with aiohttp.ClientSession(cookie_jar=jar) as client:
            for _ in range(_MOST_STEPS):
                if location.startswith(self.redirect_uri):
                    return location.removeprefix(self.redirect_uri.partition("/admin/")[0])
                method, form = ("POST", {"login": login}) if "/login/" in location else ("GET", None)
                async with client.request(method, location, data=form, allow_redirects=False) as response:
                    assert response.status in (302, 303), await response.text()
                    location = urljoin(location, response.headers["Location"])
        raise AssertionError(location)


@contextmanager
def running(
    program: Program,
    folder: Path,
    *,
    port: int,
    redirect_uri: str,
    accounts: dict[str, dict[str, Any]],
    **further: Any,  # noqa: ANN401 - fields of the program's configuration
) -> Iterator[RealProvider]:
    """The provider, until the end."""
    # Beside what npm has installed, because Node.js looks for packages from where a program is.
    shutil.copy(_HERE / "server.mjs", program.folder / "server.mjs")
    given = {
        "port": port,
        "clientId": CLIENT_ID,
        "clientSecret": CLIENT_SECRET,
        "redirectUri": redirect_uri,
        "authMethod": "client_secret_basic",
        "accounts": accounts,
        "keys": [signing_key("one")],
        "claimsInIdToken": False,
        "algorithm": "RS256",
        **further,
    }
    log = folder / f"provider-{port}.log"
    with (
        log.open("a") as errors,
        subprocess.Popen(
            [program.node.program, "server.mjs"],
            cwd=program.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        print(json.dumps(given), file=process.stdin, flush=True)
        try:
            assert process.stdout.readline() == "ready\n", log.read_text()
            yield RealProvider(f"http://127.0.0.1:{port}", redirect_uri)
        finally:
            process.terminate()
            process.wait(PATIENCE_SECONDS)


def signing_key(kid: str, algorithm: str = "RS256") -> dict[str, Any]:
    """A new private key for the provider."""
    about: Any = {"kid": kid, "use": "sig", "alg": algorithm}
    elliptic = algorithm.startswith("ES")
    made = ECKey.generate_key("P-256", about) if elliptic else RSAKey.generate_key(2048, about)
    return dict(made.as_dict(private=True))
