"""The Python of the page about verifying webhooks says of each delivery what the service's own verifier says.

`tests/proofs/docs/test_webhooks_in_other_languages.py` holds the page's other languages to the same deliveries.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import cast

import pytest

from livecore.webhooks.signature import SignatureInvalid, verify_signature
from tests.docs.deliveries import BODY, HEADER, NEW, NOW, deliveries
from tests.pages import ROOT, blocks

PAGE = ROOT / "docs/how-to/verify-a-webhook-yourself.md"
CODE = next(block[1] for block in blocks(PAGE, "python") if "def is_ours(" in block[1])
DELIVERIES = deliveries()


def verifier(code: str) -> Callable[..., bool]:
    """The function that a block of the page makes."""
    names: dict[str, object] = {}
    exec(compile(code, str(PAGE), "exec"), names)  # noqa: S102 - our own page, as a reader would
    return cast(Callable[..., bool], names["is_ours"])


def wrong_about(is_ours: Callable[..., bool]) -> list[str]:
    """The deliveries of which a verifier says what is not so."""
    return [
        each.name
        for each in DELIVERIES
        if is_ours(each.body, each.header, list(each.secrets), each.now) is not each.ours
    ]


def test_the_service_itself_agrees() -> None:
    """What is expected of the page's code is what the client library does."""
    for each in DELIVERIES:
        try:
            verify_signature(each.body, each.header, each.secrets, now_seconds=each.now)
        except SignatureInvalid:
            assert not each.ours, each.name
        else:
            assert each.ours, each.name
    assert len({each.name for each in DELIVERIES}) == len(DELIVERIES)


def test_every_delivery_is_judged_rightly() -> None:
    """Nobody's delivery is accepted, and none of ours is refused."""
    assert wrong_about(verifier(CODE)) == []


def test_a_single_text_is_one_secret() -> None:
    """And not a list of letters, with each of which somebody could sign."""
    is_ours = verifier(CODE)
    assert is_ours(BODY, HEADER, NEW, NOW)
    assert not is_ours(BODY, HEADER, "whsec_guessed", NOW)
    assert not is_ours(BODY, HEADER, "", NOW)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("[0-9]{1,12}", r"\\d{1,12}"),
        ("[0-9]{1,12}", "[0-9]{1,13}"),
        ("[0-9]{1,12}", "[0-9]{1,11}"),
        ("[0-9a-f]{64}", "[0-9a-fA-F]{64}"),
        ("[0-9a-f]{64}", "[0-9a-f]{62,64}"),
        ("[0-9a-f]{64}", "[0-9a-f]{64,65}"),
        ('fullmatch(r"v1', 'match(r"v1'),
        ('fullmatch(r"v[', 'match(r"v['),
        ('part.startswith("v1=") or ', ""),
        ("            return False", "            continue"),
        ("[!-~]", "."),
        ("len(times) != 1", "not times"),
        ("<= 8", "<= 9"),
        ("<= 8", "<= 7"),
        ("<= 300", "<= 301"),
        ("<= 300", "<= 299"),
        ("not -60", "not -61"),
        ("not -60", "not -59"),
        (" or not all(secrets)", ""),
        ("not all(secrets)", "not any(secrets)"),
        ('b"." + body', "body"),
        ("times[0].encode() + ", ""),
        ("secret.encode()", "secret[6:].encode()"),
        ("else secrets:", "else secrets[:1]:"),
        ("in candidates:\n", "in candidates[:1]:\n"),
        ("candidate) or ours", "candidate)"),
        ("candidate) or ours", "candidate) or True"),
        ("sha256", "sha1"),
    ],
)
def test_the_deliveries_find_a_verifier_that_is_wrong(right: str, wrong: str) -> None:
    """Each of these slips is noticed, so the deliveries are enough to hold a translation of the code to."""
    assert right in CODE
    assert wrong_about(verifier(CODE.replace(right, wrong)))


@pytest.mark.parametrize(
    ("language", "compare"),
    [("js", "timingSafeEqual("), ("go", "hmac.Equal("), ("csharp", "FixedTimeEquals("), ("python", "compare_digest(")],
)
def test_signatures_are_compared_in_constant_time(language: str, compare: str) -> None:
    """The expected signature goes nowhere but into the comparison that takes always the same time."""
    (code,) = [block[1] for block in blocks(PAGE, language) if compare in block[1]]
    assert f"{compare}expected, candidate)" in code
    assert len(re.findall(r"\bexpected\b", code)) == 2
