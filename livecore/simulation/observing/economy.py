"""Counts what comes into wallets and inventories and what goes out, grants, gifts, crates and purchases."""

from __future__ import annotations

import json
from collections import Counter
from typing import Final

from livecore.api.configuration.game_config import GameConfig
from livecore.commerce.webhook_events import PurchaseTracked
from livecore.economy.crate_config import CrateDefinition, CrateRoll
from livecore.economy.crate_draws import is_due, pity_names, probabilities
from livecore.economy.crates import OPENINGS
from livecore.economy.webhook_events import (
    CrateOpened,
    GrantClaimed,
    GrantCreated,
    GrantExpired,
    InventoryChanged,
    WalletChanged,
)
from livecore.events.webhook_events import EntryCostCharged, MilestoneGranted
from livecore.guilds.webhook_events import GuildHelpDonated
from livecore.simulation.observed import Cause, CrateOpenings, Day, Gifts, Observed, Resource
from livecore.simulation.observing.origins import Origins, PendingGrant, resource_of
from livecore.simulation.observing.people import People
from livecore.simulation.sessions.economy import CONSUMED
from livecore.social.webhook_events import GiftClaimed, GiftSent
from livecore.world.game import World

_MOVED: Final = {"gift_sent": "gift", "gift_claimed": "gift", "gift_refunded": "gift", "guild_help": "guild_help"}
"""Changes that move something from one player to another, by their reason."""
_OWN_LABEL: Final = ("shop:", "purchase:")


