"""The public keys of a provider, and the signature of a token under them.

Only signatures by public keys are taken: with `none` anybody could sign, and with an HMAC whoever knows the public key could
(it would be the secret). The key is chosen by the token's `kid`; a key that the set reserves for something else does not
count.
"""

from __future__ import annotations

from typing import Final

import attrs
import orjson
from joserfc import jws
from joserfc.errors import BadSignatureError, JoseError
from joserfc.jwk import ECKey, JWKRegistry, Key, OctKey, OKPKey, RSAKey

from livecore.kernel.errors import Json, JsonObject
from livecore_server.sign_in.problems import ProviderFailed, TokenRefused

_KINDS: Final[dict[str, type[RSAKey | ECKey | OKPKey]]] = {
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), RSAKey),
    **dict.fromkeys(("ES256", "ES384", "ES512"), ECKey),
    "Ed25519": OKPKey,
}
_ALGORITHMS: Final = tuple(_KINDS)
"""The algorithms of signatures that are taken."""
_MOST_KEYS: Final = 100
_LEAST_RSA_BITS: Final = 2_048
_DAMAGED: Final = (JoseError, ValueError, TypeError, KeyError, AttributeError, OverflowError)
"""What the library raises for keys and tokens that are none: its own errors, and those of the types that it expects."""


class UnknownKey(TokenRefused):
    """The token names a key that the set does not hold: the provider may have a new one."""


@attrs.frozen
class Keys:
    """The keys of a set that may sign tokens."""

    held: tuple[Key, ...]

    def for_token(self, kid: object, algorithm: str) -> Key:
        """The key that a token names, or the only one that fits. Raises `UnknownKey`."""
        named = self.held if kid is None else [key for key in self.held if key.get("kid") == kid]
        fitting = [key for key in named if isinstance(key, _KINDS[algorithm]) and key.get("alg") in (None, algorithm)]
        if len(fitting) == 1:
            return fitting[0]
        about = "names no key" if kid is None else f"names key {str(kid)[:100]!r}"
        raise UnknownKey(f"the ID token {about}, and {len(fitting)} keys of the provider fit {algorithm}")


def read_keys(document: JsonObject) -> Keys:
    """The usable keys of a key set; keys of other kinds are left out. Raises `ProviderFailed` if none is left."""
    listed = document.get("keys")
    if not isinstance(listed, list) or len(listed) > _MOST_KEYS:
        raise ProviderFailed("the provider's key set is no list of keys, or a very long one")
    found = tuple(key for one in listed if (key := _read_key(one)) is not None)
    if not found:
        raise ProviderFailed("the provider's key set holds no public key that can sign")
    return Keys(found)


def _read_key(one: Json) -> Key | None:
    if not isinstance(one, dict) or one.get("use") not in (None, "sig") or one.get("kty") not in ("RSA", "EC", "OKP"):
        return None
    modulus = one.get("n")
    if one["kty"] == "RSA" and not (isinstance(modulus, str) and len(modulus.rstrip("=")) * 6 >= _LEAST_RSA_BITS):
        return None
    try:
        key = JWKRegistry.import_key({name: value for name, value in one.items() if isinstance(value, str)})
    except _DAMAGED:
        return None
    return None if isinstance(key, OctKey) else key


def signed_claims(token: str, keys: Keys) -> tuple[JsonObject, str]:
    """The claims of a token whose signature is good, and its algorithm. Raises `TokenRefused`, `UnknownKey`."""
    registry = jws.JWSRegistry(algorithms=_ALGORITHMS, strict_check_header=False)
    registry.max_header_length = 1_024
    try:
        shown = jws.extract_compact(token.encode("ascii"), registry=registry).headers()
        algorithm = shown.get("alg")
        if algorithm not in _KINDS:
            raise TokenRefused(f"the ID token is signed by {str(algorithm)[:20]!r}, which is not taken")
        key = keys.for_token(shown.get("kid"), algorithm)
        payload = _payload(token, key, registry, named=shown.get("kid") is not None)
        # Not the library's reader, which takes NaN: a time that is no number would be neither before nor after now.
        claims = orjson.loads(payload)
    except _DAMAGED as fault:
        raise TokenRefused(f"the ID token is not signed as it should be: {type(fault).__name__}") from None
    if not isinstance(claims, dict):
        raise TokenRefused("the claims of the ID token are no object")
    return claims, algorithm


def _payload(token: str, key: Key, registry: jws.JWSRegistry, *, named: bool) -> bytes:
    try:
        return jws.deserialize_compact(token, key, algorithms=_ALGORITHMS, registry=registry).payload or b""
    except BadSignatureError:
        if named:
            raise TokenRefused("the signature of the ID token is wrong") from None
        # A provider that does not name its keys may have changed its only one.
        raise UnknownKey("the signature of the ID token is wrong, and it names no key") from None
