"""How many statements one request of each scenario takes on PostgreSQL, counted where they are sent."""

from __future__ import annotations

from functools import cache
from typing import Any

from tests.programs.bench import game
from tests.programs.bench.bare_transaction import Statements, counted, statements_in
from tests.programs.bench.databases import fresh
from tests.programs.bench.inside import Inside, inside
from tests.programs.bench.processes import make_game
from tests.programs.bench.scenarios import FRIENDS


@cache
def statements_of_scenarios() -> dict[str, list[Statements]]:
    """By scenario, the statements of each of its requests; counted once. Raises `CannotRun`."""
    with fresh("postgres") as database:
        made = make_game(database, game.CONFIG)
        with inside(database) as asked:
            return _count(asked, made.client_key, made.server_key)


def _count(asked: Inside, key: str, server_key: str) -> dict[str, list[Statements]]:
    names = ["one", "other", "stranger", *(f"friend-{number}" for number in range(FRIENDS - 1))]
    secrets = {name: asked.ask(game.register(key, name))["playerSecret"] for name in names}
    for friend in (name for name in names if name not in {"one", "stranger"}):
        asked.ask(game.add(key, "one", secrets["one"], friend))
        asked.ask(game.add(key, friend, secrets[friend], "one"))
    asked.ask(game.credit(server_key, "one", 1_000))
    # The first gift and claim make rows that those after them change.
    first = asked.ask(game.send_gift(key, "one", secrets["one"], "other", 0))["gift"]["giftId"]
    asked.ask(game.claim(key, "other", secrets["other"], first))
    gift, sent = _of(asked, game.send_gift(key, "one", secrets["one"], "other", 1))
    return {
        "list": [_of(asked, game.friends(key, "one", secrets["one"]))[0]],
        "profile": [_of(asked, game.profile(key, "one", secrets["one"]))[0]],
        "request": [_of(asked, game.add(key, "one", secrets["one"], "stranger"))[0]],
        "gift": [gift, _of(asked, game.claim(key, "other", secrets["other"], sent["gift"]["giftId"]))[0]],
    }


def _of(asked: Inside, wire: bytes) -> tuple[Statements, Any]:
    """The statements of the request's unit, without those of its entrance, which a server remembers; and its answer."""
    prepared = asked.prepared(wire)
    with counted() as seen:
        data = asked.run(prepared)
    return statements_in(seen), data
