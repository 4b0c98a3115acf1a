"""Makes a small database with the code of an earlier commit, and notes what that code answers about it.

    git worktree add --detach /tmp/earlier COMMIT
    PYTHONPATH=/tmp/earlier python make.py sqlite:////tmp/earlier.db schema-7

It is run by hand, once for each version of the schema, and writes schema-7.sqlite.sql or
schema-7.postgres.sql, and schema-7.json. It
uses nothing but requests and the World, which every version has; what a version does not know yet, it refuses, and such a
request is left out. `tests/proofs/maintenance/test_earlier_databases.py` opens what this has written.
"""

from __future__ import annotations

import importlib
import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg

import livecore.world
from livecore.api.requests.http import Request

_GOLD = {"type": "currency", "resourceKey": "gold", "amount": 7}
_SECTIONS: list[dict[str, Any]] = [
    {"guilds": {"enabled": True}},
    {"crates": [{"key": "chest", "name": "Chest", "rolls": [{"rows": [{"weight": 1, "entries": [_GOLD]}]}]}]},
    {"leaderboards": [{"key": "best", "name": "The best"}]},
    {
        "events": [
            {
                "key": "race",
                "name": "Race",
                "schedule": {"startsAt": "2026-01-01T00:00:00Z", "everySeconds": 604_800, "durationSeconds": 500_000},
                "metrics": [{"key": "points"}],
                "target": 100,
                "milestones": [{"key": "half", "threshold": 50, "entries": [_GOLD]}],
            }
        ]
    },
]
_CONFIG: dict[str, Any] = {
    "name": "Earlier",
    "economyMode": "platform",
    "economy": [{"key": "gold", "kind": "currency"}, {"key": "xp", "kind": "progression"}],
    "items": [{"key": "potion", "name": "Potion"}, {"key": "sword", "parameters": {"level": 1}}],
    "gifting": {
        "enabled": True,
        "resources": [
            {"type": "currency", "key": "gold", "maxAmount": 100, "costsSender": True},
            {"type": "item", "key": "potion", "maxAmount": 5},
        ],
    },
    "exchangeRates": {"EUR": "1.08"},
}
_NAMES = ("anna", "bert", "clara", "dora", "emil", "fritz")
_READS = (
    "friends", "friends/code", "friends/requests", "friends/blocks", "friends/search?q=na", "friends/gifts/inbox",
    "friends/gifts/sent", "wallet", "inventory", "grants/pending", "profile", "guild", "crates", "leaderboards/best",
    "events/race/attempts",
)  # fmt: skip
_SERVER_READS = ("", "/wallet", "/inventory", "/ledger", "/friends", "/purchases", "/spend", "/guild")


class Play:
    """A world over a store, and requests to it."""

    def __init__(self, store: Any) -> None:  # noqa: ANN401 - of whatever version
        # The module that makes a world, of whatever version; a world takes no store.
        home: Any = getattr(livecore.world, "game", livecore.world)
        home.MemoryStore = lambda: store
        config = dict(_CONFIG)
        for section in _SECTIONS:
            with suppress(Exception):
                home._config({**config, **section})
                config |= section
        self.world = livecore.world.World(config)
        self.secrets: dict[str, str] = {}

    def ask(self, who: str | None, method: str, path: str, body: object = None) -> tuple[int, Any]:
        """Send a request of a player, or of the studio's backend."""
        surface = "server" if who is None else "client"
        headers = {
            "authorization": f"Bearer {self.world.keys[surface]}",
            "x-player-secret": self.secrets.get(who or "", ""),
        }
        if who is None:
            del headers["x-player-secret"]
        path, _, query = path.partition("?")
        if body is not None:
            headers["content-type"] = "application/json"
        raw = b"" if body is None else json.dumps(body).encode()
        answer = self.world.application.handle(Request(method, path, query, headers, raw, "127.0.0.1"))
        return answer.status, json.loads(answer.body)

    def do(self, who: str | None, method: str, path: str, **body: object) -> Any:  # noqa: ANN401 - an answer's data
        """The same of something that this version may not know."""
        whole = f"/sdk/v1/players/{who}{path}" if who is not None else f"/server/v1{path}"
        status, answer = self.ask(who, method, whole, None if method == "GET" else body)
        return answer.get("data") if status < 300 else None


