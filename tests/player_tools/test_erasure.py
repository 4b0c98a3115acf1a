"""Erasing: what is answered and told, and what becomes of the things of the erased player and of others."""

from __future__ import annotations

from typing import cast

import pytest

from livecore import World
from livecore.api.requests.idempotency import ANSWERS
from livecore.economy.grants import GRANTS
from livecore.economy.ledger import ENTRIES, HOLDINGS
from livecore.kernel.errors import JsonObject
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire.shapes import MAX_AMOUNT
from livecore.players.former import FORMER_IDS
from livecore.players.player import PLAYERS
from livecore.players.seen import SEEN
from livecore.social.relations import RELATIONS
from livecore.webhooks import policies as webhook_policies
from livecore.webhooks.dispatch import lease_due, record_attempt
from livecore.webhooks.endpoints import PlainVault, add_endpoint, replay
from livecore.webhooks.outbox import DELIVERIES, EVENTS
from livecore.webhooks.outcome import Outcome
from livecore.webhooks.refusals import WebhookStateConflict
from livecore.world import WorldPlayer
from tests.player_tools.soundness import faults_of
from tests.worlds import Reply, Since, ask, befriend, gift, give, grant, rows_of, scope_of, total

pytestmark = pytest.mark.usefixtures("few")


def erase(player: WorldPlayer | str, game: World, **more: object) -> Reply:
    """Ask to erase."""
    name = player if isinstance(player, str) else str(player.external_id)
    return ask(game.server, "players.erase", external_id=name, **more)


def subscribed(game: World) -> None:
    """Have an endpoint that is told everything."""
    game.unit_of_work(lambda unit: add_endpoint(unit, PlainVault(), key="k", url="https://x.example/", events=["*"]))


def delivered(game: World) -> None:
    """Deliver what is due."""

    def work(unit: Unit) -> None:
        for attempt in lease_due(unit, 10):
            record_attempt(unit, attempt.delivery_id, attempt.number, Outcome(delivered=True, status=200))

    game.unit_of_work(work)


# -- the answer -----------------------------------------------------------------------------------------------------------


def test_the_three_statuses(game: World) -> None:
    """Erased once; then it is said that it was; and who never was has never existed."""
    anna = game.player("anna")
    since = Since(game)
    erased = erase(anna, game, reason="gdpr_erasure")
    assert (erased.status, erased["status"]) == (200, "erased")
    placeholder = erased.text("anonymizedExternalId")
    assert placeholder.startswith("__deleted_")
    assert since.of("player.deleted") == [
        {
            "playerId": anna.player_id,
            "externalPlayerId": "anna",
            "reason": "gdpr_erasure",
            "anonymizedExternalId": placeholder,
        }
    ]
    before, since = rows_of(game, PLAYERS), Since(game)
    assert erase(anna, game).data == {"status": "no_op_already_erased", "anonymizedExternalId": placeholder}
    assert erase("nobody", game).data == {"status": "no_op_never_existed", "anonymizedExternalId": None}
    assert (rows_of(game, PLAYERS), since.kinds) == (before, [])


def test_player_deleted_comes_first(game: World) -> None:
    """Nothing that is told afterwards has the studio's id of the player."""
    anna, bert = game.player("anna"), game.player("bert")
    befriend(bert, anna)
    give(bert, "gold", 10)
    gift(bert, anna)
    first = len(game.events)
    erase(anna, game)
    kinds = [event.kind for event in game.events[first:]]
    assert kinds[0] == "player.deleted"
    assert sorted(kinds[1:]) == ["grant.expired", "wallet.changed"]
    assert "anna" not in repr(game.events[first + 1 :])


def test_registering_again_makes_a_new_player(game: World) -> None:
    """With nothing of the old one, who can be erased in turn."""
    anna = game.player("anna")
    give(anna, "gold", 5)
    erase(anna, game)
    game._players.clear()
    anew = game.player("anna")
    assert anew.player_id != anna.player_id
    assert total(anew, "gold") == 0
    assert erase(anew, game)["status"] == "erased"
    assert len(rows_of(game, FORMER_IDS)) == 1


