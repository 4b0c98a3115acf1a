"""Ids: the ULID layout, UUIDs of version 7, and that both sort by time."""

from __future__ import annotations

import re
import uuid
from typing import Final

from hypothesis import assume, given
from hypothesis import strategies as st

from livecore.kernel.entropy import Entropy
from livecore.kernel.ids import CROCKFORD, new_id, new_uuid
from livecore.kernel.time import MAX_MILLIS, Timestamp

SEED: Final = bytes(range(32))
NOW: Final = int(Timestamp.parse("2026-01-31T09:30:00.000Z"))
INSTANTS: Final = st.integers(0, MAX_MILLIS)


def _number(text: str) -> int:
    value = 0
    for character in text:
        value = value * 32 + CROCKFORD.index(character)
    return value


def test_golden_ids() -> None:
    """Of a known instant and seed."""
    assert new_id("plr", NOW, Entropy(SEED)) == "plr_01KG9P6JE0CE4K425PQS0VJJYW"
    assert new_uuid(NOW, Entropy(SEED)) == "019c1363-49c0-7389-b208-b6be41b94bdc"


def test_the_alphabet_is_crockfords() -> None:
    """Digits and capitals without I, L, O and U, in rising order."""
    assert "".join(sorted(set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") - set("ILOU"))) == CROCKFORD


@given(INSTANTS, st.binary(min_size=1, max_size=64))
def test_an_id_has_the_ulid_layout(now: int, seed: bytes) -> None:
    """Ten characters of time, sixteen of chance."""
    prefix, _, text = new_id("frq", now, Entropy(seed)).partition("_")
    assert prefix == "frq"
    assert re.fullmatch(f"[{CROCKFORD}]{{26}}", text)
    assert _number(text[:10]) == now
    assert _number(text[10:]) == int.from_bytes(Entropy(seed).bytes(10), "big")


@given(INSTANTS, INSTANTS)
def test_ids_sort_by_time(one: int, other: int) -> None:
    """Text order is the order of the instants, whatever chance adds."""
    assume(one != other)
    earlier = one < other
    assert (new_id("plr", one, Entropy(b"a")) < new_id("plr", other, Entropy(b"b"))) == earlier
    assert (new_uuid(one, Entropy(b"a")) < new_uuid(other, Entropy(b"b"))) == earlier


@given(INSTANTS, st.binary(min_size=1, max_size=64))
def test_a_uuid_is_of_version_7(now: int, seed: bytes) -> None:
    """Version, variant and 48 bits of time, in the canonical spelling."""
    text = new_uuid(now, Entropy(seed))
    read = uuid.UUID(text)
    assert str(read) == text
    assert (read.version, read.variant) == (7, uuid.RFC_4122)
    assert read.int >> 80 == now


def test_ids_of_one_instant_differ() -> None:
    """Eighty bits of chance."""
    entropy = Entropy(SEED)
    assert len({new_id("plr", NOW, entropy) for _ in range(1_000)}) == 1_000
