"""Results that are remembered: made once for each text, as long as they fit into the bytes that they may take."""

from __future__ import annotations

from livecore.kernel.remembered import Remembered

KIB = 1024


def test_a_text_is_read_once() -> None:
    """Also where one of two texts is missing."""
    read: list[tuple[str, str | None]] = []

    def both(one: str, other: str | None) -> int:
        read.append((one, other))
        return len(read)

    function = Remembered(both, 100 * KIB)
    assert [function("a", None), function("a", "b"), function("a", None), function("a", "b")] == [1, 2, 1, 2]
    assert read == [("a", None), ("a", "b")]


def test_long_texts_leave_less_room() -> None:
    """The bound is one of bytes: of texts of 16 KiB only a few are remembered, and the newest always is."""
    read: list[str] = []

    def length(text: str) -> int:
        read.append(text)
        return len(text)

    few, many = Remembered(length, 1024 * KIB), Remembered(length, 1024 * KIB)
    for at in range(500):
        for function, text in ((few, f"{at}".ljust(16 * KIB)), (many, f"{at}")):
            function(text)
            read.clear()
            function(text)
            assert read == []
    assert (len(few) <= 6, len(many)) == (True, 500)


def test_what_is_in_use_stays() -> None:
    """A result that is asked for again and again is made once, whatever comes in between."""
    read: list[str] = []
    function = Remembered(read.append, 64 * KIB)
    for at in range(1_000):
        function("in use")
        function(f"once-{at}")
    assert read.count("in use") == 1