def test_a_merged_id_says_whose_data_it_is(game: World) -> None:
    """Also after a second merge; nothing is erased, until the player who has it all is."""
    source, _, last = game.player("guest"), game.player("account"), game.player("last")
    ask(game.server, "players.merge", external_id="guest", to_external_id="account")
    ask(game.server, "players.merge", external_id="account", to_external_id="last")
    placeholder = next(row.external_id for row in rows_of(game, PLAYERS) if row.player_id == source.player_id)
    before, since = rows_of(game, PLAYERS), Since(game)
    said = {"status": "no_op_merged", "anonymizedExternalId": placeholder, "mergedIntoExternalId": "last"}
    assert erase("guest", game, idempotency_key="first").data == said
    assert (rows_of(game, PLAYERS), since.kinds) == (before, [])
    erased = erase(last, game)
    assert erased["status"] == "erased"
    gone = {"status": "no_op_already_erased", "anonymizedExternalId": erased["anonymizedExternalId"]}
    assert erase("guest", game).data == gone
    assert erase("guest", game, idempotency_key="first").data == gone, "no stored answer names the erased player"


def test_an_id_that_was_merged_and_registered_again_is_its_new_owners(game: World) -> None:
    """What was merged stays with the other player."""
    game.player("guest"), game.player("account")
    ask(game.server, "players.merge", external_id="guest", to_external_id="account")
    game._players.clear()
    game.player("guest")
    assert erase("guest", game)["status"] == "erased"
    assert erase("guest", game)["status"] == "no_op_already_erased"
    assert ask(game.server, "players.export", external_id="account").status == 200


def test_player_deleted_names_who_was_merged_into_the_player(game: World) -> None:
    """By the service's ids, which the receiver has from the events of the merges."""
    sources = [game.player(name) for name in ("one", "two")]
    target, since = game.player("account"), Since(game)
    for source in ("one", "two"):
        ask(game.server, "players.merge", external_id=source, to_external_id="account")
    erase(target, game)
    (told,) = since.of("player.deleted")
    named = {str(player_id) for player_id in cast("list[str]", told["mergedPlayerIds"])}
    assert named == {source.player_id for source in sources}
    assert named == {row["fromPlayerId"] for row in since.of("player.merged")}


# -- the player's own ------------------------------------------------------------------------------------------------------


def test_ledgers_keep_amounts_without_identity(game: World) -> None:
    """Whose they are is an internal id; why, and what was asked for, is gone."""
    anna = game.player("anna")
    more = {"reason": "because", "source_ref_id": "ref", "idempotency_key": "k"}
    ask(game.server, "wallet.credit", external_id="anna", economy_key="gold", amount=5, **more)
    erase(anna, game)
    (entry,), (holding,) = rows_of(game, ENTRIES), rows_of(game, HOLDINGS)
    assert (entry.player_id, entry.delta, holding.amount) == (anna.player_id, 5, 5)
    assert {entry.reason, entry.source_ref_id, entry.fingerprint} == {None}
    assert faults_of(game) == []


def test_grants_stay_without_what_was_said_about_them(game: World) -> None:
    """Kind, amounts and state remain; metadata, references and attributes do not."""
    anna = game.player("anna")
    grant(anna, "sword", 1, metadata={"a": 1}, source_ref_id="ref")
    erase(anna, game)
    (row,) = rows_of(game, GRANTS)
    assert (row.player_id, row.status) == (anna.player_id, "pending")
    assert {row.metadata, row.source_ref_id, row.parameters, row.fingerprint} == {None}


def test_a_late_retry_neither_brings_the_player_back_nor_pays_anew(game: World) -> None:
    """Keys stay used for good: 409, also when somebody new has the id; and a purchase stays somebody else's."""
    about = {"external_id": "anna"}
    entry = {"type": "currency", "resourceKey": "gold", "amount": 7}
    bought = {"transaction_id": "t", "store": "s", "product_id": "p", "product_type": "x", "amount_minor": 5}
    requests: list[tuple[str, dict[str, object]]] = [
        ("grants.create", {"entries": [entry], "idempotency_key": "grant"}),
        ("wallet.credit", {"economy_key": "gold", "amount": 5, "idempotency_key": "credit"}),
        ("inventory.grant", {"item_key": "potion", "quantity": 1, "idempotency_key": "items"}),
        ("purchases.track", {"currency": "USD", "idempotency_key": "bought", **bought}),
    ]
    game.player("anna")
    for operation, arguments in requests:
        assert ask(game.server, operation, **about, **arguments).status in (200, 201)
    ask(game.server, "players.erase", **about)
    assert ask(game.server, requests[0][0], **about, **requests[0][1]).refusal == (409, "idempotency_conflict")
    assert ask(game.server, "players.get", **about).status == 404
    game._players.clear()
    game.player("anna")
    refusals = [ask(game.server, operation, **about, **arguments).refusal for operation, arguments in requests]
    assert refusals == [(409, "idempotency_conflict")] * 3 + [(409, "transaction_conflict")]
    assert ask(game.server, "players.export", **about)["ledger"] == []


