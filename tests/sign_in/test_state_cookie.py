"""The sealed state of a sign-in, and the paths to which it may lead."""

from __future__ import annotations

import base64

import attrs
import pytest

from livecore.kernel.time import MINUTE
from livecore_server.sign_in.problems import SignInInterrupted
from livecore_server.sign_in.return_path import local_path
from livecore_server.sign_in.state_cookie import PURPOSE, PendingSignIn, StateCookies
from livecore_server.vault import KeyVault

NOW = 1_800_000_000_000
OLD, NEW = KeyVault([b"o" * 32]), KeyVault([b"n" * 32, b"o" * 32])


def cookies(vault: KeyVault) -> StateCookies:
    """As the server makes them from its vault."""
    return StateCookies(vault.derived(PURPOSE))


def pending() -> PendingSignIn:
    """A sign-in of which each random text is another."""
    drawn = iter((b"s", b"n", b"v"))
    return PendingSignIn.begun(lambda size: next(drawn) * size, "/portal/games", NOW)


def test_what_is_sealed_is_unsealed_by_every_process_of_the_deployment() -> None:
    """Also by one that has a newer key by now; nothing of it can be read from outside."""
    begun = pending()
    text = cookies(OLD).seal(begun)
    assert cookies(OLD).unseal(text, NOW) == begun
    assert cookies(NEW).unseal(text, NOW) == begun
    raw = base64.urlsafe_b64decode(text)
    assert all(secret.encode() not in raw for secret in (begun.state, begun.nonce, begun.verifier, "portal"))
    assert cookies(OLD).seal(begun) != text
    assert begun.verifier not in repr(begun)


def test_a_verifier_has_the_length_that_the_standard_wants() -> None:
    """RFC 7636, 4.1: 43 to 128 characters."""
    assert 43 <= len(pending().verifier) <= 128


@pytest.mark.parametrize("text", [None, "", "AAAA", "é", "a" * 5_000, "-", "=" * 40])
def test_what_is_no_cookie_of_ours(text: str | None) -> None:
    """It is refused like none."""
    with pytest.raises(SignInInterrupted):
        cookies(OLD).unseal(text, NOW)


def test_no_byte_of_it_can_be_changed() -> None:
    """Each byte is authenticated."""
    raw = base64.urlsafe_b64decode(cookies(OLD).seal(pending()))
    for place in range(len(raw)):
        changed = raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1 :]
        with pytest.raises(SignInInterrupted):
            cookies(OLD).unseal(base64.urlsafe_b64encode(changed).decode(), NOW)


def test_another_deployment_cannot_make_one() -> None:
    """Nor can the vault's own seal be passed off as one."""
    for other in (cookies(KeyVault([b"x" * 32])).seal(pending()), OLD.seal("{}").rpartition(".")[2]):
        with pytest.raises(SignInInterrupted, match="has not sealed"):
            cookies(OLD).unseal(other, NOW)


def test_one_of_another_release_is_refused() -> None:
    """Its fields may be others; the person begins again."""

    @attrs.frozen
    class Newer(PendingSignIn):
        device: str = "phone"

    begun = pending()
    newer = Newer(begun.state, begun.nonce, begun.verifier, begun.back_to, begun.begun_at)
    with pytest.raises(SignInInterrupted):
        cookies(OLD).unseal(cookies(OLD).seal(newer), NOW)


@pytest.mark.parametrize(
    ("later", "good"), [(-MINUTE - 1, False), (-MINUTE, True), (10 * MINUTE, True), (10 * MINUTE + 1, False)]
)
def test_it_is_good_for_ten_minutes(later: int, good: bool) -> None:
    """And for a minute before, because the clocks of two processes may differ."""
    text = cookies(OLD).seal(pending())
    if good:
        cookies(OLD).unseal(text, NOW + later)
    else:
        with pytest.raises(SignInInterrupted, match="more than ten minutes ago"):
            cookies(OLD).unseal(text, NOW + later)


@pytest.mark.parametrize(
    "path",
    ["/portal/", "/portal/games", "/portal/games/gam_1/players/anna%20b?environment=test&q=a%2Fb", "/portal/a#top"],
)
def test_a_page_of_the_portal_is_returned_to(path: str) -> None:
    """As it was asked for."""
    assert local_path(path) == path


@pytest.mark.parametrize(
    "path",
    [
        None, "", "/", "/portal", "portal/", "/admin/v1/sign-out", "https://evil.example/portal/", "//evil.example/portal/",
        "/\\evil.example", "\\\\evil.example", "/portal/\\evil.example", "/portal/..", "/portal/../admin", "/portal/./x",
        "/portal/%2e%2e//evil.example", "/portal/%2E%2e/x", "/portal/x/..//evil.example", "/portal//evil.example",
        "/portal/%2f/evil.example", "/portal/%5cevil.example", "/portal/\t//evil", "/portal/\r\nSet-Cookie: a=b",
        "/portal/é", "/portal/ x", "javascript:alert(1)", "/portal/" + "a" * 1_000,
    ],
)  # fmt: skip
def test_everything_else_leads_home(path: str | None) -> None:
    """No other host, no other part of this one, and nothing that a browser or a header reads in another way."""
    assert local_path(path) == "/portal/"
