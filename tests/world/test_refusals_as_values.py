"""`try_call`: the same call as `call`, with a refusal as a value, and a mistake of the program as an exception still."""

from __future__ import annotations

import pytest

from livecore import World, errors
from livecore.demo import DEMO
from livecore.economy.rows import DebitWallet
from livecore.world import WorldPlayer
from tests.world.playing import Seen, begin, events_of, moves


@pytest.fixture
def ada() -> WorldPlayer:
    """A player of the demo game with ten gold."""
    world = World(DEMO)
    player = world.player("ada")
    world.server.wallet.credit("ada", "gold", amount=10)
    return player


def test_an_answer_has_its_status_and_row(ada: WorldPlayer) -> None:
    """The row is a client's; the JSON is that of `call`."""
    result = ada.try_call("wallet.get")
    assert (result.ok, result.status, result.code, result.refusal) == (True, 200, None, None)
    assert result.unwrap() == result.row == ada.wallet.get()
    assert result.data == ada.call("wallet.get")


def test_a_refusal_has_its_code(ada: WorldPlayer) -> None:
    """Nothing is raised, and `unwrap` raises what `call` would have."""
    result = ada.try_call("wallet.debit", economy_key="gold", amount=11)
    assert (result.ok, result.status, result.code, result.row, result.data) == (
        False, 409, "insufficient_balance", None, None,
    )  # fmt: skip
    with pytest.raises(errors.InsufficientBalance, match="have=10") as raised:
        result.unwrap()
    with pytest.raises(errors.InsufficientBalance) as called:
        ada.call("wallet.debit", economy_key="gold", amount=11)
    assert (str(raised.value), raised.value.details) == (str(called.value), called.value.details)


def test_a_start_says_whether_it_resumed(ada: WorldPlayer) -> None:
    """An attempt that runs already is answered with 200, a new one with 201, and one that waits for a lobby with 202."""
    assert [ada.try_call("events.start", key="daily-dash").status for _ in range(2)] == [201, 200]
    waiting = ada.try_call("events.start", key="arena")
    assert (waiting.status, waiting.code, waiting.ok) == (202, "lobby_forming", False)


def test_mistakes_of_the_program_raise(ada: WorldPlayer) -> None:
    """Else a simulation would count them as something that happens to players."""
    with pytest.raises(errors.ValidationFailed, match="amount: must be from 1"):
        ada.try_call("wallet.debit", economy_key="gold", amount=0)
    with pytest.raises(errors.ApiError, match="malformed_json"):
        ada.try_call("wallet.debit", economy_key="gold", amount=1, reason="\ud800")
    with pytest.raises(errors.ApiError, match="route_not_found"):
        ada.try_call("wallet.debit", economy_key="", amount=1)
    with pytest.raises(LookupError, match=r"did you mean wallet\.debit"):
        ada.try_call("wallet.debits")
    with pytest.raises(TypeError, match=r"wallet\.debit has no 'amuont': did you mean amount\?"):
        ada.try_call("wallet.debit", economy_key="gold", amuont=1)
    with pytest.raises(TypeError, match=r"wallet\.debit needs economy_key, amount"):
        ada.try_call("wallet.debit")
    with pytest.raises(TypeError, match="a player acts for itself"):
        ada.try_call("wallet.get", external_id="bo")
    with pytest.raises(TypeError, match=r"wallet\.credit is about a player"):
        ada.world.server.try_call("wallet.credit", economy_key="gold", amount=1)


def test_every_caller_has_it(ada: WorldPlayer) -> None:
    """The backend and operators, with arguments by name or as the shape."""
    world = ada.world
    assert world.server.try_call("wallet.credit", external_id="ada", economy_key="gold", amount=1).ok
    debit = world.operations["sdk:wallet.debit"]
    assert ada.try_perform(debit, DebitWallet(economy_key="gold", amount=99)).code == "insufficient_balance"
    owner = world.operator()
    assert owner.try_call("players.get", external_id="ada", limit=1).data == owner.call(
        "players.get", external_id="ada", limit=1
    )
    assert owner.try_call("players.get", external_id="ada", limit=1, environment="live").code == "player_not_found"
    ban = world.operations["admin:players.ban"]
    assert owner.try_perform(ban, ban.args(reason="spam"), external_id="ada").status == 200
    assert ada.try_call("wallet.debit", economy_key="gold", amount=1).code == "player_banned"
    viewer = world.operator("vic@example.com", "VIEWER")
    assert viewer.try_call("players.ban", external_id="ada", reason="spam").code == "permission_denied"


@pytest.mark.parametrize("seed", range(5))
def test_a_season_by_values_is_the_season_by_requests(seed: int) -> None:
    """The law: statuses, JSON, events, draws and rows are those of requests in the form of HTTP."""
    requested, tried = World(DEMO), World(DEMO)
    by_requests, by_values = Seen(), Seen()
    by_values.typed = True
    for world, seen in ((requested, by_requests), (tried, by_values)):
        begin(world, seen)
        for move in moves(seed, 150):
            move(world, seen)
    for one, another in zip(by_requests, by_values, strict=True):
        assert one == another
    assert events_of(tried) == events_of(requested)
    assert tried.store.dump() == requested.store.dump()
    assert tried.draws.counts == requested.draws.counts