def test_the_ephemeral_state_forgets(game: World) -> None:
    """At once; and a flush that was under way writes nothing back, and leaves nothing in the memory either."""
    anna = game.player("anna")
    ask(anna, "presence.heartbeat", status="at home")
    values = game.ephemeral.values(SEEN)
    held = values.get(scope_of(game), anna.player_id)
    assert held is not None
    erase(anna, game)
    assert values.get(scope_of(game), anna.player_id) is None
    values.put(scope_of(game), anna.player_id, held)
    game.flush()
    assert "at home" not in repr(rows_of(game, PLAYERS))
    assert values.get(scope_of(game), anna.player_id) is None


def test_the_ephemeral_state_forgets_whoever_was_merged_in(game: World) -> None:
    """What it knew of the former player goes with the later one."""
    guest, account = game.player("guest"), game.player("account")
    ask(guest, "presence.heartbeat", status="at home")
    ask(game.server, "players.merge", external_id="guest", to_external_id="account")
    assert game.ephemeral.values(SEEN).get(scope_of(game), guest.player_id) is not None
    erase(account, game)
    known = [game.ephemeral.values(SEEN).get(scope_of(game), one.player_id) for one in (guest, account)]
    assert known == [None, None]


def test_who_guessed_at_the_secret_of_an_erased_player_is_forgotten(game: World) -> None:
    """The counts of such guesses name the player and an address; the windows of others stay."""
    anna, bert = game.player("anna"), game.player("bert")
    for player in (anna, bert):
        ask(player, "wallet.get", headers={"x-player-secret": "wrong"})
    erase(anna, game)
    assert [name.rpartition(":")[2] for name in game.ephemeral._windows] == [bert.player_id]


# -- others ---------------------------------------------------------------------------------------------------------------


def test_friends_vanish_and_nobody_is_told(game: World) -> None:
    """Friends, requests and blocks alike; and nobody finds the player any more."""
    anna, bert, carl, dora = (game.player(name) for name in ("anna", "bert", "carl", "dora"))
    ask(anna, "players.setIdentity", name="Anna")
    befriend(anna, bert)
    ask(carl, "friends.sendRequest", external_player_id="anna")
    ask(dora, "friends.block", external_player_id="anna")
    since = Since(game)
    erase(anna, game)
    assert since.kinds == ["player.deleted"]
    assert rows_of(game, RELATIONS) == []
    assert ask(bert, "friends.list").list("friends") == []
    for query in ("anna", "deleted"):
        assert ask(carl, "friends.search", q=query).list("players") == []
    suggested = {str(row["externalPlayerId"]) for row in ask(carl, "friends.suggestions").list("suggestions")}
    assert suggested == {"bert", "dora"}


def test_a_pending_gift_goes_back_to_a_paying_sender(game: World) -> None:
    """A free one just ends; the sender sees both as expired, for somebody deleted."""
    anna, bert = game.player("anna"), game.player("bert")
    befriend(bert, anna)
    give(bert, "gold", 10)
    gift(bert, anna, amount=4)
    game.advance(days=2)
    gift(bert, anna, "xp", 1)
    pool_name = ask(anna, "players.getProfile")["anonymizedIdentity.name"]
    erase(anna, game)
    assert total(bert, "gold") == 10
    rows = ask(bert, "gifts.sent").list("gifts")
    assert [row["status"] for row in rows] == ["expired", "expired"]
    shown = cast(JsonObject, rows[0]["player"])
    assert str(shown["externalPlayerId"]).startswith("__deleted_")
    assert cast(JsonObject, shown["displayIdentity"])["name"] == pool_name
    assert faults_of(game) == []
    game.advance(days=10)
    assert total(bert, "gold") == 10


