"""The settings of a player's privacy: what is chosen, what the game has instead, and what merging and erasing make of it."""

from __future__ import annotations

from typing import Final

import pytest

from livecore.kernel.errors import Json, JsonObject
from livecore.players.player import PLAYERS
from livecore.world import WorldPlayer
from tests.worlds import ask, ban, config, http, player_row, rows_of, world

FROM_WIDE_TO_NARROW: Final = ("everybody", "friends", "nobody")


def settings(player: WorldPlayer) -> tuple[Json, Json]:
    """What holds for a player: a request that changes nothing says it."""
    return chosen(player)


def chosen(player: WorldPlayer, **choice: Json) -> tuple[Json, Json]:
    """Choose, and give what holds then."""
    reply = ask(player, "players.setPrivacy", **choice)
    assert reply.status == 200, reply.body
    return reply["privacy.discoverable"], reply["privacy.presenceTo"]


def test_who_has_chosen_nothing_is_found_by_all_and_seen_by_everybody() -> None:
    """As without any settings."""
    assert settings(world().player("anna")) == (True, "everybody")


def test_each_setting_is_chosen_apart_and_stays() -> None:
    """What is left out stays."""
    anna = world().player("anna")
    assert chosen(anna, presence_to="friends") == (True, "friends")
    assert chosen(anna, discoverable=False) == (False, "friends")
    assert chosen(anna, presence_to="nobody") == (False, "nobody")
    assert chosen(anna, discoverable=True, presence_to="everybody") == (True, "everybody")


def test_null_takes_a_choice_back() -> None:
    """The game's own setting holds again, and the other choice stays."""
    anna = world(privacy={"discoverable": False, "presenceTo": "friends"}).player("anna")
    assert chosen(anna, discoverable=True, presence_to="everybody") == (True, "everybody")
    assert chosen(anna, discoverable=None) == (False, "everybody")
    assert chosen(anna, presence_to=None) == (False, "friends")


def test_a_change_of_the_games_settings_reaches_who_has_chosen_nothing() -> None:
    """Also players who registered before it; a choice stands against it."""
    game = world()
    anna, bert = game.player("anna"), game.player("bert")
    chosen(bert, discoverable=True, presence_to="everybody")
    strict = config(privacy={"discoverable": False, "presenceTo": "nobody"})
    game.configure(strict)
    assert settings(anna) == (False, "nobody")
    assert settings(bert) == (True, "everybody")


@pytest.mark.parametrize(
    ("choice", "field"),
    [
        ({"discoverable": "no"}, "discoverable"),
        ({"presenceTo": "strangers"}, "presenceTo"),
        ({"status": False}, "status"),
    ],
)
def test_a_choice_of_the_wrong_form_is_refused(choice: JsonObject, field: str) -> None:
    """With the field's name, and nothing is changed."""
    anna = world().player("anna")
    reply = http(anna, "PUT", "/sdk/v1/players/anna/privacy", choice)
    assert reply.refusal == (400, "validation_failed")
    assert field in str(reply.body)
    assert settings(anna) == (True, "everybody")


def test_a_banned_player_chooses_nothing() -> None:
    """As with every write."""
    anna = world().player("anna")
    ban(anna)
    assert ask(anna, "players.setPrivacy", presence_to="nobody").refusal == (403, "player_banned")


def test_a_repetition_under_a_key_gives_the_first_answer() -> None:
    """Also when something else was chosen in between."""
    anna = world().player("anna")
    first = ask(anna, "players.setPrivacy", presence_to="friends", idempotency_key="one")
    chosen(anna, presence_to="nobody")
    again = ask(anna, "players.setPrivacy", presence_to="friends", idempotency_key="one")
    assert again.data == first.data
    assert settings(anna) == (True, "nobody")


def test_the_export_and_the_support_show_what_holds() -> None:
    """The person who asks for their data learns it, and so does who helps them."""
    game = world()
    chosen(game.player("anna"), discoverable=False)
    wanted = {"discoverable": False, "presenceTo": "everybody"}
    assert ask(game.server, "players.export", external_id="anna")["player.privacy"] == wanted
    assert ask(game.operator(), "players.get", external_id="anna")["player.privacy"] == wanted


def _merged(source: JsonObject, target: JsonObject, **game: Json) -> tuple[Json, Json]:
    here = world(privacy=game)
    old, new = here.player("old"), here.player("new")
    chosen(old, **source)
    chosen(new, **target)
    here.server.call("players.merge", external_id="old", to_external_id="new", idempotency_key="m")
    return settings(new)


@pytest.mark.parametrize("source", FROM_WIDE_TO_NARROW)
@pytest.mark.parametrize("target", FROM_WIDE_TO_NARROW)
def test_a_merge_keeps_the_stricter_choice(source: str, target: str) -> None:
    """Whoever could not see one of the two does not see the one that is left."""
    stricter = max(source, target, key=FROM_WIDE_TO_NARROW.index)
    assert _merged({"presence_to": source}, {"presence_to": target}) == (True, stricter)


@pytest.mark.parametrize(("source", "target"), [(False, True), (True, False), (False, False), (True, True)])
def test_a_merge_makes_nobody_discoverable(source: bool, target: bool) -> None:
    """Only who wants to be found as both is found."""
    assert _merged({"discoverable": source}, {"discoverable": target}) == (source and target, "everybody")


def test_a_source_that_has_chosen_nothing_changes_nothing() -> None:
    """The target's choice stands, and where the target has none either the game's settings go on to hold."""
    strict: JsonObject = {"discoverable": False, "presenceTo": "nobody"}
    wide: JsonObject = {"discoverable": True, "presence_to": "everybody"}
    assert _merged({}, wide, **strict) == (True, "everybody")
    assert _merged(wide, {}, **strict) == (False, "nobody")
    assert _merged({"presence_to": "friends"}, {}, presenceTo="everybody") == (True, "friends")


@pytest.mark.parametrize("choice", [{"discoverable": False}, {"presence_to": "friends"}, {"presence_to": "nobody"}])
def test_a_sources_choice_stays_one_where_the_game_shows_no_more_at_the_merge(choice: JsonObject) -> None:
    """When the game shows more later, who is left shows what was chosen, as if they had not been merged."""
    here = world(privacy={"discoverable": False, "presenceTo": "friends"})
    old, new = here.player("old"), here.player("new")
    chosen(old, **choice)
    here.server.call("players.merge", external_id="old", to_external_id="new", idempotency_key="m")
    here.configure(config(privacy={}))
    assert settings(new) == (choice.get("discoverable", True), choice.get("presence_to", "everybody"))


def test_an_erasure_empties_them() -> None:
    """Nothing of a choice is left in the row, and who registers with the id again has chosen nothing."""
    game = world()
    anna = game.player("anna")
    chosen(anna, discoverable=False, presence_to="nobody")
    player_id = player_row(anna).player_id
    game.server.call("players.erase", external_id="anna", reason="gdpr_erasure")
    (row,) = (row for row in rows_of(game, PLAYERS) if row.player_id == player_id)
    assert (row.discoverable, row.presence_to) == (None, None)
    key = {"authorization": f"Bearer {game.keys['client']}"}
    secret = http(game, "POST", "/sdk/v1/players/anna/register", headers=key).text("playerSecret")
    anew = http(game, "PUT", "/sdk/v1/players/anna/privacy", {}, headers={**key, "x-player-secret": secret})
    assert anew["privacy"] == {"discoverable": True, "presenceTo": "everybody"}
