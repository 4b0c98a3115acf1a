"""Several processes at once: of everything that can happen only once, exactly one happens, and ledgers balance.

Each race is run several times, because the interesting moments are short. What is asserted holds for every order.
"""

from __future__ import annotations

from functools import partial

import pytest

from livecore.api.maintenance import run_due
from livecore.economy.grants import EXPIRE, GRANTS
from livecore.kernel.units.due import DUE
from livecore.kernel.units.unit import Unit
from tests.postgres.rig import Game, Reply, race

rounds = pytest.mark.parametrize("turn", range(4))


def _outcomes(replies: list[Reply]) -> list[tuple[int, str | None]]:
    return sorted((reply.status, reply.code) for reply in replies)


@rounds
def test_crossing_friend_requests_end_in_one_friendship(game: Game, turn: int) -> None:
    """One is sent, the other accepts it: one event of each kind, one friend each."""
    one, other = game.player(), game.player()
    replies = race(
        partial(game.ask, "POST", f"{one}/friends/requests", {"externalPlayerId": other}, process=turn),
        partial(game.ask, "POST", f"{other}/friends/requests", {"externalPlayerId": one}, process=turn + 1),
    )
    assert sorted((reply.status, reply.data["status"]) for reply in replies) == [(200, "accepted"), (201, "pending")]
    for name, friend in ((one, other), (other, one)):
        assert [row["externalPlayerId"] for row in game.ask("GET", f"{name}/friends").data["friends"]] == [friend]
    told = [event.partition(" ")[0] for event in game.events() if one in event and other in event]
    assert sorted(told) == ["friend.request_accepted", "friend.request_sent"]


@rounds
def test_a_gift_is_claimed_once(game: Game, turn: int) -> None:
    """Eight claims at the same moment, by the gift and by its grant: one pays."""
    one, other = game.friends(gold=100)
    body = {"externalPlayerId": other, "type": "currency", "resourceKey": "gold", "amount": 40}
    gift = game.ask("POST", f"{one}/friends/gifts", body).data["gift"]
    paths = [f"{other}/friends/gifts/{gift['giftId']}/claim", f"{other}/grants/{gift['grantId']}/claim"]
    replies = race(*(partial(game.ask, "POST", paths[at % 2], process=turn + at) for at in range(8)))
    assert _outcomes(replies) == [(200, None)] + [(409, "grant_already_claimed")] * 7
    assert (game.gold(one), game.gold(other)) == (60, 40)


@rounds
def test_two_sends_do_not_both_pass_the_cooldown(game: Game, turn: int) -> None:
    """Without a key, of several gifts to one friend at once one is sent."""
    one, other = game.friends(gold=100)
    body = {"externalPlayerId": other, "type": "currency", "resourceKey": "gold", "amount": 10}
    replies = race(*(partial(game.ask, "POST", f"{one}/friends/gifts", body, process=turn + at) for at in range(4)))
    assert _outcomes(replies) == [(201, None)] + [(409, "gift_cooldown")] * 3
    assert game.gold(one) == 90


def test_sends_do_not_pass_the_daily_limit_together(game: Game) -> None:
    """To five friends at once, with a limit of three a day: three are sent."""
    one = game.player(gold=100)
    others = [game.player() for _ in range(5)]
    for other in others:
        game.ask("POST", f"{one}/friends/requests", {"externalPlayerId": other})
        game.ask("POST", f"{other}/friends/requests", {"externalPlayerId": one})
    gift = {"type": "currency", "resourceKey": "gold", "amount": 10}
    sends = [{**gift, "externalPlayerId": other} for other in others]
    replies = race(
        *(partial(game.ask, "POST", f"{one}/friends/gifts", body, process=at) for at, body in enumerate(sends))
    )
    assert _outcomes(replies) == [(201, None)] * 3 + [(409, "gift_limit_reached")] * 2
    assert game.gold(one) == 70


