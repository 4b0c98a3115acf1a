"""Every code that an operation can give leaves the real server: by sequences, by broken requests, by a test of its own."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from contextlib import closing
from pathlib import Path
from typing import Final

import httpx
import pytest

from livecore.api.operations import OPERATIONS
from livecore.api.refusals import refusals_of
from livecore.economy.grants import GRANTS, Grant
from livecore.kernel.storage.records import JsonText, evolve
from livecore.kernel.units.unit import Unit
from livecore.players.player import PLAYERS, find
from tests.laws.arena import Arena
from tests.laws.games import Place
from tests.laws.playing import Play, play
from tests.laws.sequences import broad
from tests.laws.steps import Step
from tests.laws.wires import Wire, served, shared_store

SCENES: Final = 150
SEEDS: Final = tuple(dict.fromkeys((9, 11, 19, 1, 2, *range(30))))
"""Of which as many sequences are played as it takes to meet every refusal; the first ones meet many that are rare."""
ELSEWHERE: Final = {
    "body_timeout": "test_exchange.py",
    "internal_error": "test_host.py",
    "overloaded": "test_host.py",
    "rate_limited": "test_host.py",
    "storage_limit_reached": "../attacks/test_addresses.py",
    "team_limit_reached": "../competition/test_emptied.py",
}
"""What takes a slow caller, a busy store, a fault of ours, many requests or a limit, and the file of its test over HTTP."""
SERVER: Final = Path(__file__).parents[2] / "server"
HOME: Final = Place(0, "test")
_GONE: Final = "01940000-0000-7000-8000-000000000009"
"""A crate that the game does not define any more."""


def test_every_code_of_an_operation_is_met_over_http(tmp_path: Path) -> None:
    """None that the documents list is out of reach."""
    # Those of operators are met by the neighbour `test_every_code_of_operators.py`.
    played = [operation for operation in OPERATIONS if operation.credential != "member"]
    listed = {refusal.code for operation in played for refusal in refusals_of(operation)}
    met: set[str] = set()
    for number in SEEDS:
        if listed - met <= ELSEWHERE.keys():
            break
        steps = as_far_as_new(broad(number, SCENES), met)
        if not steps:
            continue
        with closing(shared_store(tmp_path / f"{number}.db")) as store:
            arena = Arena(store)
            with served(arena, store) as address, httpx.Client(base_url=address) as client:
                journal = play(steps, arena=arena, through=Wire(client)).journal
                met |= {code_of(answer.response.body) for _, answer in journal if answer.code is not None}
                met |= broken(arena, client)
    assert listed - met - ELSEWHERE.keys() == set()
    assert met <= listed


def as_far_as_new(steps: list[Step], met: AbstractSet[str]) -> list[Step]:
    """A sequence as far as it meets codes that were not met yet, asked in memory, where it is cheap."""
    arena, last, known = Arena(), 0, set(met)
    playing = Play(arena)
    for number, step in enumerate(steps, 1):
        before = len(playing.journal)
        playing.step(step)
        codes = {code_of(answer.response.body) for _, answer in playing.journal[before:] if answer.code is not None}
        if not codes <= known:
            last, known = number, known | codes
    return steps[:last]


def code_of(body: bytes) -> str:
    """The code of a refusal."""
    code: str = httpx.Response(400, content=body).json()["error"]["code"]
    return code


def broken(arena: Arena, client: httpx.Client) -> set[str]:
    """The codes of requests that fail before any rule is asked, of a banned player's, and of what few sequences come to."""
    key = {"Authorization": f"Bearer {arena.key(HOME, 'client')}"}
    made = client.post("/sdk/v1/players/banned-one/register", headers=key)
    headers = {**key, "X-Player-Secret": made.json()["data"]["playerSecret"], "Content-Type": "application/json"}
    arena.in_scope(HOME, "hold", _hold)
    undefined = client.post(f"/sdk/v1/players/banned-one/crates/{_GONE}/open", headers=headers, content=b"{}")
    oneself = b'{"externalPlayerId": "banned-one"}'
    blocked = client.post("/sdk/v1/players/banned-one/friends/blocks", headers=headers, content=oneself)
    arena.in_scope(HOME, "ban", _ban)
    register = "/sdk/v1/players/another/register"
    answers = [
        undefined,
        blocked,
        client.post(register),
        client.post(register, headers={"Authorization": "Bearer lc_test_client_unknown_00000000"}),
        client.post(register, headers=headers, content=b"{"),
        client.post(register, headers={**headers, "Content-Type": "text/plain"}, content=b"{}"),
        client.post(register, headers=headers, content=b" " * 2_000_000),
        client.post("/sdk/v1/players/banned-one/presence", headers=headers, content=b"{}"),
    ]
    return {code_of(answer.content) for answer in answers}


def _ban(unit: Unit) -> None:
    player = find(unit, "banned-one")
    assert player is not None
    unit.tx.put(PLAYERS, evolve(player, banned_at=unit.now, ban_reason="cheating"))


def _hold(unit: Unit) -> None:
    player = find(unit, "banned-one")
    assert player is not None
    crate = Grant(
        grant_id=_GONE, player_id=player.player_id, status="pending", kind="crate", crate_key="gone",
        entries=JsonText('[{"type":"crate","resourceKey":"gone","amount":1}]'), source_kind="api",
        created_at=unit.now,
    )  # fmt: skip
    unit.tx.put(GRANTS, crate)


@pytest.mark.parametrize("code", ELSEWHERE)
def test_what_is_met_elsewhere_is_named_there(code: str) -> None:
    """The file speaks of the code."""
    assert f'"{code}"' in (SERVER / ELSEWHERE[code]).read_text("utf-8")
