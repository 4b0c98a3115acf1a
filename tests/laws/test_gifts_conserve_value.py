"""The law: gifts move value and neither make nor lose it.

What all players hold and what pending paid gifts hold together changes only by what the answers say was minted or taken:
credits and debits, grants that the studio made, gifts that cost nobody anything. Sending, claiming and expiring a paid gift
leaves the sum as it was.
"""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given

from livecore.economy.webhook_events import GrantClaimed
from livecore.guilds.webhook_events import GuildCreated, GuildHelpDonated
from livecore.social.webhook_events import GiftSent
from livecore.world import World, WorldRefused
from tests.laws.areas import OPERATIONS
from tests.laws.arena import Happened
from tests.laws.games import GAMES, Place
from tests.laws.lawful import generated, hold_on_seeds, seeds
from tests.laws.playing import Answered, Asked, Play, Witness, play
from tests.laws.routes import Body
from tests.laws.rows import Amounts, PlaceRows
from tests.laws.sequences import sequences
from tests.laws.steps import Step

MOST = 2**53 - 1


class GiftsConserveValue(Witness):
    """Adds up what there is before and after every write that could move it."""

    def __init__(self) -> None:
        self._total: dict[Place, Amounts] = {}
        self._paid: set[str] = set()
        """The grants that deliver paid gifts."""

    def answered(self, play: Play, asked: Asked, answer: Answered) -> None:
        """The sum changed by exactly what the answer says."""
        for event in answer.events:
            if isinstance(event, GiftSent) and event.deducted_from_sender:
                self._paid.add(event.grant_id)
        if asked.request.method == "GET":
            return
        before = self._total.get(asked.place, Counter())
        after = PlaceRows.of(play.arena, asked.place).owned()
        minted = self._minted(asked, answer)
        assert _difference(before, after) == {asset: amount for asset, amount in minted.items() if amount}, asked
        self._total[asked.place] = after

    def waited(self, play: Play, _happened: list[Happened]) -> None:
        """Time neither makes nor takes anything."""
        for place in play.arena.places:
            after = PlaceRows.of(play.arena, place).owned()
            assert not _difference(self._total.get(place, Counter()), after), place
            self._total[place] = after

    def _minted(self, asked: Asked, answer: Answered) -> Amounts:
        minted: Amounts = Counter()
        if answer.status >= 300 or answer.replayed:
            return minted
        if OPERATIONS[asked.name].key_kept_by == "ledger":
            kind, key = ("currency", "economyKey") if "economyKey" in answer.data else ("item", "itemKey")
            minted[kind, answer.data[key]] = answer.data["delta"]
        for event in answer.events:
            for kind, key, amount in _taken(event):
                minted[kind, key] -= amount
        # A crate is claimed by opening it, which credits nothing.
        claimed = [event for event in answer.events if isinstance(event, GrantClaimed) and event.kind_ == "reward"]
        if claimed and _grant_id(answer.data) not in self._paid:
            for kind, key, amount in _contents(answer.data):
                if _kept(asked.place, kind, key):
                    minted[kind, key] += amount
        return minted


def _taken(event: object) -> list[tuple[str, str, int]]:
    """What a player has paid for a guild, or given to another member, whose grant holds it until it is claimed."""
    if isinstance(event, GuildCreated) and event.costs_charged_by == "platform":
        return [(part.type, part.key, part.amount) for part in event.cost]
    if isinstance(event, GuildHelpDonated) and event.costs_donor and event.costs_charged_by == "platform":
        return [(event.type, event.resource_key, event.amount)]
    return []


def _difference(before: Amounts, after: Amounts) -> dict[tuple[str, str], int]:
    return {asset: after[asset] - before[asset] for asset in {*before, *after} if after[asset] != before[asset]}


def _grant_id(data: Body) -> str:
    return str((data["grant"] if "grant" in data else data["gift"])["grantId"])


def _contents(data: Body) -> list[tuple[str, str, int]]:
    entries: list[Body] = data["grant"]["entries"] if "grant" in data else [data["gift"]]
    return [(entry["type"], entry["resourceKey"], entry["amount"]) for entry in entries]


def _kept(place: Place, kind: str, key: str) -> bool:
    """Whether the service keeps this asset in this game: a studio-managed one has only its progression here."""
    if kind == "crate":
        return False
    return GAMES[place.game]["economyMode"] == "platform" or (kind, key) == ("currency", "xp")


@seeds
def test_gifts_conserve_value(seed: int) -> None:
    hold_on_seeds(seed, GiftsConserveValue)


@given(steps=sequences())
@generated
def test_gifts_conserve_value_in_any_sequence(steps: list[Step]) -> None:
    play(steps, GiftsConserveValue())


def test_a_refund_waits_until_there_is_room() -> None:
    """A sender whose purse has become full meanwhile gets the amount back later, and the recipient cannot claim it."""
    world = World(GAMES[0])
    ann, bob = world.player("ann"), world.player("bob")
    ann.call("friends.sendRequest", external_player_id="bob")
    bob.call("friends.sendRequest", external_player_id="ann")
    world.server.call("wallet.credit", external_id="ann", economy_key="gold", amount=50)
    sent = ann.call("gifts.send", external_player_id="bob", type="currency", resource_key="gold", amount=50)
    world.server.call("wallet.credit", external_id="ann", economy_key="gold", amount=MOST)
    world.advance(days=3)
    gift = sent["gift"]
    assert isinstance(gift, dict)
    with pytest.raises(WorldRefused, match="gift_expired"):
        bob.call("gifts.claim", gift_id=gift["giftId"])
    assert not world.emitted("grant.expired")
    world.server.call("wallet.debit", external_id="ann", economy_key="gold", amount=MOST)
    world.advance(hours=1)
    assert [event["balance"] for event in world.emitted("wallet.changed")][-1] == 50
    assert len(world.emitted("grant.expired")) == 1
