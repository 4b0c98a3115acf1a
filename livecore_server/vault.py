"""The vault: seals the webhook secrets, the only secrets that the service must be able to read again.

A sealed text is AES-256-GCM under a key that is not in the database, so that a copy of the file is not enough to forge a
delivery:

    v1.<key id>.<nonce and ciphertext, base64url>

The version names the method; the key id, a digest of the key, says which key opens the text. `LIVECORE_VAULT_KEY` lists one
or more keys with commas between them: the first one seals, every one of them opens. To rotate, put a new key in front.
`livecore webhooks reseal` seals all secrets with it; then the old key can be removed.

Each key also derives a secret for other purposes, such as player secrets that can be given again (`derived`).

The sealed text is authenticated: a text that was truncated, changed or moved to another version is refused.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_KEY_BYTES: Final = 32
_VERSION: Final = "v1"
_NONCE_BYTES: Final = 12
_KEY_ID_CHARACTERS: Final = 8


class VaultError(Exception):
    """The vault cannot seal or unseal; the message never holds a key or a sealed text."""


class VaultKeyInvalid(VaultError):
    """The configured text is not a list of keys."""


class VaultKeyMissing(VaultError):
    """The text was sealed with a key that is not configured; `key_id` is that key's id."""

    def __init__(self, key_id: str) -> None:
        super().__init__(f"a secret was sealed with vault key {key_id}, which is not among the configured keys")
        self.key_id = key_id


class VaultTextDamaged(VaultError):
    """The text was not sealed by a vault, or was changed since."""


class KeyVault:
    """Seals with the first of its keys, opens with any of them."""

    def __init__(self, keys: Sequence[bytes], *, entropy: Callable[[int], bytes] = os.urandom) -> None:
        if not keys or any(len(key) != _KEY_BYTES for key in keys):
            raise VaultKeyInvalid(f"a vault needs at least one key, each of {_KEY_BYTES} bytes")
        self._keys = tuple(keys)
        self._ciphers = {_key_id(key): AESGCM(key) for key in keys}
        self._sealing = _key_id(keys[0])
        self._entropy = entropy

    @classmethod
    def parse(cls, text: str) -> KeyVault:
        """The vault of a list of keys as configuration holds it: base64, commas between. Raises `VaultKeyInvalid`."""
        return cls([_parse_key(part) for part in text.split(",") if part.strip()])

    def __repr__(self) -> str:
        return f"KeyVault({', '.join(self._ciphers)})"

    def seal(self, text: str) -> str:
        """The text, sealed with the first key; sealing twice gives two different texts."""
        nonce = self._entropy(_NONCE_BYTES)
        head = f"{_VERSION}.{self._sealing}"
        sealed = nonce + self._ciphers[self._sealing].encrypt(nonce, text.encode(), head.encode())
        return f"{head}.{base64.urlsafe_b64encode(sealed).decode()}"

    def unseal(self, sealed: str) -> str:
        """The text that was sealed. Raises `VaultKeyMissing`, `VaultTextDamaged`."""
        version, _, rest = sealed.partition(".")
        key_id, _, encoded = rest.partition(".")
        if version != _VERSION or len(key_id) != _KEY_ID_CHARACTERS:
            raise VaultTextDamaged("a secret is stored in a form that this release cannot read")
        cipher = self._ciphers.get(key_id)
        if cipher is None:
            raise VaultKeyMissing(key_id)
        try:
            raw = _decode(encoded)
            return cipher.decrypt(raw[:_NONCE_BYTES], raw[_NONCE_BYTES:], f"{version}.{key_id}".encode()).decode()
        except (InvalidTag, ValueError):
            raise VaultTextDamaged(f"a secret that vault key {key_id} sealed was damaged since") from None

    def derived(self, purpose: str) -> tuple[bytes, ...]:
        """Secrets for another purpose, one for each key, in their order; neither reveals anything about the other."""
        label = f"livecore derived key\0{purpose}".encode()
        return tuple(hmac.digest(key, label, hashlib.sha256) for key in self._keys)

    def resealed(self, sealed: str) -> str:
        """The text sealed with the first key: unchanged if that key sealed it, else sealed again. Raises like `unseal`."""
        text = self.unseal(sealed)
        return sealed if sealed.startswith(f"{_VERSION}.{self._sealing}.") else self.seal(text)


def new_key(entropy: Callable[[int], bytes] = os.urandom) -> str:
    """A new key in the form of the configuration."""
    return base64.urlsafe_b64encode(entropy(_KEY_BYTES)).decode()


def key_file(path: Path, *, fresh: str | None = None) -> str:
    """The key in a file; makes a file with a new key, readable only by its owner, if there is none.

    The new key is `fresh`, if given. `livecore dev` uses this beside its database. Raises `VaultKeyInvalid` for a file that
    others may read, and `OSError` when it cannot be read or made.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _read_key_file(path)
    key = new_key() if fresh is None else fresh
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(f"{key}\n")
        file.flush()
        os.fsync(file.fileno())
    return key


def _read_key_file(path: Path) -> str:
    if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise VaultKeyInvalid(f"the vault key file {path} can be read by others: run chmod 600 on it")
    return path.read_text("utf-8").strip()


def _key_id(key: bytes) -> str:
    return hashlib.sha256(b"livecore vault key id\0" + key).hexdigest()[:_KEY_ID_CHARACTERS]


def _decode(text: str) -> bytes:
    """The bytes of a text in its canonical form; plain base64 would accept any unused bits."""
    raw = base64.b64decode(text.encode(), altchars=b"-_", validate=True)
    if base64.urlsafe_b64encode(raw).decode() != text:
        raise ValueError("not the spelling that the vault writes")
    return raw


def _parse_key(text: str) -> bytes:
    """One key, in either alphabet of base64 and with its padding or without."""
    plain = text.strip().rstrip("=").translate(str.maketrans("+/", "-_"))
    try:
        key = base64.b64decode((plain + "=" * (-len(plain) % 4)).encode("ascii"), altchars=b"-_", validate=True)
    except (binascii.Error, UnicodeEncodeError):
        raise VaultKeyInvalid("a vault key must be base64: make one with `openssl rand -base64 32`") from None
    if len(key) != _KEY_BYTES:
        raise VaultKeyInvalid(f"a vault key must hold {_KEY_BYTES} bytes: make one with `openssl rand -base64 32`")
    return key
