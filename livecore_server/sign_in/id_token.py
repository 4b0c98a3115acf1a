"""The ID token: what a provider says about a sign-in, and whether it may be believed (OpenID Connect Core 3.1.3.7).

The checks in order: the signature with its algorithm (`livecore_server.sign_in.keys`), who says it, to whom, when, in answer
to which request, and with which access token.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from typing import Final

from livecore.kernel.errors import JsonObject
from livecore_server.sign_in.keys import Keys, signed_claims
from livecore_server.sign_in.problems import TokenRefused

_TOLERANCE_SECONDS: Final = 60
"""How far the clocks of provider and server may differ."""
_LONGEST_SUBJECT: Final = 255


def checked_claims(
    token: object, keys: Keys, *, issuer: str, client_id: str, nonce: str, access_token: object, now_seconds: float
) -> JsonObject:
    """The claims of an ID token that passes every check. Raises `TokenRefused`."""
    if not isinstance(token, str):
        raise TokenRefused("the provider sent no ID token")
    claims, algorithm = signed_claims(token, keys)
    if claims.get("iss") != issuer:
        raise TokenRefused(f"the ID token is issued by {str(claims.get('iss'))[:200]!r}")
    _check_audience(claims, client_id)
    _check_times(claims, now_seconds)
    given = claims.get("nonce")
    if not isinstance(given, str) or not hmac.compare_digest(given.encode(), nonce.encode()):
        raise TokenRefused("the ID token has another nonce than the request")
    _check_access_token(claims, algorithm, access_token)
    subject = claims.get("sub")
    if not isinstance(subject, str) or not 0 < len(subject) <= _LONGEST_SUBJECT:
        raise TokenRefused("the ID token names no subject")
    return claims


def _check_audience(claims: JsonObject, client_id: str) -> None:
    audience, party = claims.get("aud"), claims.get("azp")
    named = audience if isinstance(audience, list) else [audience]
    if client_id not in named:
        raise TokenRefused("the ID token is for another client (aud)")
    if party != client_id and (party is not None or len(named) > 1):
        raise TokenRefused("the ID token was given to another client (azp)")


def _check_times(claims: JsonObject, now: float) -> None:
    ends, issued = _time(claims, "exp"), _time(claims, "iat")
    begins = _time(claims, "nbf") if "nbf" in claims else issued
    if now >= ends + _TOLERANCE_SECONDS:
        raise TokenRefused(f"the ID token ended {now - ends:.0f} seconds ago (exp)")
    if max(issued, begins) > now + _TOLERANCE_SECONDS:
        ahead = max(issued, begins) - now
        raise TokenRefused(
            f"the ID token is good in {ahead:.0f} seconds only (iat, nbf): is this server's clock right?"
        )


def _time(claims: JsonObject, name: str) -> float:
    found = claims.get(name)
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise TokenRefused(f"the ID token has no time {name}")
    return found


def _check_access_token(claims: JsonObject, algorithm: str, access_token: object) -> None:
    """Check `at_hash`, where the token has it: the first half of the access token's digest."""
    if "at_hash" not in claims:
        return
    given = claims["at_hash"]
    digest = {"256": hashlib.sha256, "384": hashlib.sha384}.get(algorithm[-3:], hashlib.sha512)
    if not isinstance(access_token, str) or not isinstance(given, str):
        raise TokenRefused("the ID token is bound to an access token that was not sent (at_hash)")
    hashed = digest(access_token.encode()).digest()
    wanted = base64.urlsafe_b64encode(hashed[: len(hashed) // 2]).rstrip(b"=")
    if not hmac.compare_digest(given.rstrip("=").encode(), wanted):
        raise TokenRefused("the ID token is bound to another access token (at_hash)")
