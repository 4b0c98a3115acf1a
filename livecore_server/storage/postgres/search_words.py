"""Migration 2 on PostgreSQL: like `livecore_server.storage.sqlite.search_words`, a few thousand players at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from livecore.kernel.words import beginnings
from livecore_server.storage.layout import Layout
from livecore_server.storage.postgres.pipeline import Statement, Wire
from livecore_server.storage.postgres.text import array, decoded, encoded, parameter
from livecore_server.storage.search_words import found_by_search

__all__ = ["renew_search_words"]

_AT_ONCE: Final = 5_000
_CLEAR: Final = Statement(b"DELETE FROM search_entries")
_PLAYERS: Final = (
    "SELECT scope, player_id, coalesce(name, pool_name), {found} FROM players"
    " WHERE (scope, player_id) > ($1, $2) ORDER BY scope, player_id LIMIT $3"
)
_INSERT: Final = (
    b"INSERT INTO search_entries (scope, player_id, text) SELECT * FROM unnest($1::text[], $2::text[], $3::text[])"
)


def renew_search_words(wire: Wire, layout: Layout) -> Layout:
    """Replace every player's search entries by those of the name that others see; the layout stays."""
    if "search_entries" in layout:
        wire.ask([_CLEAR])
        for players in _players(wire, _PLAYERS.format(found=found_by_search(layout)).encode()):
            entries = [
                (scope, player_id, text)
                for scope, player_id, name, is_found in players if is_found
                for text in beginnings(name)
            ]  # fmt: skip
            if entries:
                columns = tuple(array("text", column) for column in zip(*entries, strict=True))
                wire.ask([Statement(_INSERT, columns)])
    return layout


def _players(wire: Wire, text: bytes) -> Iterator[list[tuple[str, str, str, bool]]]:
    """Scope, id and shown name of all players, and whether search may find them."""
    last = ("", "")
    while True:
        (result,) = wire.ask([Statement(text, (encoded(last[0]), encoded(last[1]), parameter(_AT_ONCE)))])
        rows = [[decoded(result.get_value(row, at) or b"") for at in range(4)] for row in range(result.ntuples)]
        if not rows:
            return
        yield [(scope, player_id, name, is_found == "t") for scope, player_id, name, is_found in rows]
        last = (rows[-1][0], rows[-1][1])