def test_senders_do_not_pass_what_one_may_receive_together(game: Game) -> None:
    """Nine friends give at once, with a limit of eight a day: eight gifts are sent."""
    one = game.player()
    others = [game.player(gold=10) for _ in range(9)]
    for other in others:
        game.ask("POST", f"{one}/friends/requests", {"externalPlayerId": other})
        game.ask("POST", f"{other}/friends/requests", {"externalPlayerId": one})
    body = {"type": "currency", "resourceKey": "gold", "amount": 10, "externalPlayerId": one}
    replies = race(
        *(partial(game.ask, "POST", f"{other}/friends/gifts", body, process=at) for at, other in enumerate(others))
    )
    assert _outcomes(replies) == [(201, None)] * 8 + [(409, "gift_receive_limit_reached")]


@rounds
def test_debits_do_not_pass_the_balance_together(game: Game, turn: int) -> None:
    """Six times 30 of 100: three are paid, and the rest is there."""
    one = game.player(gold=100)
    replies = race(
        *(partial(game.ask, "POST", f"{one}/wallet/gold/debit", {"amount": 30}, process=turn + at) for at in range(6))
    )
    assert _outcomes(replies) == [(200, None)] * 3 + [(409, "insufficient_balance")] * 3
    assert game.gold(one) == 10


@rounds
def test_a_player_is_registered_once(game: Game, turn: int) -> None:
    """One gets the secret, and it works; the others are told that somebody was faster."""
    name = f"racer-{turn}"
    replies = race(*(partial(game.ask, "POST", f"{name}/register", process=turn + at) for at in range(6)))
    assert _outcomes(replies) == [(201, None)] + [(409, "player_already_registered")] * 5
    game.secrets[name] = next(reply.data["playerSecret"] for reply in replies if reply.data)
    assert game.ask("GET", f"{name}/profile").status == 200
    assert len([event for event in game.events() if event.startswith("player.registered") and name in event]) == 1


@rounds
def test_equal_idempotency_keys_have_one_effect_and_one_answer(game: Game, turn: int) -> None:
    """Six at once under one key: the same answer six times, paid once."""
    one = game.player()
    body = {"amount": 7, "idempotencyKey": f"key-{turn}-{one}"}
    replies = race(
        *(partial(game.ask, "POST", f"{one}/wallet/gold/credit", body, process=at, server=True) for at in range(6))
    )
    assert {(reply.status, reply.data["entryId"]) for reply in replies} == {(200, replies[0].data["entryId"])}
    assert sorted(reply.replay for reply in replies) == [False] + [True] * 5
    assert game.gold(one) == 7


@rounds
def test_claim_and_sweep_exclude_each_other(game: Game, turn: int) -> None:
    """At the moment of expiry either the recipient has it or the sender has it back, and the gift says which."""
    one, other = game.friends(gold=100)
    body = {"externalPlayerId": other, "type": "currency", "resourceKey": "gold", "amount": 40}
    gift = game.ask("POST", f"{one}/friends/gifts", body).data["gift"]

    def sweep() -> bool:
        game_ahead = 600_000

        def expire(unit: Unit) -> bool:
            work = unit.tx.get(DUE, EXPIRE, gift["grantId"])
            unit.now += game_ahead
            return work is not None and run_due(unit, work)

        return game.as_service(expire, process=turn % 2)

    claims = [partial(game.ask, "POST", f"{other}/friends/gifts/{gift['giftId']}/claim", process=at) for at in (0, 1)]
    ended: list[Reply | bool] = race(*claims, sweep, sweep)
    claimed = [reply for reply in ended if isinstance(reply, Reply) and reply.status == 200]
    swept = [reply for reply in ended if reply is True]
    assert len(claimed) + len(swept) == 1
    assert (game.gold(one), game.gold(other)) == ((60, 40) if claimed else (100, 0))
    status = game.stores[0].read(game.scope, lambda tx: tx.get(GRANTS, gift["grantId"]))
    assert status is not None
    assert status.status == ("claimed" if claimed else "expired")
