"""Merging: the answer, who is who afterwards, what is refused, and what becomes of sessions and bans."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from livecore import World
from livecore.kernel.wire.shapes import MAX_AMOUNT
from livecore.players.player import PLAYERS
from livecore.social.gifts import GIFTS
from tests.player_tools.merging import merge, two
from tests.player_tools.soundness import faults_of
from tests.worlds import Reply, Since, ask, ban, give, player_row, rows_of, total

pytestmark = pytest.mark.usefixtures("few")


# -- the answer and who is who --------------------------------------------------------------------------------------------


def test_the_answer_names_both_and_the_placeholder(game: World) -> None:
    """The source's external id is rewritten; the event tells the same."""
    source, target = two(game)
    since = Since(game)
    merged = merge(source, target)
    assert merged.status == 200
    assert (merged["status"], merged["fromPlayerId"], merged["toPlayerId"]) == (
        "merged", source.player_id, target.player_id,
    )  # fmt: skip
    placeholder = merged.text("anonymizedExternalPlayerId")
    assert placeholder.startswith("__merged_")
    assert placeholder.endswith("__")
    (event,) = since.of("player.merged")
    assert event == {
        "fromPlayerId": source.player_id,
        "fromExternalPlayerId": "guest",
        "toPlayerId": target.player_id,
        "toExternalPlayerId": "account",
        "anonymizedExternalPlayerId": placeholder,
        "mergedAt": game.time.wire,
        "actor": {"kind": "api_key", "prefix": ask(game.server, "ping")["apiKeyPrefix"]},
    }


def test_a_replay_is_without_effect(game: World) -> None:
    """It answers the same ids, tells nobody and changes no row."""
    source, target = two(game)
    first = merge(source, target)
    before, since = rows_of(game, PLAYERS), Since(game)
    again = merge(source, target)
    assert again.data == {**first.data, "status": "no_op_already_merged"}
    assert (rows_of(game, PLAYERS), since.kinds) == (before, [])


def test_a_replay_after_the_target_went_on(game: World) -> None:
    """The same merge stays the same merge when its target was merged or erased since; another target is a stranger."""
    source, target = two(game)
    merge(source, target)
    third = game.player("third")
    merge(target, third)
    assert merge(source, target)["status"] == "no_op_already_merged"
    assert merge(source, third).refusal == (404, "player_not_found")
    ask(game.server, "players.erase", external_id="third")
    assert merge(target, third)["status"] == "no_op_already_merged"


def test_an_id_that_was_registered_anew_is_somebody_new(game: World) -> None:
    """And merging them is a new merge."""
    source, target = two(game)
    merge(source, target)
    game._players.clear()
    anew = game.player("guest")
    assert anew.player_id != source.player_id
    give(anew, "gold", 3)
    merged = merge(anew, target)
    assert (merged["status"], merged["fromPlayerId"]) == ("merged", anew.player_id)
    assert total(target, "gold") == 3


@pytest.mark.parametrize(
    "call",
    [
        lambda game: ask(game.player("guest"), "players.getProfile"),
        lambda game: ask(game.server, "players.get", external_id="guest"),
        lambda game: ask(game.server, "wallet.credit", external_id="guest", economy_key="gold", amount=1),
        lambda game: ask(game.server, "players.export", external_id="guest"),
        lambda game: ask(game.server, "players.merge", external_id="account", to_external_id="guest"),
        lambda game: ask(game.player("third"), "friends.sendRequest", external_player_id="guest"),
    ],
)
def test_the_old_id_is_unknown(game: World, call: Callable[[World], Reply]) -> None:
    """404 wherever it is used."""
    source, target = two(game)
    merge(source, target)
    assert call(game).refusal == (404, "player_not_found")


def test_the_targets_identity_stands(game: World) -> None:
    """Name, secret and friend code are the target's; the source's are dead, and its code is never given out again."""
    source, target = two(game)
    for player, name in ((source, "Guest"), (target, "Account")):
        ask(player, "players.setIdentity", name=name)
    dead, code = (ask(player, "friends.getCode").text("friendCode") for player in (source, target))
    merge(source, target)
    assert ask(target, "players.getProfile")["displayIdentity.name"] == "Account"
    assert ask(target, "friends.getCode")["friendCode"] == code
    third = game.player("third")
    assert ask(third, "friends.sendRequest", friend_code=dead).refusal == (404, "friend_code_invalid")
    assert ask(third, "friends.search", q="guest").list("players") == []
    assert [row["externalPlayerId"] for row in ask(third, "friends.suggestions").list("suggestions")] == ["account"]


