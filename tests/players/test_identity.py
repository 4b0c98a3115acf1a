"""Identity: what a player and the studio may set, what stands in, and the pool."""

from __future__ import annotations

import pytest

from livecore.api.configuration.game_config import parse_config
from livecore.kernel.entropy import Entropy
from livecore.kernel.errors import JsonObject
from livecore.players.pool import DEFAULT_POOL, compose
from tests.worlds import ask, befriend, http, player_row, world


def test_the_pool_name_stands_in_until_a_name_is_set() -> None:
    """The display identity falls back to the anonymised one, which setting a name never changes."""
    anna = world().player("anna")
    before = ask(anna, "players.getProfile")
    assert before["displayIdentity"] == before["anonymizedIdentity"] == before["syntheticIdentity"]
    reply = ask(anna, "players.setIdentity", name="Anna", avatar="fox")
    assert reply.data == {"displayIdentity": {"name": "Anna", "avatar": "fox", "country": None}}
    after = ask(anna, "players.getProfile")
    assert after["displayIdentity"] == reply["displayIdentity"]
    assert after["anonymizedIdentity"] == before["anonymizedIdentity"]


def test_others_see_the_name_at_once() -> None:
    """Every row that shows the player shows the new name."""
    game = world()
    anna, bert = game.player("anna"), game.player("bert")
    befriend(anna, bert)
    ask(bert, "players.setIdentity", name="Bert")
    assert ask(anna, "friends.list")["friends.0.displayIdentity"] == {"name": "Bert", "avatar": None, "country": None}


@pytest.mark.parametrize("name", ["", "x" * 41, "a\nb", "a\x7fb", "\u0085", 5, "\x00", " ", "\u3164", "a\u202eb"])
def test_a_name_has_1_to_40_characters(name: object) -> None:
    """One of them visible, none a control or format character; the surface does not matter."""
    anna = world().player("anna")
    for path, caller in (("/sdk/v1", anna), ("/server/v1", anna.world.server)):
        reply = http(caller, "PUT", f"{path}/players/anna/identity", {"name": name})
        assert reply.refusal == (400, "validation_failed")
        assert reply.fields == ["name"]


@pytest.mark.parametrize("body", [{}, {"name": None}, {"avatar": "fox"}], ids=str)
def test_a_player_gives_a_name(body: JsonObject) -> None:
    """Only the studio may leave it out or take it away."""
    reply = http(world().player("anna"), "PUT", "/sdk/v1/players/anna/identity", body)
    assert reply.refusal == (400, "validation_failed")
    assert reply.fields == ["name"]


def test_a_name_is_stored_composed() -> None:
    """NFC: forty letters with accents fit, however they were typed."""
    anna = world().player("anna")
    reply = ask(anna, "players.setIdentity", name="e\u0301" * 40)
    assert reply["displayIdentity.name"] == "\u00e9" * 40


@pytest.mark.parametrize(("avatar", "status"), [("x" * 512, 200), ("x" * 513, 400), (None, 200), (7, 400)])
def test_an_avatar_has_at_most_512_characters(avatar: object, status: int) -> None:
    """A URL, an asset key or an id; null takes it away."""
    anna = world().player("anna")
    reply = http(anna, "PUT", "/sdk/v1/players/anna/identity", {"name": "Anna", "avatar": avatar})
    assert reply.status == status


def test_the_studio_sets_name_and_country() -> None:
    """`country` is an additional field of the studio's route: an override, which null lifts."""
    game = world()
    anna = game.player("anna")
    server = game.server
    reply = ask(server, "players.setIdentity", external_id="anna", name="Anna", country="NO")
    assert reply["displayIdentity"] == {"name": "Anna", "avatar": player_row(anna).pool_avatar, "country": "NO"}
    assert ask(server, "players.setIdentity", external_id="anna", name="Anna")["displayIdentity.country"] == "NO"
    lifted = ask(server, "players.setIdentity", external_id="anna", name="Anna", country=None)
    assert lifted["displayIdentity.country"] is None
    assert ask(anna, "players.getProfile")["country"] is None
    body = {"name": "Anna", "country": "NO"}
    assert http(anna, "PUT", "/sdk/v1/players/anna/identity", body).fields == ["country"]


