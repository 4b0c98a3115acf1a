"""Attacks by those who read along: what the service logs, counts and shows of its values holds no secret."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from livecore.api.configuration.game_config import config_of
from livecore.api.requests.http import Request
from livecore.kernel.entropy import Entropy
from livecore.players.registration import new_secret
from livecore_client import SdkClient, ServerClient
from livecore_server.settings import Settings
from tests.server.serving import serving
from tests.worlds import ask, http, world


def test_values_do_not_show_what_they_keep() -> None:
    """Requests, responses, keys, settings and clients may end up in a traceback, and none of them shows a secret there."""
    game = world()
    anna = game.player("anna")
    key, server_key = game.keys["client"], game.keys["server"]
    request = Request("POST", "/", headers={"authorization": key, "x-player-secret": anna.secret}, body=b"hidden")
    rotated = ask(game.server, "players.rotateSecret", external_id="anna")
    shown = repr(
        [
            request,
            game.application.begin(request),
            rotated.response,
            game,
            game.server,
            anna,
            Settings(vault_key="hidden"),
            SdkClient(base_url="http://localhost", api_key=key, external_player_id="anna", player_secret=anna.secret),
            ServerClient(base_url="http://localhost", api_key=server_key),
        ]
    )
    secrets = [key, server_key, anna.secret, "hidden", rotated.text("playerSecret")]
    assert [secret for secret in secrets if secret in shown] == []


def test_a_server_writes_no_secret_and_no_strangers_words(tmp_path: Path) -> None:
    """Lines and metrics of good, bad and broken requests hold no key, secret, path, query, player or header."""

    async def attack() -> tuple[str, str, list[str]]:
        async with serving(tmp_path) as server:
            secret = await server.register("anna-in-the-path")
            await server.sdk("GET", "/anna-in-the-path/friends?limit=word-in-the-query", secret=secret)
            await server.sdk("GET", "/anna-in-the-path/friends", secret="lcs_wrong-secret")
            await server.ask("GET", "/word-in-the-path", headers={"Authorization": "Bearer lc_test_wrong-key"})
            await server.ask("FORBIDDEN-METHOD", "/", headers={"User-Agent": "word-in-the-agent"})
            await server.sdk("PUT", "/anna-in-the-path/identity", {"name": "word-in-the-body"}, secret=secret)
            metrics = await server.ask("GET", "/metrics")
            words = ["-in-the-", "wrong-", "FORBIDDEN", secret, server.key("client")]
        return server.log.getvalue(), metrics.body.decode(), words

    log, metrics, words = asyncio.run(attack())
    assert "sdk:friends.list" in log
    assert "sdk:friends.list" in metrics
    assert [word for word in words if word in log or word in metrics] == []


@pytest.mark.parametrize("log_format", ["text", "json"])
def test_a_request_id_cannot_write_lines_of_its_own(tmp_path: Path, log_format: str) -> None:
    """A caller's request id is echoed into the log only where it is printable, so it cannot end the line."""

    async def attack() -> str:
        async with serving(tmp_path, log_format=log_format) as server:  # type: ignore[arg-type] # one of the two
            for given in ("fine-id", "two\tfields", "bell\x07", "nam\xe9", "\x1b[2J", "x" * 129):
                raw = f"GET /admin/v1/health HTTP/1.1\r\nHost: test\r\nX-Request-Id: {given}\r\n\r\n".encode("latin-1")
                async with server.connect() as connection:
                    await connection.send(raw)
                    await connection.reply()
        return server.log.getvalue()

    log = asyncio.run(attack())
    assert "fine-id" in log
    assert log.isascii()
    assert all(line.isprintable() for line in log.splitlines())
    assert [word for word in ("fields", "bell", "nam\xe9", "nam", "[2J", "xxx") if word in log] == []


def test_an_error_of_ours_tells_nothing() -> None:
    """Where the service breaks, the answer holds the request id and nothing of what broke."""
    game = world()
    prepared = game.application.begin(Request("GET", "/", headers={"x-request-id": "known"}))
    envelope = json.loads(game.application.fail(prepared).body)
    assert envelope["error"]["details"] == {"requestId": "known"}
    assert envelope["error"]["code"] == "internal_error"
    assert set(envelope["error"]) == {"code", "message", "details"}


def test_every_wrong_secret_is_the_same_answer() -> None:
    """Missing, empty, foreign, cut and prolonged secrets are refused alike, and with nothing of the right one."""
    game = world()
    anna, bert = game.player("anna"), game.player("bert")
    wrong = [None, "", bert.secret, anna.secret[:-1], anna.secret + "a", anna.secret.upper(), "\ud800", "x" * 10_000]
    replies = [
        http(anna, "GET", "/sdk/v1/players/anna/friends", headers={"x-player-secret": secret}) for secret in wrong
    ]
    assert {reply.refusal for reply in replies} == {(401, "player_secret_invalid")}
    assert len({reply.response.body for reply in replies}) == 1


def test_secrets_are_long_and_never_the_same() -> None:
    """A player secret has at least 160 random bits after its prefix, from the entropy of its own request."""
    secrets = {new_secret(Entropy(seed.to_bytes(4, "big"))) for seed in range(1_000)}
    assert len(secrets) == 1_000
    assert all(len(secret.removeprefix("lcs_")) * 5 >= 160 for secret in secrets)


def test_answers_that_carry_a_secret_are_not_kept() -> None:
    """No row of any table holds a player's secret, not among the answers kept for replays either."""
    game = world()
    anna = game.player("anna")
    rotated = ask(game.server, "players.rotateSecret", external_id="anna", idempotency_key="k")
    dump = repr(game.store.dump())
    assert config_of(game.game).name in dump
    assert anna.secret not in dump
    assert rotated.text("playerSecret") not in dump
