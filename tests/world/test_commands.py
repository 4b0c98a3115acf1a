"""The law: what a world was asked can be written down and asked again, with the same answers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from livecore import World
from livecore.api.requests.http import Request
from livecore.demo import DEMO
from livecore.economy.rows import RewardEntry
from livecore.kernel.time import Timestamp
from livecore.world import Command, Playback
from livecore.world.draws import Draws
from tests.world.playing import Seen, begin, moves


def _recorded(*, typed: bool, seed: int = 0) -> tuple[World, list[Any]]:
    """A season with its journal, as it is after a file has been written and read."""
    journal: list[Any] = []
    world = World(DEMO, seed=seed, on_command=lambda command: journal.append(json.loads(json.dumps(command.encoded()))))
    seen = Seen()
    seen.typed = typed
    begin(world, seen)
    for move in moves(seed, 120):
        move(world, seen)
    return world, journal


@pytest.mark.parametrize("typed", [True, False], ids=["by typed calls", "by requests"])
@pytest.mark.parametrize("seed", range(2))
def test_a_journal_played_again_gives_every_answer(typed: bool, seed: int) -> None:
    """Statuses and bodies are the recorded ones, and at the end the rows of players are the same."""
    world, journal = _recorded(typed=typed, seed=seed)
    again = World(DEMO, seed=seed)
    playback = Playback(again)
    for recorded in journal:
        response = playback.play(recorded)
        assert (response.status, json.loads(response.body)) == (recorded["status"], recorded["answer"])
    again.advance_to(world.now)
    for here in (world, again):
        here.flush()
    scope = world.scopes[0].id
    assert again.store.dump()[scope] == world.store.dump()[scope]


def test_a_command_draws_from_its_seed() -> None:
    """Another seed than the world would draw gives another crate, id and code: that of the journal."""
    _, journal = _recorded(typed=False, seed=4)
    register = next(recorded for recorded in journal if recorded["operation"] == "sdk:players.register")
    other = Playback(World(DEMO, seed=9)).play(register)
    assert json.loads(other.body)["data"]["player"] == register["answer"]["data"]["player"]


def test_after_recorded_requests_both_worlds_go_on_alike() -> None:
    """A request that follows draws nothing, and has no key, that a recorded one had."""
    commands: list[Command] = []
    gold = RewardEntry(type="currency", resource_key="gold", amount=5)

    def go_on(world: World) -> list[str]:
        return [
            world.server.wallet.credit("ada", "gold", amount=5).entry_id,
            world.server.grants.create("ada", entries=(gold,)).grant.grant_id,
        ]

    first, second = World(DEMO, on_command=commands.append), World(DEMO)
    first.player("ada")
    ids = go_on(first)
    playback = Playback(second)
    for command in commands:
        playback.play(command.encoded())
    again = [go_on(world) for world in (first, second)]
    assert again[0] == again[1]
    assert len({*ids, *again[0]}) == 4


def test_a_command_says_what_was_asked() -> None:
    """Without credentials, so a journal holds none but those that an answer shows."""
    heard: list[Command] = []
    world = World(DEMO, on_command=heard.append)
    phone = world.player("ada", **{"x-svc-platform": "ios"})
    heard.clear()
    phone.try_call("wallet.debit", economy_key="gold", amount=5)
    world.operator("sam@example.com").players.ban("ada", reason="spam")
    world.handle(Request("GET", "/nowhere"))
    debit, ban, nowhere = (command.encoded() for command in heard)
    assert (debit["operation"], debit["environment"], debit["status"]) == ("sdk:wallet.debit", "test", 409)
    assert (debit["places"], debit["arguments"]) == ({"externalId": "ada", "economyKey": "gold"}, {"amount": 5})
    assert (debit["headers"], debit["proves"], debit["at"]) == (
        {"x-svc-platform": "ios"},
        True,
        "2026-01-01T00:00:00.000Z",
    )
    assert debit["answer"]["error"]["code"] == "insufficient_balance"  # type: ignore[index,call-overload] # JSON
    assert (ban["operation"], ban["member"], ban["query"]) == (
        "admin:players.ban", "sam@example.com", {"environment": "test"},
    )  # fmt: skip
    assert (nowhere["operation"], nowhere["status"]) == (None, 404)
    assert world.player("ada").secret not in json.dumps([debit, ban, nowhere])


def test_what_had_no_operation_is_not_played() -> None:
    """There is nothing to perform."""
    with pytest.raises(LookupError, match="no operation None to play"):
        Playback(World(DEMO)).play({"operation": None})


def test_work_that_was_run_between_two_requests_of_one_moment_is_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A request may leave work that is due at once, and whether it has run decides what the next one is told."""
    journal: list[Any] = []
    world = World(DEMO, on_command=lambda command: journal.append(command.encoded()))
    ada = world.player("ada")
    for advance in (True, False, True):
        ada.try_call("wallet.get")
        if advance:
            world.advance()
    ada.try_call("wallet.get")
    assert [len(command["passed"]) for command in journal] == [0, 0, 1, 0, 1]
    again, run, played = World(DEMO), list[int](), list[Any]()
    monkeypatch.setattr(again, "advance_to", lambda _: run.append(len(played)))
    playback = Playback(again)
    for recorded in journal:
        played.append(recorded)
        playback.play(recorded)
    assert run == [3, 5]


def test_what_a_moment_draws_does_not_depend_on_how_it_is_written() -> None:
    """A `Timestamp` is the same moment as the number that it is."""
    scope = World(DEMO).scopes[0]
    seeds = {Draws(b"root").draw_due(scope, "roll", "daily", written) for written in (5, Timestamp(5))}
    assert len(seeds) == 1