# -- refusals -------------------------------------------------------------------------------------------------------------


def test_what_cannot_be_merged(game: World) -> None:
    """422 with the reason for the same player, a banned target and an erased one; 404 for whoever is not there."""
    source, target = two(game)
    for name in ("banned", "erased"):
        game.player(name)
    ban(game.player("banned"))
    ask(game.server, "players.erase", external_id="erased")
    wrong = {"guest": "same_player", "banned": "target_banned", "erased": "target_deleted"}
    for name, reason in wrong.items():
        refused = merge(source, name)
        assert (refused.refusal, refused["details.reason"]) == ((422, "invalid_merge"), reason)
    for one, other in (("guest", "nobody"), ("nobody", "account"), ("erased", "account"), ("nobody", "nobody")):
        assert merge(one, other, game).refusal == (404, "player_not_found")
    assert merge(source, "__merged_x__").refusal == (400, "validation_failed")
    assert merge(source, target)["status"] == "merged"


def test_a_balance_that_would_overflow(game: World) -> None:
    """422 with the resource, and nothing has changed; one less goes through."""
    source, target = two(game)
    give(source, "gold", 10)
    give(target, "gold", MAX_AMOUNT - 9)
    refused = merge(source, target)
    assert refused.refusal == (422, "invalid_merge")
    assert refused["details"] == {"reason": "balance_overflow", "resource": "gold"}
    assert (total(source, "gold"), total(target, "gold")) == (10, MAX_AMOUNT - 9)
    ask(source, "wallet.debit", economy_key="gold", amount=1)
    merge(source, target)
    assert total(target, "gold") == MAX_AMOUNT
    assert faults_of(game) == []


# -- being there, bans ----------------------------------------------------------------------------------------------------


def test_sessions_are_added_up_and_the_longer_streak_stands(game: World) -> None:
    """Also what the ephemeral state holds; and what it held before the merge does not come back afterwards."""
    target = game.player("account")
    source = game.player("guest")
    for _ in range(2):
        game.advance(days=1)
        ask(source, "players.getProfile")
    ask(target, "players.getProfile")
    merge(source, target)
    shown = ask(game.server, "players.get", external_id="account")
    assert (shown["player.sessions"], shown["player.loginStreak"]) == (5, {"current": 3, "best": 3})
    game.flush()
    assert player_row(target).sessions == 5
    game.advance(days=1)
    ask(target, "players.getProfile")
    assert ask(target, "players.getProfile")["loginStreak"] == {"current": 4, "best": 4}


def test_a_ban_moves_to_the_target(game: World) -> None:
    """A banned source may merge; the target is banned from then on, and that is told."""
    source, target = two(game)
    ban(source)
    since = Since(game)
    assert merge(source, target)["status"] == "merged"
    assert ask(target, "players.setIdentity", name="X").refusal == (403, "player_banned")
    (event,) = since.of("player.banned")
    assert (event["playerId"], event["reason"]) == (target.player_id, "cheating")
    assert since.of("player.unbanned") == []


def test_the_source_leaves_an_empty_row(game: World) -> None:
    """Ids, the identity from the pool, the first contact and into whom: nothing else."""
    source, target = two(game)
    ask(source, "players.setIdentity", name="Guest", avatar="x")
    ask(source, "presence.heartbeat", status="here")
    merge(source, target)
    game.flush()
    (left,) = (row for row in rows_of(game, PLAYERS) if row.player_id == source.player_id)
    kept = {"player_id", "external_id", "pool_name", "pool_avatar"}
    kept |= {"first_seen_at", "last_seen_at", "merged_into", "epoch"}
    assert {column.name for column in PLAYERS.columns if getattr(left, column.name)} <= kept
    assert left.merged_into == target.player_id


def test_a_chain_of_merges_ends_in_one_player(game: World) -> None:
    """Whoever was merged before goes along; nothing names anybody in between."""
    a, b, c = (game.player(name) for name in "abc")
    for player in (a, b, c):
        give(player, "gold", 1)
    merge(a, b)
    merge(b, c)
    assert total(c, "gold") == 3
    assert {row.merged_into for row in rows_of(game, PLAYERS)} == {None, c.player_id}
    assert {row.recipient_id for row in rows_of(game, GIFTS)} == set()
    assert faults_of(game) == []
