"""The law: a list read page by page is the list read at once: nothing twice, nothing missing, in the same order.

Times are milliseconds and many rows share one, so this also holds the cursors to their tie-breaks.
"""

from __future__ import annotations

from hypothesis import given

from tests.laws.areas import OPERATIONS
from tests.laws.games import Place
from tests.laws.lawful import generated, hold_on_seeds, seeds
from tests.laws.playing import Play, Witness, play
from tests.laws.reading import as_player, as_server, every_page, names_in, registered_in
from tests.laws.sequences import sequences
from tests.laws.steps import Step


class PagesJoinedEqualTheList(Witness):
    """Reads every list of every player at the end, in pages of several sizes."""

    def ended(self, play: Play) -> None:
        """Read every list."""
        for place in play.arena.places:
            for operation in OPERATIONS.values():
                if operation.pages is not None:
                    by_player = operation.name.startswith("sdk:")
                    for name in registered_in(play, place) if by_player else names_in(play, place):
                        for arguments in operation.pages.arguments:
                            compare(play, place, operation.name, name, operation.pages.rows, arguments)


def compare(play: Play, place: Place, operation: str, name: str, rows: str, arguments: dict[str, object]) -> None:
    """Pages of one, two and three rows join to the whole."""
    surface, _, verb = operation.partition(":")
    whole = (as_player if surface == "sdk" else as_server)(play, place, verb, name, **{**arguments, "limit": 200})
    assert whole["nextCursor"] is None
    for limit in (1, 2, 3):
        assert every_page(play, place, operation, name, rows, limit, **arguments) == whole[rows], (operation, limit)


@seeds
def test_pages_joined_equal_the_list(seed: int) -> None:
    hold_on_seeds(seed, PagesJoinedEqualTheList)


@given(steps=sequences())
@generated
def test_pages_joined_equal_the_list_in_any_sequence(steps: list[Step]) -> None:
    play(steps, PagesJoinedEqualTheList())
