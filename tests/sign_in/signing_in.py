"""A server with an identity provider, and people who sign in there."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs

from livecore.access.audit import AUDIT_BY_TIME, AuditEntry
from livecore.access.directory import STUDIOS
from livecore.access.member_rows import Role
from livecore.access.members import Member, Membership, add_member, membership_named
from livecore.access.sessions import BY_END, Session
from livecore.kernel.entropy import Entropy
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.store import Transaction
from livecore_server.system import draw_seed, now_millis
from tests.server.serving import Server, serving
from tests.sign_in.browser import Answer, Browser
from tests.sign_in.python_provider import CLIENT_ID, CLIENT_SECRET, PythonProvider

ANNA = "anna@example.com"
SIGN_IN = "/admin/v1/sign-in"
CALLBACK = "/admin/v1/sign-in/callback"


@attrs.frozen(eq=False)
class Deployment:
    """A running server, reached at `public_url` by its browsers."""

    server: Server
    public_url: str

    def browser(self) -> Browser:
        """A browser without cookies."""
        return Browser(f"http://127.0.0.1:{self.server.port}")

    async def member(self, email: str = ANNA, role: Role = "OWNER") -> Member:
        """A new member of the studio."""
        seed, studio_id = draw_seed(), self.server.game.game.studio_id

        def add(tx: Transaction) -> Member:
            studio = tx.get(STUDIOS, studio_id)
            assert studio is not None
            return add_member(tx, studio, email, role, now_millis(), Entropy(seed))[0]

        return await self.server.service.executor.write(DIRECTORY, add)

    async def found(self, email: str = ANNA) -> Membership:
        """A membership of the studio as the database has it."""
        studio_id = self.server.game.game.studio_id
        return (await self.server.service.executor.read(DIRECTORY, lambda tx: membership_named(tx, studio_id, email)))[
            1
        ]

    async def sessions(self) -> list[Session]:
        """Every session."""
        return await self.server.service.executor.read(DIRECTORY, lambda tx: tx.scan(BY_END))

    async def trail(self) -> list[AuditEntry]:
        """The entries of sign-ins."""
        rows = await self.server.service.executor.read(DIRECTORY, lambda tx: tx.scan(AUDIT_BY_TIME))
        return [row for row in rows if row.action == "session.signIn"]

    async def sign_in(
        self, provider: PythonProvider, browser: Browser | None = None, answer: Mapping[str, str | None] | None = None
    ) -> Answer:
        """The whole way through the provider, up to the answer to the callback."""
        browser = browser or self.browser()
        begun = await browser.get(SIGN_IN)
        assert begun.status == 303, begun.text
        return await browser.get(f"{CALLBACK}?{provider.allow(begun.location, **(answer or {}))}")

    @property
    def log(self) -> str:
        """What the server has logged."""
        return self.server.log.getvalue()


@asynccontextmanager
async def deployment(
    folder: Path,
    provider: PythonProvider | None = None,
    *,
    public_url: str = "https://live.example.com",
    **settings: Any,  # noqa: ANN401 - any of the settings
) -> AsyncIterator[Deployment]:
    """A server behind a public address, with a provider if there is one."""
    if provider is not None:
        settings |= {
            "oidc_issuer": provider.issuer,
            "oidc_client_id": CLIENT_ID,
            "oidc_client_secret": CLIENT_SECRET,
        }
    async with serving(folder, public_url=public_url, **settings) as server:
        yield Deployment(server, public_url)


async def refused(here: Deployment, answer: Answer, status: int, reason: str) -> None:
    """A page and no session, with the reason in the log and nowhere else."""
    assert answer.status == status, answer.text
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert reason in here.log
    assert reason not in answer.text
    assert "Traceback" not in here.log
    assert "__Host-livecore" not in answer.cookies
    assert await here.sessions() == []
    assert await here.trail() == []
