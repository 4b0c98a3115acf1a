"""Mutual help: asking for a resource, and giving it (contract, "Guilds")."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from livecore.guilds.help_requests import DONATIONS, HELP
from livecore.kernel.errors import Json
from livecore.world import World, WorldPlayer
from tests.commerce.shop import found_wrong
from tests.guilds.clubs import club, found, game
from tests.worlds import GUILDS, Reply, Since, ask, config, give, rows_of, total, world

_GOLD: dict[str, Json] = {"type": "currency", "key": "gold", "maxRequest": 50, "maxDonation": 20}


def request(player: WorldPlayer, key: str = "gold", amount: int = 10) -> Reply:
    """Ask the guild for something."""
    kind = "item" if key in {"potion", "sword"} else "currency"
    return ask(player, "guilds.requestHelp", type=kind, resource_key=key, amount=amount)


def donate(player: WorldPlayer, asked: Reply, amount: int) -> Reply:
    """Give for a request."""
    return ask(player, "guilds.donate", request_id=asked["request.requestId"], amount=amount)


def with_help(**changes: Json) -> World:
    """A game in which members help one another with gold."""
    return game(help={"resources": [_GOLD], **changes})


def test_what_is_given_waits_in_grants() -> None:
    """For the one who asked, and the reward for the donor, who pays."""
    here = game()
    _, (lea, cole, mia, _) = club(here)
    give(cole, "potion", 5)
    asked = request(lea, "potion", 10)
    assert asked.status == 201
    assert (asked["request.received"], asked["request.status"]) == (0, "open")
    since = Since(here)
    given_ = donate(cole, asked, 3)
    assert (given_.status, given_["donation.amount"], given_["donation.filled"]) == (201, 3, False)
    assert since.kinds == ["grant.created", "grant.created", "guild.help_donated", "inventory.changed"]
    sources = {row["sourceKind"]: row["sourceRefId"] for row in since.of("grant.created")}
    assert sources == dict.fromkeys(("guild_help", "guild_help_reward"), given_["donation.donationId"])
    (told,) = since.of("guild.help_donated")
    assert (told["costsDonor"], told["costsChargedBy"], told["amountReceived"], told["filled"]) == (
        True, "platform", 3, False,
    )  # fmt: skip
    ask(lea, "grants.claim", grant_id=given_["donation.grantId"])
    ask(cole, "grants.claim", grant_id=given_["donation.rewardGrantId"])
    assert (total(lea, "potion"), total(cole, "potion"), total(cole, "gems")) == (3, 2, 1)
    assert ask(mia, "guilds.listHelp")["requests.0.received"] == 3
    assert found_wrong(here) == []


def test_more_than_is_missing_gives_what_is_missing() -> None:
    """And fills the request, which then takes nothing more."""
    here = with_help()
    _, (lea, cole, mia, _) = club(here)
    asked = request(lea, amount=25)
    assert donate(cole, asked, 20)["donation.amount"] == 20
    last = donate(mia, asked, 1_000)
    assert (last["donation.amount"], last["donation.filled"]) == (5, True)
    assert donate(mia, asked, 1).refusal == (409, "help_filled")
    assert ask(mia, "guilds.listHelp")["requests.0.status"] == "filled"


def test_a_donor_gives_so_much_for_one_request() -> None:
    """In all donations together; the answer says what is left."""
    here = with_help()
    _, (lea, cole, *_) = club(here)
    asked = request(lea, amount=50)
    assert donate(cole, asked, 21)["details.maxAmount"] == 20
    donate(cole, asked, 15)
    refused = donate(cole, asked, 6)
    assert (refused.refusal, refused["details.maxAmount"]) == ((400, "help_amount_invalid"), 5)
    assert donate(cole, asked, 5).status == 201


@pytest.mark.parametrize("amount", [0, -1, 51, 2**53])
def test_an_amount_that_nobody_may_ask_for(amount: int) -> None:
    """The answer says how much one may."""
    here = with_help()
    _, (lea, *_) = club(here)
    refused = request(lea, amount=amount)
    assert (refused.refusal, refused["details.maxAmount"]) == ((400, "help_amount_invalid"), 50)
    assert rows_of(here, HELP) == []


def test_refusals_come_in_their_order() -> None:
    """In no guild; the object; oneself; the amount; filled; the balance."""
    here = game()
    _, (lea, cole, *_) = club(here)
    eve = here.player("eve")
    asked = request(lea, "potion", 2)
    assert donate(eve, asked, 0).refusal == (409, "not_in_guild")
    found(eve, "Larks")
    assert donate(eve, asked, 0).refusal == (404, "help_request_not_found")
    assert donate(lea, asked, 0).refusal == (400, "cannot_help_self")
    assert donate(cole, asked, 0).refusal == (400, "help_amount_invalid")
    short = donate(cole, asked, 9)
    assert (short.code, short["details"]) == ("insufficient_balance", {"resource": "potion", "needed": 2, "have": 0})
    assert rows_of(here, DONATIONS) == []
    assert request(eve, "sword", 0).refusal == (403, "help_not_allowed")
    assert request(here.player("ida"), "sword", 0).refusal == (409, "not_in_guild")


def test_one_asks_again_after_a_while() -> None:
    """From the moment that the answer names."""
    here = with_help(cooldownSeconds=60)
    _, (lea, *_) = club(here)
    assert request(lea).status == 201
    refused = request(lea)
    assert refused.refusal == (409, "help_cooldown")
    here.advance(seconds=59)
    assert request(lea)["details.nextRequestAt"] == refused["details.nextRequestAt"]
    here.advance(seconds=1)
    assert request(lea).status == 201


def test_so_many_requests_of_one_member_last_at_once() -> None:
    """Twenty; then one has to wait until the first is over."""
    here = with_help(expirySeconds=60)
    _, (lea, cole, *_) = club(here)
    first = request(lea)
    here.advance(seconds=1)
    for _ in range(19):
        assert request(lea).status == 201
    refused = request(lea)
    assert (refused.code, refused["details.nextRequestAt"]) == ("help_cooldown", first["request.expiresAt"])
    assert request(cole).status == 201
    here.advance(seconds=59)
    assert request(lea).status == 201


def test_a_request_is_over_after_its_time() -> None:
    """Not listed, and not found."""
    here = with_help(expirySeconds=60)
    _, (lea, cole, *_) = club(here)
    asked = request(lea)
    here.advance(seconds=59)
    assert len(ask(cole, "guilds.listHelp").list("requests")) == 1
    here.advance(seconds=1)
    assert ask(cole, "guilds.listHelp").list("requests") == []
    assert donate(cole, asked, 1).refusal == (404, "help_request_not_found")


def test_a_request_ends_when_the_member_leaves() -> None:
    """What was given stays given; who comes back asks anew."""
    here = with_help()
    guild_id, (lea, cole, mia, _) = club(here)
    asked = request(mia)
    grant_id = donate(cole, asked, 1)["donation.grantId"]
    ask(mia, "guilds.leave")
    assert donate(cole, asked, 1).code == "help_request_not_found"
    ask(mia, "guilds.join", guild_id=guild_id)
    assert ask(lea, "guilds.listHelp").list("requests") == []
    assert ask(mia, "grants.claim", grant_id=grant_id).status == 200


def test_what_the_game_lists_no_more_is_given_no_more() -> None:
    """A request for it stays, and takes nothing."""
    here = with_help()
    _, (lea, cole, *_) = club(here)
    asked = request(lea)
    here.configure(config(guilds={**GUILDS, "help": None}))
    assert donate(cole, asked, 1).refusal == (403, "help_not_allowed")
    assert len(ask(cole, "guilds.listHelp").list("requests")) == 1


def test_a_studio_is_told_what_to_take() -> None:
    """Where it keeps the economy, the service takes nothing."""
    costly: Json = {**_GOLD, "costsDonor": True}
    guilds: Json = {"enabled": True, "help": {"resources": [costly]}}
    here = world(economyMode="studio", gifting={"enabled": False}, guilds=guilds)
    _, (lea, cole, *_) = club(here)
    assert donate(cole, request(lea), 3).status == 201
    (told,) = (event.data for event in here.events if event.kind == "guild.help_donated")
    assert (told["costsDonor"], told["costsChargedBy"]) == (True, "studio")


def test_a_request_goes_on_when_its_member_becomes_another() -> None:
    """If that one is in the same guild."""
    here = with_help()
    _, (lea, _, mia, _) = club(here)
    asked = request(mia)
    ask(here.server, "players.merge", external_id="mia", to_external_id="max")
    assert donate(lea, asked, 3).status == 201
    assert ask(lea, "guilds.listHelp")["requests.0.player.externalPlayerId"] == "max"
    assert found_wrong(here) == []


def test_donor_and_recipient_may_become_one() -> None:
    """A merge leaves nothing to be found wrong, and the export shows each donation once."""
    here = with_help()
    _, (lea, cole, *_) = club(here)
    donate(cole, request(lea), 3)
    ask(here.server, "players.merge", external_id="cole", to_external_id="lea")
    exported = ask(here.server, "players.export", external_id="lea")
    assert [len(exported.list(name)) for name in ("guilds", "guildHelp", "guildDonations")] == [2, 1, 1]
    assert found_wrong(here) == []


@given(st.integers(1, 50), st.lists(st.tuples(st.integers(1, 3), st.integers(1, 30)), max_size=9))
def test_what_is_donated_is_what_is_received(needed: int, donations: list[tuple[int, int]]) -> None:
    """Whoever gives what: the sum is what came, at most what was asked for, and no donor gave more than allowed."""
    here = with_help()
    _, players = club(here)
    asked = request(players[0], amount=needed)
    for donor, amount in donations:
        donate(players[donor], asked, amount)
    rows = rows_of(here, DONATIONS)
    assert sum(row.amount for row in rows) == rows_of(here, HELP)[0].received <= needed
    for player in players:
        assert sum(row.amount for row in rows if row.donor_id == player.player_id) <= 20
    waiting = [str(grant["entries"]) for grant in ask(players[0], "grants.listPending").list("grants")]
    granted = [f"[{{'type': 'currency', 'resourceKey': 'gold', 'amount': {row.amount}}}]" for row in rows]
    assert sorted(waiting) == sorted(granted)