class EconomyObserver:
    """What players gain and spend, and why."""

    def __init__(self, observed: Observed, people: People, origins: Origins, config: GameConfig, world: World) -> None:
        self._seen = observed
        self._people = people
        self._origins = origins
        self._world = world
        self._gifts: dict[str, GiftSent] = {}
        """The gifts that wait to be claimed, by the ids of their grants."""
        self._sent_on: tuple[Day, Counter[str]] = (-1, Counter())
        """The day, and how many gifts each player has sent on it."""
        self._crates = {definition.key: definition for definition in config.crates}
        for key, definition in self._crates.items():
            openings = observed.crates.setdefault(key, CrateOpenings())
            for number, roll in enumerate(definition.rolls):
                shares = [float(text) for text in probabilities(roll)]
                openings.stated |= {(number, row): share for row, share in enumerate(shares)}
                openings.expected |= {(number, row): share for row, share in enumerate(long_run_shares(roll, shares))}
        for entry in config.gifting.resources:
            observed.gifts.setdefault(f"{entry.type}:{entry.key}", Gifts())

    # -- wallets and inventories

    def wallet(self, event: WalletChanged) -> None:
        """A balance has changed."""
        self._changed(event.external_player_id, f"currency:{event.economy_key}", event.delta, event.balance, event)

    def inventory(self, event: InventoryChanged) -> None:
        """A quantity has changed."""
        self._changed(event.external_player_id, f"item:{event.item_key}", event.delta, event.quantity, event)

    def _changed(
        self, external_id: str, resource: Resource, delta: int, balance: int, event: WalletChanged | InventoryChanged
    ) -> None:
        self._people.hold(external_id, resource, delta, balance)
        reason = event.reason or ""
        if reason != "entry_cost":  # `entry_cost.charged` names the event
            self._flow(external_id, resource, self._cause(reason, event.source_ref_id), delta)

    def _cause(self, reason: str, source_ref_id: str | None) -> Cause:
        pending = self._origins.grants.get(source_ref_id or "")
        if pending is not None:
            return pending.cause
        if reason in ("guild_cost", CONSUMED) or reason.startswith(_OWN_LABEL):
            return reason
        return _MOVED.get(reason) or f"backend:{reason or source_ref_id or 'change'}"

    def _flow(self, external_id: str, resource: Resource, cause: Cause, delta: int) -> None:
        key = (self._people.day, resource, cause, self._people.behaviour(external_id))
        if delta > 0:
            self._seen.gained[key] += delta
        else:
            self._seen.spent[key] -= delta

    def entry_cost(self, event: EntryCostCharged) -> None:
        """Starting an attempt has cost something."""
        opened = self._origins.windows.get(event.event_window_id)
        parts = [(f"currency:{part.key}", part.amount) for part in event.cost.currencies]
        parts += [(f"item:{part.key}", part.quantity) for part in event.cost.items]
        for resource, amount in parts:
            self._flow(event.external_player_id, resource, f"entry:{event.event_key}", -amount)
            if opened is not None:
                opened.window.costs[resource] += amount

    # -- grants

    def grant_created(self, event: GrantCreated) -> None:
        """A grant waits to be claimed."""
        made = self._origins.granted(event)
        gift = self._gifts.get(event.grant_id)
        if gift is not None and not gift.deducted_from_sender:
            made.cause = "gift_free"
        self._seen.granted[self._people.day, made.cause] += 1
        if made.crate_key is not None and made.crate_key in self._seen.crates:
            self._seen.crates[made.crate_key].granted += 1
        if made.crate_key is not None:
            # It was counted with the reward that it came from, which has been claimed just now.
            return
        opened = self._origins.window_of(event.source_ref_id)
        if opened is not None:
            for entry in event.entries:
                opened.window.rewards[resource_of(entry)] += entry.amount
        if event.source_kind in {"event_rank", "leaderboard_rank"} and made.crate_key is None:
            self._rank_reward(event, opened.window.event if opened is not None else None)

    def _rank_reward(self, event: GrantCreated, event_key: str | None) -> None:
        board, division = (event_key, "") if event_key else self._origins.board_of(event.source_ref_id or "")
        for entry in event.entries:
            self._seen.rank_rewards[board, division, resource_of(entry)] += entry.amount

    def milestone(self, event: MilestoneGranted) -> None:
        """A milestone's grant, which was made just before, is for this milestone."""
        self._rename(event.grant_id, f"milestone:{event.event_key}/{event.milestone_key}")
        opened = self._origins.windows.get(event.event_window_id)
        reached = (event.milestone_key, event.external_player_id)
        if opened is not None and reached not in opened.reached:
            opened.reached.add(reached)
            opened.window.milestones[event.milestone_key] += 1

    def help_donated(self, event: GuildHelpDonated) -> None:
        """A donation's grant is for a donation; it moves something only if the donor has paid it."""
        if not event.costs_donor:
            self._rename(event.grant_id, "guild_help_free")

    def _rename(self, grant_id: str | None, cause: Cause) -> None:
        pending = self._origins.grants.get(grant_id or "")
        if pending is None or pending.cause == cause:
            return
        self._seen.granted[self._people.day, pending.cause] -= 1
        self._seen.granted[self._people.day, cause] += 1
        pending.cause = cause

    def grant_claimed(self, event: GrantClaimed) -> None:
        """A grant was claimed, or a crate opened."""
        pending = self._closed(event.grant_id)
        if pending is not None:
            self._seen.grants_claimed[self._people.day, pending.cause] += 1

    def grant_expired(self, event: GrantExpired) -> None:
        """A grant was not claimed in time."""
        pending = self._closed(event.grant_id)
        if pending is not None:
            self._seen.grants_expired[self._people.day, pending.cause] += 1
        gift = self._gifts.pop(event.grant_id, None)
        if gift is not None:
            self._seen.gifts[_resource(gift)].expired += 1
            self._seen.gifts_by_day[self._people.day, "expired"] += 1

    def _closed(self, grant_id: str) -> PendingGrant | None:
        pending = self._origins.grants.pop(grant_id, None)
        if pending is not None:
            self._origins.closed = (grant_id, pending)
        return pending

    # -- gifts

    def gift_sent(self, event: GiftSent) -> None:
        """A gift was sent. Its grant, of which nothing is known yet, is told apart by whether the sender paid."""
        people, seen = self._people, self._seen
        self._gifts[event.grant_id] = event
        gifts = seen.gifts.setdefault(_resource(event), Gifts())
        gifts.sent += 1
        if self._sent_on[0] != people.day:
            self._sent_on = (people.day, Counter())
        self._sent_on[1][event.sender_external_player_id] += 1
        seen.most_gifts_in_day = max(seen.most_gifts_in_day, self._sent_on[1][event.sender_external_player_id])
        gifts.amount_sent += event.amount
        gifts.free += not event.deducted_from_sender
        seen.gifts_by_day[people.day, "sent"] += 1
        pair = (people.behaviour(event.sender_external_player_id), people.behaviour(event.recipient_external_player_id))
        seen.gift_pairs[pair] += 1
        sender = people.get(event.sender_external_player_id)
        if sender is not None:
            sender.gifts_sent += 1

    def gift_claimed(self, event: GiftClaimed) -> None:
        """A gift was claimed."""
        self._gifts.pop(event.grant_id, None)
        gifts = self._seen.gifts.setdefault(f"{event.type}:{event.resource_key}", Gifts())
        gifts.claimed += 1
        gifts.amount_claimed += event.amount
        self._seen.gifts_by_day[self._people.day, "claimed"] += 1

    # -- crates and purchases

    def crate_opened(self, event: CrateOpened) -> None:
        """A crate was opened; which rows were drawn is in the record of the opening."""
        opening = self._world.store.read(self._world.scope, lambda tx: tx.get(OPENINGS, event.crate_id))
        openings = self._seen.crates.setdefault(event.crate_key, CrateOpenings())
        openings.opened += 1
        if opening is None:
            return
        for roll, row in json.loads(opening.rolls):
            openings.rows[roll, row] += 1
        definition = self._crates.get(event.crate_key)
        if definition is not None:
            self._expect(definition, openings, json.loads(opening.waits))

    def _expect(self, definition: CrateDefinition, openings: CrateOpenings, waits: dict[str, int]) -> None:
        """Add what was to be expected of an opening, after so many openings without a row of pity."""
        names = pity_names(definition)
        decided = False
        for number, (roll, name) in enumerate(zip(definition.rolls, names, strict=True)):
            forced = is_due(roll, waits.get(name, 0))
            decided = decided or forced
            for row in range(len(roll.rows)):
                place = (number, row)
                expected = (roll.times - forced) * openings.stated.get(place, 0.0)
                if forced and roll.pity is not None and roll.pity.row == row:
                    expected += 1
                openings.due[place] = openings.due.get(place, 0.0) + expected
        openings.by_pity += decided

    def purchase(self, event: PurchaseTracked) -> None:
        """Somebody bought something with money."""
        people, seen = self._people, self._seen
        behaviour = people.behaviour(event.external_player_id)
        seen.purchases[people.day, event.product_id, behaviour] += 1
        seen.revenue[people.day, behaviour] += event.normalized_amount_minor
        person = people.get(event.external_player_id)
        if person is not None:
            person.paid = True

    def end(self) -> None:
        """Add up what waits to be claimed."""
        waiting = self._seen.waiting
        for grant in self._origins.grants.values():
            if grant.crate_key is not None:
                waiting[f"crate:{grant.crate_key}"] = waiting.get(f"crate:{grant.crate_key}", 0) + 1
                continue
            for entry in grant.entries:
                waiting[resource_of(entry)] = waiting.get(resource_of(entry), 0) + entry.amount


def _resource(gift: GiftSent) -> Resource:
    return f"{gift.type}:{gift.resource_key}"


def long_run_shares(roll: CrateRoll, shares: list[float]) -> list[float]:
    """The share of each row of a roll among many openings by one player, pity included.

    Between two openings with the row of pity lie at most `after` openings without it. With the chance `missed` of an opening
    without that row, such a run has on the average `1 + missed + … + missed^after` openings, and the last of them is forced
    with the chance `missed^after`.
    """
    if roll.pity is None:
        return shares
    missed = (1 - shares[roll.pity.row]) ** roll.times
    cycle = sum(missed**number for number in range(roll.pity.after + 1))
    forced = missed**roll.pity.after / cycle
    long_run = [share * (roll.times - forced) / roll.times for share in shares]
    long_run[roll.pity.row] += forced / roll.times
    return long_run