def play(game: Play) -> None:
    """A few virtual days with everything in them."""
    for name in _NAMES:
        _, answer = game.ask(name, "POST", f"/sdk/v1/players/{name}/register", {"playerContext": {"country": "DE"}})
        game.secrets[name] = answer["data"]["playerSecret"]
        game.do(name, "PUT", "/identity", name=f"{name.title()} Näme", avatar=None)
        game.do(None, "POST", f"/players/{name}/wallet/gold/credit", amount=100, idempotencyKey=f"w-{name}")
        game.do(None, "POST", f"/players/{name}/inventory/potion/grant", quantity=3, idempotencyKey=f"i-{name}")
        game.do(None, "POST", f"/players/{name}/grants", entries=[_GOLD], idempotencyKey=f"h-{name}")
        bought = {"store": "apple", "productId": "gems", "productType": "consumable", "currency": "EUR"}
        game.do(name, "POST", "/purchases", transactionId=f"t-{name}", amountMinor=499, **bought)
    for other in ("bert", "clara", "dora"):
        game.do("anna", "POST", "/friends/requests", externalPlayerId=other)
    for other in ("bert", "clara"):
        game.do(other, "POST", "/friends/requests", externalPlayerId="anna")
        game.do("anna", "POST", "/friends/gifts", externalPlayerId=other, type="currency", resourceKey="gold", amount=5)
    game.do("anna", "POST", "/friends/blocks", externalPlayerId="emil")
    game.world.advance(days=1)
    for gift in (game.do("bert", "GET", "/friends/gifts/inbox") or {}).get("gifts", []):
        game.do("bert", "POST", f"/friends/gifts/{gift['giftId']}/claim")
    game.do("anna", "POST", "/guild", name="The First")
    game.do("anna", "POST", "/leaderboards/best/scores", score=9)
    attempt = game.do("anna", "POST", "/events/race/start") or {}
    if attempt:
        path = f"/events/race/attempts/{attempt['attempt']['attemptId']}/progress"
        game.do("anna", "POST", path, metrics={"points": 60})
    game.do("clara", "POST", "/presence", status="here")
    game.do(None, "POST", "/players/dora/ban", reason="rude")
    game.do(None, "POST", "/players/emil/merge-into/fritz")
    game.do(None, "POST", "/players/fritz/delete")
    game.world.flush()


def answers(game: Play) -> dict[str, Any]:
    """What the players and the backend read."""
    found: dict[str, Any] = {}
    for name in _NAMES:
        for who, base, paths in (
            (name, f"/sdk/v1/players/{name}/", _READS),
            (None, f"/server/v1/players/{name}", _SERVER_READS),
        ):
            for path in paths:
                status, answer = game.ask(who, "GET", f"{base}{path}")
                if status == 200:
                    found[f"{who or ''} {base}{path}"] = answer["data"]
    return found


def opened(url: str) -> Any:  # noqa: ANN401 - a store of whatever version
    """The store of this version at that URL."""
    if url.startswith("sqlite:///"):
        for name in ("livecore_server.storage.sqlite", "livecore_server.sqlite"):
            with suppress(ModuleNotFoundError):
                return importlib.import_module(name).SqliteStore(Path(url.removeprefix("sqlite:///")))
    for name in ("livecore_server.storage.postgres", "livecore_server.postgres"):
        with suppress(ModuleNotFoundError):
            return importlib.import_module(name).PostgresStore(url)
    raise SystemExit(f"no store of this version opens {url}")


_SHORTER = "UPDATE livecore_migrations SET layout = '{}' WHERE id < (SELECT max(id) FROM livecore_migrations)"
"""Only the newest layout is ever read, and each is longer than all the rows."""


def dump(url: str, to: Path) -> None:
    """Write the database as SQL."""
    if url.startswith("sqlite:///"):
        connection = sqlite3.connect(url.removeprefix("sqlite:///"))
        connection.execute(_SHORTER)
        connection.commit()
        lines = "\n".join(connection.iterdump())
        connection.close()
        to.with_suffix(".sqlite.sql").write_text(lines + "\n", "utf-8")
        return
    with psycopg.connect(url) as connected:
        connected.execute(_SHORTER.encode())
    command = [shutil.which("pg_dump") or "pg_dump", "--inserts", "--no-owner", "--no-privileges", "--no-comments", url]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    kept = [
        line
        for line in text.splitlines()
        if line and not line.startswith(("--", "\\", "SET ", "SELECT pg_catalog.set"))
    ]
    to.with_suffix(".postgres.sql").write_text("\n".join(kept) + "\n", "utf-8")


def main() -> None:
    """Play, ask, and write."""
    url, to = sys.argv[1], Path(sys.argv[2])
    store = opened(url)
    game = Play(store)
    play(game)
    found = answers(game)
    store.close()
    dump(url, to)
    noted = {"now": game.world.now, "keys": game.world.keys, "secrets": game.secrets, "answers": found}
    if url.startswith("sqlite:///"):
        to.with_suffix(".json").write_text(json.dumps(noted, ensure_ascii=False, indent=1) + "\n", "utf-8")
    sys.stdout.write(f"{len(found)} answers\n")


if __name__ == "__main__":
    main()
