"""The history of a player's balances and items: what changed them, newest first, and nobody else's."""

from __future__ import annotations

from livecore.economy.ledger import ENTRIES
from livecore.kernel.errors import JsonObject
from livecore.world import World, WorldPlayer
from tests.worlds import ask, befriend, gift, give, grant, rows_of, studio_world, world


def entries_of(game: World, name: str, **page: object) -> list[JsonObject]:
    """The entries of a page, as the studio's backend reads them."""
    return ask(game.server, "ledger.list", external_id=name, **page).list("entries")


def players(game: World) -> tuple[WorldPlayer, WorldPlayer]:
    """Two friends with gold, of which one has given some to the other."""
    anna, bert = game.player("anna"), game.player("bert")
    befriend(anna, bert)
    give(anna, "gold", 100)
    game.advance(seconds=1)
    sent = gift(anna, bert, "gold", 10)
    game.advance(seconds=1)
    ask(bert, "gifts.claim", gift_id=sent["gift.giftId"])
    return anna, bert


def test_each_change_is_there_with_its_balance_and_its_cause() -> None:
    """The newest first: a gift is paid when it is sent, and credited when it is claimed."""
    game = world()
    players(game)
    ask(
        game.server,
        "inventory.grant",
        external_id="anna",
        item_key="potion",
        quantity=3,
        reason="won",
        source_ref_id="s1",
    )
    shown = entries_of(game, "anna")
    assert [(row["type"], row["resourceKey"], row["delta"], row["balance"]) for row in shown] == [
        ("item", "potion", 3, 3),
        ("currency", "gold", -10, 90),
        ("currency", "gold", 100, 100),
    ]
    assert (shown[0]["reason"], shown[0]["sourceRefId"]) == ("won", "s1")
    assert [(row["delta"], row["balance"]) for row in entries_of(game, "bert")] == [(10, 10)]


def test_pages_joined_are_what_the_export_shows() -> None:
    """Whatever is added between two pages, no entry is missing and none comes twice."""
    game = world()
    players(game)
    for _ in range(7):
        give(game.player("anna"), "gold", 1)
    whole = ask(game.server, "players.export", external_id="anna")["ledger"]
    joined: list[JsonObject] = []
    page = ask(game.server, "ledger.list", external_id="anna", limit=2)
    while page["nextCursor"] is not None:
        joined += page.list("entries")
        game.advance(seconds=1)
        give(game.player("anna"), "gems", 1)
        page = ask(game.server, "ledger.list", external_id="anna", limit=2, cursor=page["nextCursor"])
    assert [*joined, *page.list("entries")] == whole
    assert len(entries_of(game, "anna")) > len(joined) + 2


def test_it_follows_a_merge_and_loses_its_words_in_an_erasure() -> None:
    """The target has the entries of both, and the source's id finds nobody; an erasure leaves amounts alone."""
    game = world()
    players(game)
    ask(game.server, "wallet.credit", external_id="anna", economy_key="gold", amount=1, reason="for Anna")
    both = {row["entryId"] for name in ("anna", "bert") for row in entries_of(game, name)}
    assert ask(game.server, "players.merge", external_id="anna", to_external_id="bert").status == 200
    assert {row["entryId"] for row in entries_of(game, "bert")} >= both
    assert ask(game.server, "ledger.list", external_id="anna").refusal == (404, "player_not_found")
    ask(game.server, "players.erase", external_id="bert", reason="test")
    assert sum(row.delta for row in rows_of(game, ENTRIES)) == 101
    assert {row.reason for row in rows_of(game, ENTRIES)} <= {None}


def test_progression_is_there_where_the_studio_manages_the_economy() -> None:
    """What the service keeps, it also shows."""
    game = studio_world()
    anna = game.player("anna")
    made = grant(anna, "xp", 5)
    ask(anna, "grants.claim", grant_id=made["grant.grantId"])
    assert [(row["resourceKey"], row["delta"]) for row in entries_of(game, "anna")] == [("xp", 5)]
