"""Signing in as the settings of a deployment want it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from livecore_server.http.host import PageHandler
from livecore_server.settings import Settings
from livecore_server.sign_in.handlers import CALLBACK_PATH, SignInHandlers
from livecore_server.sign_in.one_time_link import OneTimeLink
from livecore_server.sign_in.outgoing import Outgoing
from livecore_server.sign_in.state_cookie import PURPOSE, StateCookies
from livecore_server.storage.ports import Executor
from livecore_server.vault import KeyVault

if TYPE_CHECKING:
    from livecore_server.sign_in.relying_party import RelyingParty


def sign_in_pages(
    settings: Settings, executor: Executor, vault: KeyVault, outgoing: Outgoing, link: OneTimeLink | None
) -> dict[str, PageHandler]:
    """The pages of signing in, by path."""
    cookies = StateCookies(vault.derived(PURPOSE))
    party = _party(settings, outgoing)
    return SignInHandlers(executor, cookies, origin=settings.origin, party=party, link=link).pages()


def _party(settings: Settings, outgoing: Outgoing) -> RelyingParty | None:
    issuer, client_id, secret = settings.oidc_issuer, settings.oidc_client_id, settings.oidc_client_secret
    if not issuer or not client_id or not secret or not settings.public_url:
        return None
    # Checking tokens takes a library of a tenth of a second, which a server without a provider need not wait for.
    from livecore_server.sign_in.provider import Provider  # noqa: PLC0415 - as above
    from livecore_server.sign_in.relying_party import Client, RelyingParty  # noqa: PLC0415 - as above

    client = Client(client_id, secret, f"{settings.public_url.rstrip('/')}{CALLBACK_PATH}")
    return RelyingParty(Provider(issuer, outgoing, time.monotonic), outgoing, client)
