"""The secrets of an endpoint: how they look, and which of them sign when."""

from __future__ import annotations

import re

from livecore.kernel.entropy import Entropy
from livecore.kernel.time import DAY, HOUR
from livecore.webhooks.rotation import EndpointSecret, new_secret, rotated, signing
from livecore.webhooks.signature import MAX_SIGNATURES, sign, verify_signature

NOW = 1_769_851_800_000


def texts(secrets: tuple[EndpointSecret, ...]) -> list[str]:
    """The secrets in clear."""
    return [secret.text for secret in secrets]


def test_new_secrets_have_the_documented_form() -> None:
    """A secret begins with `whsec_`, holds at least 160 random bits, and follows from the entropy alone."""
    secret = new_secret(Entropy(b"one"))
    assert re.fullmatch(r"whsec_[A-Za-z0-9]{40}", secret)
    assert new_secret(Entropy(b"one")) == secret
    assert new_secret(Entropy(b"two")) != secret


def test_the_old_secret_signs_for_a_day_beside_the_new_one() -> None:
    """Both sign up to the last millisecond of the overlap, the newest first; then the old one is dead."""
    secrets = rotated((EndpointSecret("old"),), "new", NOW)
    assert texts(signing(secrets, NOW)) == ["new", "old"]
    assert texts(signing(secrets, NOW + DAY - 1)) == ["new", "old"]
    assert texts(signing(secrets, NOW + DAY)) == ["new"]


def test_each_secret_has_its_own_day() -> None:
    """A second rotation within the day neither shortens nor lengthens the overlap of the first."""
    secrets = rotated(rotated((EndpointSecret("a"),), "b", NOW), "c", NOW + HOUR)
    assert texts(signing(secrets, NOW + HOUR)) == ["c", "b", "a"]
    assert texts(signing(secrets, NOW + DAY)) == ["c", "b"]
    assert texts(signing(secrets, NOW + DAY + HOUR)) == ["c"]


def test_dead_secrets_are_dropped_at_the_next_rotation() -> None:
    """What no longer signs is not kept."""
    secrets = rotated((EndpointSecret("a"),), "b", NOW)
    assert texts(rotated(secrets, "c", NOW + DAY)) == ["c", "b"]


def test_no_more_secrets_than_a_verifier_reads() -> None:
    """Rotating wildly keeps the newest, so that every delivery's header can still be read."""
    secrets: tuple[EndpointSecret, ...] = (EndpointSecret("whsec_0"),)
    for number in range(1, 20):
        secrets = rotated(secrets, f"whsec_{number}", NOW)
    assert len(secrets) == MAX_SIGNATURES
    header = sign(texts(signing(secrets, NOW)), NOW // 1000, b"{}")
    assert verify_signature(b"{}", header, ["whsec_19"], now_seconds=NOW // 1000)


def test_secrets_do_not_show_in_logs() -> None:
    """Printing the record of a secret does not print the secret."""
    assert "hidden" not in repr(EndpointSecret("hidden", NOW))