def test_a_gift_to_oneself_stays_in_the_ledger(game: World) -> None:
    """A merge can leave a paid gift whose sender and recipient are one player; erasing that player loses none of it."""
    ann, cat = game.player("ann"), game.player("cat")
    befriend(ann, cat)
    give(ann, "gold", 30)
    assert gift(ann, cat, amount=10).status == 201
    assert ask(game.server, "players.merge", external_id="ann", to_external_id="cat")["status"] == "merged"
    erase(cat, game)
    assert sum(row.amount for row in rows_of(game, HOLDINGS)) == 30
    assert faults_of(game) == []


def test_a_refund_without_room_waits(game: World) -> None:
    """As any refund does; nobody can claim the gift meanwhile."""
    anna, bert = game.player("anna"), game.player("bert")
    befriend(bert, anna)
    give(bert, "gold", 10)
    gift(bert, anna, amount=4)
    give(bert, "gold", MAX_AMOUNT - 6)
    erase(anna, game)
    assert total(bert, "gold") == MAX_AMOUNT
    ask(bert, "wallet.debit", economy_key="gold", amount=4)
    assert faults_of(game) == []
    game.advance(hours=1)
    assert total(bert, "gold") == MAX_AMOUNT


def test_gifts_sent_stay_claimable(game: World) -> None:
    """By their recipients, without the message; what is not claimed expires, and goes back to nobody."""
    anna, bert = game.player("anna"), game.player("bert")
    befriend(anna, bert)
    give(anna, "gold", 50)
    first = gift(anna, bert, amount=4, message="hello")
    game.advance(days=2)
    gift(anna, bert, amount=5)
    erase(anna, game)
    claimed = ask(bert, "gifts.claim", gift_id=first["gift.giftId"])
    assert (claimed.status, claimed["gift.message"], total(bert, "gold")) == (200, None, 4)
    game.advance(days=20)
    assert [row["status"] for row in ask(bert, "gifts.inbox").list("gifts")] == ["expired", "claimed"]
    (holding,) = (row for row in rows_of(game, HOLDINGS) if row.player_id == anna.player_id)
    assert holding.amount == 41
    assert faults_of(game) == []


def test_whoever_was_merged_in_is_erased_as_well(game: World) -> None:
    """What is still kept about the former player goes with the later one."""
    guest, account = game.player("guest"), game.player("account")
    give(guest, "gold", 5)
    ask(guest, "wallet.debit", economy_key="gold", amount=1, idempotency_key="guests-own-key")
    ask(game.server, "players.merge", external_id="guest", to_external_id="account")
    assert guest.player_id in {row.player_id for row in rows_of(game, ANSWERS)}
    erase(account, game)
    assert "guests-own-key" not in repr(game.store.dump()[scope_of(game).id])
    assert all(row.gone for row in rows_of(game, PLAYERS))
    assert faults_of(game) == []


# -- events ---------------------------------------------------------------------------------------------------------------


def test_an_emptied_body_is_not_sent_again(game: World) -> None:
    """Replaying it would tell nothing, so it is refused."""
    subscribed(game)
    anna = game.player("anna")
    delivered(game)
    first = rows_of(game, DELIVERIES)[0]
    game.unit_of_work(lambda unit: replay(unit, first.delivery_id))
    delivered(game)
    erase(anna, game)
    with pytest.raises(WebhookStateConflict, match="erased"):
        game.unit_of_work(lambda unit: replay(unit, first.delivery_id))


def test_a_great_many_events_are_emptied_in_batches(game: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the erasure itself leaves is done right after it."""
    monkeypatch.setattr(webhook_policies, "MOST_ROWS", 3)
    subscribed(game)
    anna = game.player("anna")
    for _ in range(10):
        give(anna, "gold", 1)
    erase(anna, game)
    assert [row.personal for row in rows_of(game, EVENTS)].count("kept") > 0
    game.advance(seconds=1)
    assert {row.personal for row in rows_of(game, EVENTS)} == {"going"}
