"""The count of what a player's client has stored: which fields it covers, and what merging and erasing do to it."""

from __future__ import annotations

from livecore.api.operations import OPERATIONS
from livecore.api.requests.limits import RateLimits
from livecore.api.table.stored_texts import stored_fields
from livecore.kernel.scope import Scope
from livecore.players.stored_bytes import STORED_BYTES, StoredBytes
from livecore.world import World, WorldPlayer
from tests.worlds import ask, world


def _counts(game: World) -> dict[str, int]:
    rows = game.store.dump()[Scope(game.game.game_id, "test").id].get(STORED_BYTES.name, [])
    return {row.player_id: row.used for row in rows if isinstance(row, StoredBytes)}


def _store(player: WorldPlayer, size: int) -> None:
    reply = ask(player, "players.setIdentity", name="Anna", avatar="x" * size)
    assert reply.status == 200


def test_every_free_field_of_a_client_is_covered() -> None:
    """Free JSON and texts of 200 characters and more, of whatever a game client writes, and nothing else."""
    covered = {entry.name: stored_fields(entry) for entry in OPERATIONS if stored_fields(entry)}
    assert covered == {
        "players.register": ("player_context",),
        "players.setIdentity": ("avatar",),
        "gifts.send": ("message",),
        "wallet.debit": ("reason",),
        "inventory.consume": ("reason",),
        "events.start": ("player_context",),
        "guilds.create": ("description", "badge", "metadata"),
        "guilds.update": ("description", "badge", "metadata"),
        "guilds.join": ("message",),
        "purchases.track": ("transaction_id", "metadata"),
    }


def test_a_merge_keeps_the_targets_count() -> None:
    """The source's goes with the source."""
    game = world(limits=RateLimits())
    anna, bert = game.player("anna"), game.player("bert")
    _store(anna, 300)
    _store(bert, 400)
    game.server.call("players.merge", external_id="anna", to_external_id="bert")
    assert _counts(game) == {bert.player_id: 400}


def test_erasing_a_player_removes_the_count() -> None:
    """It says how much somebody did on a day."""
    game = world(limits=RateLimits())
    anna = game.player("anna")
    _store(anna, 300)
    assert _counts(game) == {anna.player_id: 300}
    ask(game.server, "players.erase", external_id="anna")
    assert _counts(game) == {}
