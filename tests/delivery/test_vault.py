"""The vault: what it sealed it opens again, and nothing else."""

from __future__ import annotations

import base64
import stat
from pathlib import Path

import pytest

from livecore_server.vault import (
    KeyVault,
    VaultError,
    VaultKeyInvalid,
    VaultKeyMissing,
    VaultTextDamaged,
    key_file,
    new_key,
)

OLD, NEW = bytes(range(32)), bytes(range(32, 64))
SECRET = "whsec_ä secret"


def test_what_was_sealed_is_opened() -> None:
    """Sealing hides the text, differs each time, and is undone by the same key."""
    vault = KeyVault([OLD])
    first, second = vault.seal(SECRET), vault.seal(SECRET)
    assert first != second
    assert first.startswith("v1.")
    assert SECRET not in first
    assert vault.unseal(first) == vault.unseal(second) == SECRET


def test_a_key_that_is_not_listed_is_named_by_its_id() -> None:
    """The error says which key is missing, and holds neither key nor secret."""
    sealed = KeyVault([OLD]).seal(SECRET)
    with pytest.raises(VaultKeyMissing, match="not among the configured keys") as caught:
        KeyVault([NEW]).unseal(sealed)
    assert caught.value.key_id == sealed.split(".")[1]


def test_a_rotation_seals_with_the_first_key_and_opens_with_each() -> None:
    """With a new key in front, old texts stay readable and new ones need the new key."""
    before = KeyVault([OLD]).seal(SECRET)
    rotated = KeyVault([NEW, OLD])
    assert rotated.unseal(before) == SECRET
    assert KeyVault([NEW]).unseal(rotated.seal(SECRET)) == SECRET


def test_each_key_derives_secrets_for_other_purposes() -> None:
    """In the keys' order, the same in every process; another purpose and another key give another one, and none is a key."""
    both = KeyVault([NEW, OLD]).derived("one")
    assert both == (*KeyVault([NEW]).derived("one"), *KeyVault([OLD]).derived("one"))
    assert len({*both, *KeyVault([NEW, OLD]).derived("two"), OLD, NEW}) == 6
    assert {len(secret) for secret in both} == {32}


def test_every_changed_character_is_noticed() -> None:
    """A sealed text with one character changed, or cut, is refused."""
    vault = KeyVault([OLD])
    sealed = vault.seal(SECRET)
    changed = [sealed[:at] + ("A" if sealed[at] != "A" else "B") + sealed[at + 1 :] for at in range(len(sealed) - 1)]
    for text in [*changed, *(sealed[:at] for at in range(len(sealed))), "", SECRET, sealed + "AAAA"]:
        with pytest.raises(VaultError):
            vault.unseal(text)


def test_another_version_is_refused() -> None:
    """A form that this release does not know is not guessed at."""
    with pytest.raises(VaultTextDamaged, match="cannot read"):
        KeyVault([OLD]).unseal("v2." + KeyVault([OLD]).seal(SECRET)[3:])


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_keys_are_read_in_both_alphabets_and_without_padding(encode: object) -> None:
    """What the usual tools print is a key: `openssl rand -base64 32` among them."""
    assert callable(encode)
    key = bytes([251, 255] * 16)
    text = encode(key).decode()
    sealed = KeyVault([key]).seal(SECRET)
    for form in (text, text.rstrip("="), f" {text}\n", f"{new_key()},{text}"):
        assert KeyVault.parse(form).unseal(sealed) == SECRET


@pytest.mark.parametrize("text", ["", " , ", "short", "not base64!", base64.b64encode(bytes(31)).decode(), "ä" * 43])
def test_what_is_no_key_is_refused(text: str) -> None:
    """A key is 32 bytes in base64."""
    with pytest.raises(VaultKeyInvalid):
        KeyVault.parse(text)


def test_a_vault_shows_no_key() -> None:
    """Its representation names keys by their ids."""
    shown = repr(KeyVault.parse(base64.b64encode(OLD).decode()))
    assert base64.b64encode(OLD).decode() not in shown
    assert str(OLD) not in shown


def test_the_key_file_is_made_once_and_for_its_owner(tmp_path: Path) -> None:
    """The first use makes the file, readable by its owner alone; later ones read it."""
    path = tmp_path / "game.db.vault-key"
    made = key_file(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert key_file(path) == made
    assert KeyVault.parse(made).seal(SECRET)


def test_a_key_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    """Somebody may have read the key: its owner is told how to close the file."""
    path = tmp_path / "game.db.vault-key"
    key_file(path)
    path.chmod(0o640)
    with pytest.raises(VaultKeyInvalid, match="chmod 600"):
        key_file(path)
