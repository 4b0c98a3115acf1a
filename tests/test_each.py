"""A test of many things names every one that is at fault."""

from __future__ import annotations

import pytest

from tests.each import of_each

LOOKED_AT: list[int] = []


@of_each(range(3), name=str)
def test_everything_is_looked_at(number: int) -> None:
    """One after another, in one test."""
    LOOKED_AT.append(number)
    assert list(range(number + 1)) == LOOKED_AT


def test_each_that_is_at_fault_is_named_with_what_it_raised() -> None:
    """However it fails, the others are looked at as well; the first failure is the cause, for its traceback."""

    @of_each([1, 2, 0, 3], name=lambda number: f"number {number}")
    def check(number: int) -> None:
        """Something that holds for one and two."""
        if number == 3:
            pytest.fail("it is three")
        assert 2 / number < 3

    with pytest.raises(AssertionError, match="2 of 4 are at fault: number 0, number 3\n") as failed:
        check()
    assert "number 0: ZeroDivisionError: division by zero" in str(failed.value)
    assert "number 3: Failed: it is three" in str(failed.value)
    assert "assert 2 / number < 3" in str(failed.value)
    assert isinstance(failed.value.__cause__, ZeroDivisionError)


def test_a_check_of_nothing_fails() -> None:
    """A list that has become empty by mistake is not taken for success."""
    with pytest.raises(AssertionError, match="nothing to look at"):
        of_each([], name=str)(lambda _: None)()
