"""A simulated week of a dozen players, on a laptop, in about a second: the server's own rules, without a server.

    $ python examples/simulated_week.py          # the week of seed 1
    $ python examples/simulated_week.py 2        # another week; equal seeds give exactly equal weeks

Four times a day each player may start a session, claim the day's reward and the gifts, spend a little and send gold to a
friend; some players do so more often than others. Gifts expire after two days here, so some return to their senders.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from contextlib import suppress

import attrs

from livecore import World
from livecore.demo import DEMO
from livecore.economy.webhook_events import WalletChanged
from livecore.kernel.entropy import Entropy
from livecore.kernel.time import DAY
from livecore_client import LocalTransport, SdkClient
from livecore_client.errors import GiftInsufficientBalance, InsufficientBalance
from livecore_client.rows import RewardEntry, Timestamp

NAMES = ("ada", "bo", "cleo", "dara", "eli", "fay", "gus", "hana", "ivo", "june", "kim", "liv")
STATES = ("pending", "claimed", "expired")
REWARD = RewardEntry(type="currency", resource_key="gold", amount=20)


@attrs.define
class Person:
    """A player, the probability of a session in each quarter of a day, and the player's sessions and best streak."""

    client: SdkClient
    habit: float
    sessions: int = 0
    best_streak: int = 0

    def visit(self, chance: Entropy) -> None:
        """What a player does in one session."""
        for grant in self.client.grants.iterate_pending():  # the day's reward, and gifts: both are grants
            self.client.grants.claim(grant.grant_id)
        friends = [row.external_player_id for row in self.client.friends.list().friends if not row.gift_cooldown_until]
        if friends:
            friend, gold = chance.choice(friends), 5 + chance.below(11)
            with suppress(GiftInsufficientBalance):
                self.client.gifts.send(external_player_id=friend, type="currency", resource_key="gold", amount=gold)
        with suppress(InsufficientBalance):
            self.client.wallet.debit("gold", amount=1 + chance.below(12), reason="a hat")
        profile = self.client.players.get_profile()
        self.sessions, self.best_streak = profile.sessions, profile.login_streak.best


def settle(world: World, chance: Entropy) -> dict[str, Person]:
    """Register everybody, through a client whose server is the world; each becomes a friend of the next three players."""
    people: dict[str, Person] = {}
    transport, key = LocalTransport(world), world.keys["client"]
    for name in NAMES:
        client = SdkClient(base_url="http://world", api_key=key, external_player_id=name, transport=transport)
        client.players.register()
        people[name] = Person(client, habit=(2 + chance.below(7)) / 10)
    for place, person in enumerate(people.values()):
        for friend in (NAMES * 2)[place + 1 : place + 4]:
            person.client.friends.send_request(external_player_id=friend)
            people[friend].client.friends.send_request(external_player_id=NAMES[place])
    return people


def play(world: World, people: dict[str, Person], chance: Entropy) -> None:
    """Play seven days, and print a line for each."""
    for day in range(1, 8):
        first, ends_at = len(world.events), Timestamp(world.now + DAY)
        for name in people:
            key = f"day {day} of {name}"
            world.server.call(
                "grants.create", external_id=name, entries=[REWARD], expires_at=ends_at, idempotency_key=key
            )
        for _ in range(4):
            for person in people.values():
                if chance.unit_interval() < person.habit:
                    person.visit(chance)
            world.advance(hours=6)
        # A reward from the backend and a gift are both grants, which differ in their `sourceKind`.
        grants = [event.data for event in world.events[first:] if event.kind.startswith("grant.")]
        seen = Counter((grant["sourceKind"], grant["status"]) for grant in grants)
        gifts = "{} sent, {} opened, {} came back".format(*(seen["gift", status] for status in STATES))
        print(f"day {day}: gifts {gifts}; rewards {seen['api', 'claimed']} collected, {seen['api', 'expired']} missed")


def report(world: World, people: dict[str, Person]) -> None:
    """Print each player's week, and where the gold is: all gold from rewards is in a wallet, was spent, or is in a gift."""
    purses = {event.external_player_id: event.balance for event in world.emitted(WalletChanged)}
    for name, person in people.items():
        visits = f"{person.sessions:>2} sessions, {person.best_streak} days in a row"
        print(f"{name:<5} {person.habit:.0%} habit: {visits}, {purses.get(name, 0):>3} gold")
    total = Counter[str]()
    for event in world.emitted(WalletChanged):
        total[event.reason or ""] += event.delta
    made, spent, held = total["grant_claimed"], -total["a hat"], sum(purses.values())
    in_gifts = -total["gift_sent"] - total["gift_claimed"] - total["gift_refunded"]
    print(f"gold: {made} from rewards = {held} in purses + {spent} spent on hats + {in_gifts} in unopened gifts")
    assert made == held + spent + in_gifts


def main(seed: int) -> None:
    """Play the week of a seed and print it."""
    config = json.loads(DEMO)
    config["gifting"]["claimExpirySeconds"] = 2 * 86_400
    world, chance = World(config, seed=seed), Entropy(f"week {seed}".encode())
    people = settle(world, chance)
    play(world, people, chance)
    report(world, people)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
