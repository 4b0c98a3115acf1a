"""What is known of the identity provider: its addresses and its keys, fetched together and kept for a while.

The document of OpenID Connect Discovery and the key set that it names make its metadata. It is fetched when it is first
needed, again when it is older than fifteen minutes, and again when a token names a key that it lacks: then at most once in
thirty seconds, because a provider changes its keys rarely. After a failure the last metadata serves for a day; without it
the next attempt waits a few seconds, so that strangers cannot make this server call the provider as often as they like.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final

import attrs

from livecore.kernel.errors import Json, JsonObject
from livecore_server.sign_in.keys import Keys, read_keys
from livecore_server.sign_in.outgoing import Outgoing
from livecore_server.sign_in.problems import ProviderFailed
from livecore_server.sign_in.web_addresses import require_web_address

_log = logging.getLogger("livecore.sign_in")
_FRESH_SECONDS: Final = 15 * 60.0
_LONGEST_SECONDS: Final = 24 * 3600.0
_KEYS_AGAIN_SECONDS: Final = 30.0
_PAUSE_SECONDS: Final = 5.0


@attrs.frozen
class ProviderMetadata:
    """A provider at one moment."""

    authorization_endpoint: str
    token_endpoint: str
    userinfo_endpoint: str | None
    keys: Keys
    posts_secret: bool
    """Whether the client's secret goes into the form; else it is in the `Authorization` header."""
    says_issuer: bool
    """Whether every answer to the browser names the issuer (RFC 9207)."""
    at: float


class Provider:
    """The provider with this issuer. `clock` gives seconds that only grow."""

    def __init__(self, issuer: str, outgoing: Outgoing, clock: Callable[[], float]) -> None:
        self.issuer = issuer
        self._outgoing = outgoing
        self._clock = clock
        self._metadata: ProviderMetadata | None = None
        self._failed_at: float | None = None
        self._keys_sought_at: float | None = None
        self._fetching = asyncio.Lock()

    async def known(self) -> ProviderMetadata:
        """The provider as it is, or was a short time ago. Raises `ProviderFailed`."""
        async with self._fetching:
            found = self._metadata
            if found is not None and self._clock() - found.at < _FRESH_SECONDS:
                return found
            if self._failed_at is not None and self._clock() - self._failed_at < _PAUSE_SECONDS:
                return self._last(ProviderFailed("the provider failed a moment ago and is not asked again yet"))
            try:
                return await self._fetch()
            except ProviderFailed as fault:
                return self._last(fault)

    def _last(self, fault: ProviderFailed) -> ProviderMetadata:
        """The last metadata, unless it is too old to be trusted."""
        found = self._metadata
        if found is None or self._clock() - found.at > _LONGEST_SECONDS:
            raise fault
        _log.warning("the identity provider is not reachable, what is known of it serves: %s", fault)
        return found

    async def with_newer_keys(self, than: ProviderMetadata) -> ProviderMetadata:
        """The provider after its keys may have changed; the same metadata where that was asked a moment ago."""
        async with self._fetching:
            if self._metadata is not None and self._metadata is not than:
                return self._metadata
            now = self._clock()
            if self._keys_sought_at is not None and now - self._keys_sought_at < _KEYS_AGAIN_SECONDS:
                return than
            self._keys_sought_at = now
            return await self._fetch()

    async def _fetch(self) -> ProviderMetadata:
        try:
            document = await self._outgoing.get(f"{self.issuer.rstrip('/')}/.well-known/openid-configuration")
            self._require_issuer(document)
            keys = read_keys(await self._outgoing.get(self._address(document, "jwks_uri")))
            metadata = ProviderMetadata(
                authorization_endpoint=self._address(document, "authorization_endpoint"),
                token_endpoint=self._address(document, "token_endpoint"),
                userinfo_endpoint=None
                if document.get("userinfo_endpoint") is None
                else self._address(document, "userinfo_endpoint"),
                keys=keys,
                posts_secret=_posts_secret(document.get("token_endpoint_auth_methods_supported")),
                says_issuer=document.get("authorization_response_iss_parameter_supported") is True,
                at=self._clock(),
            )
        except ProviderFailed:
            self._failed_at = self._clock()
            raise
        self._failed_at = None
        self._metadata = metadata
        return metadata

    def _require_issuer(self, document: JsonObject) -> None:
        named = document.get("issuer")
        if named != self.issuer:
            raise ProviderFailed(
                f"the provider at {self.issuer} calls itself {str(named)[:200]!r}: LIVECORE_OIDC_ISSUER must be exactly that"
            )

    def _address(self, document: JsonObject, name: str) -> str:
        found = document.get(name)
        if not isinstance(found, str):
            raise ProviderFailed(f"the provider's document has no {name}")
        try:
            require_web_address(found, http_on_loopback=self.issuer.startswith("http:"))
        except ValueError as fault:
            raise ProviderFailed(f"the provider's {name} {fault}") from None
        return found


def _posts_secret(methods: Json) -> bool:
    if methods is None or (isinstance(methods, list) and "client_secret_basic" in methods):
        return False
    if isinstance(methods, list) and "client_secret_post" in methods:
        return True
    raise ProviderFailed(
        "the provider takes a client's secret neither by client_secret_basic nor by client_secret_post"
    )
