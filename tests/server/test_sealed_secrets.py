"""A server whose vault key is not the one with which webhook secrets were sealed: it says so at its start."""

from __future__ import annotations

import asyncio
from contextlib import closing
from pathlib import Path

import pytest

from livecore.kernel.scope import Scope
from livecore.kernel.storage.records import evolve
from livecore.kernel.storage.store import Transaction
from livecore.webhooks.outbox import ENDPOINTS
from livecore.webhooks.rotation import EndpointSecret, secrets_text
from livecore_server.sealed_secrets import sealed_away, warning_of
from livecore_server.service import Service
from livecore_server.settings import Settings
from livecore_server.storage.database import open_store
from livecore_server.vault import KeyVault, new_key
from tests.server.commands import Command
from tests.server.serving import make_game

_URL = "https://hooks.example.com/in"


def _started(database: str, key: str) -> list[str]:
    """What a server with this vault key tells whoever runs it, as it starts."""
    told: list[str] = []

    async def scenario() -> None:
        service = Service(Settings(database=database, port=0, vault_key=key), report=told.append)
        await service.start()
        await service.stop()

    asyncio.run(scenario())
    return told


def test_a_wrong_vault_key_is_told_at_the_start_with_the_ways_out(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What cannot be opened, with whose secrets, what becomes of it, and both ways out, of which one is taken."""
    made, livecore, old, new = make_game(url), Command(capsys), new_key(), new_key()
    assert _started(url, new) == []
    place = ["--database", url, "--game", made.game.game_id]
    about = ["--environment", "live", "--url", _URL, "--vault-key", old, "--json"]
    endpoint = livecore.done("webhooks", "add", *place, *about).json["endpointId"]
    assert _started(url, old) == _started(url, f"{new},{old}") == []
    (told,) = _started(url, new)
    assert told.startswith("the signing secrets of webhook endpoints cannot be opened, and nothing is sent to ")
    assert f"{endpoint} (--game {made.game.game_id} --environment live): a secret was sealed with vault key " in told
    assert "LIVECORE_VAULT_KEY and restart" in told
    assert "`livecore webhooks rotate-secret`" in told
    assert not any(secret in told for secret in (old, new, "whsec_"))
    livecore.done("webhooks", "rotate-secret", *place, endpoint, "--vault-key", new)
    assert _started(url, new) == []


def test_a_warning_stays_one_line_however_many_endpoints_there_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It names three, counts the others, and gives each reason once."""
    database, livecore = f"sqlite:///{tmp_path / 'game.db'}", Command(capsys)
    made, key = make_game(database), new_key()
    place = ["--database", database, "--game", made.game.game_id, "--url", _URL, "--vault-key", key]
    for environment in ("live", "test"):
        for _ in range(3):
            livecore.done("webhooks", "add", *place, "--environment", environment)
    with closing(open_store(database)) as store:
        found = list(sealed_away(store, KeyVault.parse(new_key())))
    line = warning_of(found)
    assert (len(found), line.count("whe_"), line.count("\n")) == (6, 3, 0)
    assert " and 3 more: a secret was sealed with vault key " in line
    assert line.count("was sealed with vault key") == 1


def test_a_damaged_secret_is_told_like_one_of_another_key(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The server starts nevertheless: its players need no webhooks."""
    database, livecore, key = f"sqlite:///{tmp_path / 'game.db'}", Command(capsys), new_key()
    made = make_game(database)
    about = ["--database", database, "--url", _URL, "--vault-key", key, "--environment", "live", "--json"]
    endpoint_id = livecore.done("webhooks", "add", *about).json["endpointId"]

    def damage(tx: Transaction) -> None:
        row = tx.get(ENDPOINTS, endpoint_id)
        assert row is not None
        tx.put(ENDPOINTS, evolve(row, secrets=secrets_text([EndpointSecret("v0.unknown")])))

    with closing(open_store(database)) as store:
        store.write(Scope(made.game.game_id, "live"), damage)
    (told,) = _started(database, key)
    assert f"{endpoint_id} (--game {made.game.game_id} --environment live): a secret is stored in a form" in told
