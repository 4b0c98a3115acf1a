"""The relying party: what this server asks of the identity provider, and what it takes as the answer.

    begin      state, nonce and verifier are drawn; the browser goes to the provider (authorization code with PKCE)
    finish     the code is redeemed for tokens; the ID token is checked; the e-mail address must be verified

The address comes from the ID token, or else from the userinfo endpoint, which must speak of the same subject.
"""

from __future__ import annotations

import base64
import hashlib
from typing import Final
from urllib.parse import quote_plus, urlencode

import attrs

from livecore.access.binding import Account
from livecore.kernel.errors import JsonObject
from livecore_server.sign_in.id_token import checked_claims
from livecore_server.sign_in.identity import Identity
from livecore_server.sign_in.keys import UnknownKey
from livecore_server.sign_in.outgoing import Outgoing, ProviderError
from livecore_server.sign_in.problems import NotVerified, ProviderFailed, SignInInterrupted, TokenRefused
from livecore_server.sign_in.provider import Provider, ProviderMetadata
from livecore_server.sign_in.state_cookie import PendingSignIn

_SCOPES: Final = "openid email profile"
_LONGEST_TOKEN: Final = 16 * 1024
_LONGEST_ADDRESS: Final = 254


@attrs.frozen
class Client:
    """This server, as the provider knows it."""

    client_id: str
    client_secret: str = attrs.field(repr=False)
    redirect_uri: str


class RelyingParty:
    """Signs people in through one provider."""

    def __init__(self, provider: Provider, outgoing: Outgoing, client: Client) -> None:
        self._provider = provider
        self._outgoing = outgoing
        self._client = client

    @property
    def issuer(self) -> str:
        """The provider's name."""
        return self._provider.issuer

    async def begin(self, pending: PendingSignIn) -> str:
        """The address at the provider to which the browser goes. Raises `ProviderFailed`."""
        known = await self._provider.known()
        challenge = base64.urlsafe_b64encode(hashlib.sha256(pending.verifier.encode()).digest()).rstrip(b"=").decode()
        asked = {
            "response_type": "code",
            "client_id": self._client.client_id,
            "redirect_uri": self._client.redirect_uri,
            "scope": _SCOPES,
            "state": pending.state,
            "nonce": pending.nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        mark = "&" if "?" in known.authorization_endpoint else "?"
        return f"{known.authorization_endpoint}{mark}{urlencode(asked)}"

    async def require_issuer(self, named: str | None) -> None:
        """Check who has sent the browser back (RFC 9207). Raises `ProviderFailed`, `TokenRefused`."""
        known = await self._provider.known()
        if named is None and known.says_issuer:
            raise TokenRefused("the answer names no issuer (iss), although the provider always does")
        if named is not None and named != self.issuer:
            raise TokenRefused(f"the answer comes from another issuer (iss): {named[:200]!r}")

    async def finish(self, code: str, pending: PendingSignIn, now_seconds: float) -> Identity:
        """The person for whom the provider gave this code.

        Raises `ProviderFailed`, `TokenRefused`, `NotVerified`.
        """
        known = await self._provider.known()
        tokens = await self._redeem(known, code, pending)
        claims = await self._claims(known, tokens, pending, now_seconds)
        return await self._identity(known, tokens, claims)

    async def _redeem(self, known: ProviderMetadata, code: str, pending: PendingSignIn) -> JsonObject:
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._client.redirect_uri,
            "code_verifier": pending.verifier,
        }
        name, secret = self._client.client_id, self._client.client_secret
        headers = {}
        if known.posts_secret:
            form |= {"client_id": name, "client_secret": secret}
        else:
            # Form encoding before base64: RFC 6749, 2.3.1.
            both = f"{quote_plus(name)}:{quote_plus(secret)}"
            headers["Authorization"] = f"Basic {base64.b64encode(both.encode()).decode()}"
        try:
            return await self._outgoing.post(known.token_endpoint, form, headers)
        except ProviderError as fault:
            if fault.code == "invalid_grant":
                raise SignInInterrupted(
                    "the provider takes the code no more, or has given it to somebody else"
                ) from None
            raise

    async def _claims(
        self, known: ProviderMetadata, tokens: JsonObject, pending: PendingSignIn, now_seconds: float
    ) -> JsonObject:
        def checked(metadata: ProviderMetadata) -> JsonObject:
            return checked_claims(
                tokens.get("id_token"),
                metadata.keys,
                issuer=self.issuer,
                client_id=self._client.client_id,
                nonce=pending.nonce,
                access_token=tokens.get("access_token"),
                now_seconds=now_seconds,
            )

        try:
            return checked(known)
        except UnknownKey:
            newer = await self._provider.with_newer_keys(known)
            if newer is known:
                raise
        return checked(newer)

    async def _identity(self, known: ProviderMetadata, tokens: JsonObject, claims: JsonObject) -> Identity:
        # Both from one source: each vouches for the address that it names.
        profile = claims
        if "email" not in claims or "email_verified" not in claims:
            profile = await self._userinfo(known, tokens, claims)
        email, verified = profile.get("email"), profile.get("email_verified")
        if not isinstance(email, str) or not _is_address(email):
            raise NotVerified("the provider tells no e-mail address")
        # Some providers write the truth value as a text.
        if verified is not True and verified != "true":
            says = "does not say whether" if verified is None else "denies that"
            raise NotVerified(f"the provider {says} the address is verified (email_verified)")
        name = claims.get("name", profile.get("name"))
        account = Account(self.issuer, str(claims["sub"]))
        return Identity(account, email, name if isinstance(name, str) else None)

    async def _userinfo(self, known: ProviderMetadata, tokens: JsonObject, claims: JsonObject) -> JsonObject:
        access_token = tokens.get("access_token")
        if known.userinfo_endpoint is None:
            return {}
        if not isinstance(access_token, str) or not _is_header_safe(access_token):
            raise ProviderFailed("the provider sent no access token for its userinfo endpoint")
        profile = await self._outgoing.get(known.userinfo_endpoint, bearer=access_token)
        if profile.get("sub") != claims["sub"]:
            raise TokenRefused("the userinfo endpoint speaks of another subject (sub)")
        return profile


def _is_address(text: str) -> bool:
    return len(text) <= _LONGEST_ADDRESS and text.isprintable() and "@" in text


def _is_header_safe(text: str) -> bool:
    return 0 < len(text) <= _LONGEST_TOKEN and text.isascii() and text.isprintable()