def test_the_studio_changes_each_part_for_itself() -> None:
    """What its request leaves out stays as it was shown, whoever chose it; a request that names nothing changes nothing."""
    game = world()
    anna, pool = game.player("anna"), player_row(game.player("anna"))
    steps: list[tuple[JsonObject, JsonObject]] = [
        ({}, {"name": pool.pool_name, "avatar": pool.pool_avatar, "country": None}),
        ({"country": "NO"}, {"name": pool.pool_name, "avatar": pool.pool_avatar, "country": "NO"}),
        ({"avatar": "fox"}, {"name": pool.pool_name, "avatar": "fox", "country": "NO"}),
        ({"name": "Anna"}, {"name": "Anna", "avatar": "fox", "country": "NO"}),
        ({"country": None}, {"name": "Anna", "avatar": "fox", "country": None}),
        ({"name": None}, {"name": pool.pool_name, "avatar": "fox", "country": None}),
        ({"name": "Ann", "avatar": None}, {"name": "Ann", "avatar": pool.pool_avatar, "country": None}),
        ({"name": None}, {"name": pool.pool_name, "avatar": pool.pool_avatar, "country": None}),
    ]
    for given, shown in steps:
        reply = http(game.server, "PUT", "/server/v1/players/anna/identity", given)
        assert reply.data == {"displayIdentity": shown}, given
        assert ask(anna, "players.getProfile")["displayIdentity"] == shown
    assert (player_row(anna).name, player_row(anna).avatar) == (None, None)


def test_a_picture_that_the_player_took_away_stays_away() -> None:
    """`null` of the player's is no picture, `null` of the studio's is the pool's; left out, it stays whichever it is."""
    game = world()
    anna, pool = game.player("anna"), player_row(game.player("anna"))
    assert ask(anna, "players.setIdentity", name="Anna")["displayIdentity.avatar"] is None
    for given, avatar in (({"name": "Ann"}, None), ({"name": None}, None), ({"avatar": None}, pool.pool_avatar)):
        reply = ask(game.server, "players.setIdentity", external_id="anna", **given)
        assert reply["displayIdentity.avatar"] == avatar
    assert ask(anna, "players.getProfile")["displayIdentity"] == ask(anna, "players.getProfile")["anonymizedIdentity"]


def test_search_follows_a_name_that_was_reset() -> None:
    """The player is found by the pool's name again, and no longer by the other."""
    game = world()
    anna, bert = game.player("anna"), game.player("bert")
    ask(anna, "players.setIdentity", name="Zebulon")
    assert ask(bert, "friends.search", q="zebulon").list("players")
    ask(game.server, "players.setIdentity", external_id="anna", name=None)
    assert not ask(bert, "friends.search", q="zebulon").list("players")
    assert ask(bert, "friends.search", q=player_row(anna).pool_name).list("players")


@pytest.mark.parametrize("country", ["Norway", "no", "N", "", 4, "N0"])
def test_a_country_is_two_capital_letters(country: object) -> None:
    """Anything else is refused."""
    game = world()
    game.player("anna")
    reply = ask(game.server, "players.setIdentity", external_id="anna", name="Anna", country=country)
    assert reply.fields == ["country"]


def test_the_studio_names_existing_players_only() -> None:
    """An unknown player is 404 and is not made."""
    game = world()
    reply = ask(game.server, "players.setIdentity", external_id="nobody", name="Anna")
    assert reply.refusal == (404, "player_not_found")


# -- the pool -------------------------------------------------------------------------------------------------------------


def test_the_default_pool_is_large_and_fits() -> None:
    """More than ten thousand different names, each a valid display name, and avatars."""
    assert len(DEFAULT_POOL.first_words) * len(DEFAULT_POOL.second_words) > 10_000
    assert len(set(DEFAULT_POOL.first_words)) == len(DEFAULT_POOL.first_words)
    assert len(set(DEFAULT_POOL.second_words)) == len(DEFAULT_POOL.second_words)
    longest = max(map(len, DEFAULT_POOL.first_words)) + 1 + max(map(len, DEFAULT_POOL.second_words))
    assert longest <= 40
    assert DEFAULT_POOL.avatars


def test_a_game_may_bring_its_own_pool() -> None:
    """Names are composed of the game's words, and there may be no avatars at all."""
    pool: JsonObject = {"firstWords": ["Red", "Blue"], "secondWords": ["Fox"]}
    assert compose(parse_config({"identityPool": pool}), Entropy(b"seed"))[0] in {"Red Fox", "Blue Fox"}
    anna = world(identityPool=pool).player("anna")
    row = player_row(anna)
    assert row.pool_name in {"Red Fox", "Blue Fox"}
    assert row.pool_avatar is None


def test_the_synthetic_identity_outlives_a_change_of_the_pool() -> None:
    """It is composed once, at first contact."""
    game = world()
    anna = game.player("anna")
    before = ask(anna, "players.getProfile")["syntheticIdentity"]
    game.configure({"identityPool": {"firstWords": ["Red"], "secondWords": ["Fox"]}})
    assert ask(anna, "players.getProfile")["syntheticIdentity"] == before
