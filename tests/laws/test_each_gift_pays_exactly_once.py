"""The law: a gift, and any grant, pays once or not at all, whichever of the routes asks how often.

During the sequence each grant is told claimed or expired at most once, never both. At the end everything is claimed again
by every route, before and after a long wait; then each claimed grant has exactly its own entries in the ledger, each expired
paid gift exactly one refund, and what is still pending has none.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from hypothesis import given

from livecore.economy.grants import Grant
from livecore.economy.webhook_events import GrantClaimed, GrantExpired
from tests.laws.arena import Happened
from tests.laws.games import GAMES, Place
from tests.laws.lawful import generated, hold_on_seeds, seeds
from tests.laws.playing import Answered, Asked, Play, Witness, play
from tests.laws.reading import call_as_player, registered_in
from tests.laws.rows import PlaceRows
from tests.laws.sequences import sequences
from tests.laws.steps import Call, Step


class EachGiftPaysExactlyOnce(Witness):
    """Counts what is told of each grant, claims everything again at the end, and reads the ledger."""

    def __init__(self) -> None:
        self._settled: set[str] = set()

    def answered(self, _play: Play, _asked: Asked, answer: Answered) -> None:
        """A grant is settled once."""
        self._settle(answer.events)

    def waited(self, _play: Play, happened: list[Happened]) -> None:
        """A grant is settled once, by the sweep too."""
        self._settle([event.event for event in happened])

    def _settle(self, events: Sequence[object]) -> None:
        for event in events:
            if isinstance(event, GrantClaimed | GrantExpired):
                assert event.grant_id not in self._settled
                self._settled.add(event.grant_id)

    def ended(self, play: Play) -> None:
        """Nothing that is claimed again pays again."""
        for place in play.arena.places:
            check_ledger(PlaceRows.of(play.arena, place), platform=_is_platform(place))
            for grant in PlaceRows.of(play.arena, place).grants:
                self._claim_by_every_route(play, place, grant)
        self.waited(play, play.arena.advance(10 * 86_400_000))
        for place in play.arena.places:
            for grant in PlaceRows.of(play.arena, place).grants:
                self._claim_by_every_route(play, place, grant)
            check_ledger(PlaceRows.of(play.arena, place), platform=_is_platform(place))

    def _claim_by_every_route(self, play: Play, place: Place, grant: Grant) -> None:
        names = {player.player_id: player.external_id for player in PlaceRows.of(play.arena, place).players}
        name = names[grant.player_id]
        for _ in range(2):
            if name in registered_in(play, place):
                if grant.gift_id is not None:
                    self._settle(call_as_player(play, place, "gifts.claim", name, {"giftId": grant.gift_id}).events)
                self._settle(call_as_player(play, place, "grants.claim", name, {"grantId": grant.grant_id}).events)
            asked = play.asked(Call(place, "server:grants.ack", name), {"grantId": grant.grant_id}, None)
            self._settle(play.probe(asked).events)


def _is_platform(place: Place) -> bool:
    return bool(GAMES[place.game]["economyMode"] == "platform")


def check_ledger(rows: PlaceRows, *, platform: bool) -> None:
    """Every grant and every gift has the entries that its state calls for, and no other.

    Of what is claimed, a game that is not platform-managed keeps its progression only, which here is `xp`; crates credit
    nothing anywhere.
    """
    posted: dict[tuple[str, str | None], Counter[tuple[str, str, str]]] = {}
    for entry in rows.entries:
        of_reason = posted.setdefault((entry.reason or "", entry.source_ref_id), Counter())
        of_reason[entry.player_id, entry.asset_kind, entry.asset_key] += entry.delta
    for grant in rows.grants:
        reason = "grant_claimed" if grant.gift_id is None else "gift_claimed"
        expected = _contents(grant, platform=platform) if grant.status == "claimed" else Counter()
        assert posted.get((reason, grant.grant_id), Counter()) == expected
    for gift in rows.gifts:
        asset = (gift.sender_id, gift.asset_kind, gift.asset_key)
        taken = posted.get(("gift_sent", gift.gift_id), Counter())
        given_back = posted.get(("gift_refunded", gift.gift_id), Counter())
        assert taken == (Counter({asset: -gift.amount}) if gift.paid else Counter())
        assert given_back == (Counter({asset: gift.amount}) if gift.paid and gift.status == "expired" else Counter())


def _contents(grant: Grant, *, platform: bool) -> Counter[tuple[str, str, str]]:
    contents: Counter[tuple[str, str, str]] = Counter()
    for entry in json.loads(grant.entries):
        if entry["type"] != "crate" and (platform or entry["resourceKey"] == "xp"):
            contents[grant.player_id, entry["type"], entry["resourceKey"]] += entry["amount"]
    return contents


@seeds
def test_each_gift_pays_exactly_once(seed: int) -> None:
    hold_on_seeds(seed, EachGiftPaysExactlyOnce)


@given(steps=sequences())
@generated
def test_each_gift_pays_exactly_once_in_any_sequence(steps: list[Step]) -> None:
    play(steps, EachGiftPaysExactlyOnce())
