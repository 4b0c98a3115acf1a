"""The state of a sign-in while the browser is at the identity provider: a sealed cookie, and no row in the database.

The cookie holds the state, the nonce and the verifier of one sign-in, and where the person wanted to go. It is sealed with
a key that every process of the deployment derives from the vault, so that any of them can finish what another has begun,
and nobody else can make one. It is good for ten minutes and for the browser that holds it: who comes back without it, or
with the state of another sign-in, has not begun here.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

import attrs
import orjson
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from livecore.kernel.time import MINUTE, Millis
from livecore_server.sign_in.problems import SignInInterrupted

LASTS: Final[Millis] = 10 * MINUTE
PURPOSE: Final = "sign-in state"
"""The purpose for which the vault derives the sealing key."""
_NONCE_BYTES: Final = 12
_LONGEST: Final = 4_000


@attrs.frozen
class PendingSignIn:
    """A sign-in that was begun and not finished."""

    state: str
    nonce: str = attrs.field(repr=False)
    verifier: str = attrs.field(repr=False)
    back_to: str
    begun_at: Millis

    @classmethod
    def begun(cls, draw: Callable[[int], bytes], back_to: str, now: Millis) -> PendingSignIn:
        """A new one, from fresh random bytes."""
        state, nonce, verifier = (base64.urlsafe_b64encode(draw(size)).rstrip(b"=").decode() for size in (24, 24, 48))
        return cls(state, nonce, verifier, back_to, now)

    def require_state(self, given: str | None) -> None:
        """Check that an answer belongs to this sign-in. Raises `SignInInterrupted`."""
        if given is None or not hmac.compare_digest(given.encode(), self.state.encode()):
            raise SignInInterrupted("the answer has another state than this browser's sign-in")


class StateCookies:
    """Seals sign-ins with the first of the deployment's keys, opens them with any."""

    def __init__(self, secrets: Sequence[bytes], *, entropy: Callable[[int], bytes] = os.urandom) -> None:
        self._ciphers = [AESGCM(hashlib.sha256(secret).digest()) for secret in secrets]
        self._entropy = entropy

    def seal(self, pending: PendingSignIn) -> str:
        """The cookie's value."""
        nonce = self._entropy(_NONCE_BYTES)
        sealed = self._ciphers[0].encrypt(nonce, orjson.dumps(attrs.asdict(pending)), PURPOSE.encode())
        return base64.urlsafe_b64encode(nonce + sealed).decode()

    def unseal(self, text: str | None, now: Millis) -> PendingSignIn:
        """The sign-in of a cookie. Raises `SignInInterrupted`."""
        if text is None:
            raise SignInInterrupted("the browser carries no sign-in that was begun here")
        pending = self._unsealed(text)
        # Another process may have begun it, whose clock is a little ahead.
        if not -MINUTE <= now - pending.begun_at <= LASTS:
            raise SignInInterrupted("the sign-in was begun more than ten minutes ago")
        return pending

    def _unsealed(self, text: str) -> PendingSignIn:
        try:
            raw = base64.b64decode(text.encode(), altchars=b"-_", validate=True) if len(text) <= _LONGEST else b""
        except (binascii.Error, ValueError):
            raw = b""
        for cipher in self._ciphers if len(raw) > _NONCE_BYTES else ():
            try:
                plain = cipher.decrypt(raw[:_NONCE_BYTES], raw[_NONCE_BYTES:], PURPOSE.encode())
            except InvalidTag:
                continue
            with suppress(TypeError):  # one that another release has sealed
                return PendingSignIn(**orjson.loads(plain))
        raise SignInInterrupted("the browser carries a sign-in that this deployment has not sealed")
