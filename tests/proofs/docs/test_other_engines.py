"""The pages for games that are not written in Python: their requests, their C# and their JavaScript run on a server."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from examples.live_board.__main__ import page_server
from examples.own_server import OwnServer, own_server
from tests.examples.browser import browser, opened, require_browser
from tests.pages import ROOT, blocks
from tests.patience import PATIENCE_SECONDS

ENGINES: Final = ROOT / "docs/how-to/play-from-another-engine.md"
BROWSER: Final = ROOT / "docs/how-to/play-from-a-browser.md"
CURL: Final = ROOT / "tests/server/stand_in_curl.py"
RACE: Final = {
    "economyMode": "platform",
    "events": [
        {
            "key": "race",
            "name": "Race",
            "schedule": {"startsAt": "2026-01-01T00:00:00.000Z", "everySeconds": 86400, "durationSeconds": 86400},
            "metrics": [{"key": "points"}],
        }
    ],
}
MAIN: Final = """
public static class Program
{
    public static int Main(string[] given)
    {
        var livecore = new Livecore(given[0], given[1], "clara d'arc", null);
        var registered = livecore.Call("POST", "/register").Result;
        livecore.Secret = registered.Split(new[] { "\\"playerSecret\\":\\"" }, StringSplitOptions.None)[1].Split('"')[0];
        Console.WriteLine(livecore.Call("PUT", "/identity", "{\\"name\\": \\"Clara\\"}").Result);
        Console.WriteLine(livecore.Call("GET", "/wallet").Result);
        livecore.Secret = "wrong";
        Console.WriteLine(livecore.Call("GET", "/wallet").Result);
        return 0;
    }
}
"""
"""What the game around the class of the page does."""


@pytest.fixture(scope="module")
def server() -> Iterator[OwnServer]:
    """A server with the game of `livecore dev`."""
    with own_server() as running:
        yield running


def answers_of(shown: str) -> list[dict[str, object]]:
    """The answers that a program has printed, one after the other."""
    decoder, answers, rest = json.JSONDecoder(), [], shown.strip()
    while rest:
        answer, end = decoder.raw_decode(rest)
        answers.append(answer)
        rest = rest[end:].lstrip()
    return answers


def run(command: list[str], *, text: str = "", environment: dict[str, str] | None = None) -> str:
    """What a program prints; it must end with status 0."""
    ended = subprocess.run(
        command, input=text, env=environment, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_the_requests_are_answered(server: OwnServer, tmp_path: Path) -> None:
    """The blocks of the page for a shell, in order, are one program, and each of its requests succeeds."""
    program = "set -e\n" + "\n".join(block.group(1) for block in blocks(ENGINES, "sh"))
    environment = {
        **os.environ,
        "LIVECORE_BASE_URL": server.base_url,
        "LIVECORE_API_KEY": server.client_key,
    }
    if shutil.which("curl") is None:
        (tmp_path / "curl").write_text(f'#!/bin/sh\nexec "{sys.executable}" "{CURL}" "$@"\n', "utf-8")
        (tmp_path / "curl").chmod(0o755)
        environment["PATH"] = f"{tmp_path}:{environment['PATH']}"
    answers = answers_of(run(["/bin/sh"], text=program, environment=environment))
    assert len(answers) == program.count("\ncurl ") == 5
    assert [answer for answer in answers if "data" not in answer] == []
    named = answers[3]["data"]
    assert isinstance(named, dict)
    assert named["displayIdentity"]["name"] == "Anna"


def test_the_class_for_unity_plays(server: OwnServer, tmp_path: Path) -> None:
    """It registers, changes and reads, with an id that has to be escaped; and a refusal comes as the answer that it is."""
    if shutil.which("mcs") is None:
        pytest.skip("no Mono is installed (Debian's package is called mono-mcs)")
    first, *_ = (block.group(1) for block in blocks(ENGINES, "csharp"))
    source, program = tmp_path / "Livecore.cs", tmp_path / "game.exe"
    source.write_text(first + MAIN, "utf-8")
    run(["mcs", f"-out:{program}", str(source)])
    named, wallet, refused = answers_of(run(["mono", str(program), server.base_url, server.client_key]))
    assert "Clara" in json.dumps(named["data"])
    assert "gold" in json.dumps(wallet["data"])
    assert isinstance(refused["error"], dict)
    assert refused["error"]["code"] == "player_secret_invalid"


def test_the_script_of_a_page_plays() -> None:
    """From a page of another origin, which the server allows; the second visit is the same player's."""
    require_browser()
    page = page_server()
    origin = f"http://127.0.0.1:{page.server_port}"
    script = "\n".join(block.group(1) for block in blocks(BROWSER, "js"))
    shown: list[object] = []

    async def scenario(address: str, game: OwnServer) -> None:
        given = f"const SERVER = {json.dumps(game.base_url)}, KEY = {json.dumps(game.client_key)};\n"
        for points in (30, 70):
            async with opened(address, f"{origin}/board.css") as visit:
                await visit.value(f"{given}{script}\nnull")
                shown.append(await visit.value(f"play({points})"))
                shown.append(await visit.value("call('GET', '/sdk/v1/leaderboards/none').catch(error => error.code)"))

    with own_server(json.dumps(RACE), settings={"LIVECORE_CORS_ORIGINS": origin}) as game, browser() as address:
        asyncio.run(scenario(address, game))
    page.shutdown()
    page.server_close()
    first, refusal, second, _ = shown
    assert refusal == "leaderboard_not_found"
    assert isinstance(first, list)
    assert isinstance(second, list)
    assert [line.rpartition(": ")[2] for line in (*first, *second)] == ["30", "100"]
    assert len(second) == 1, "the player of the first visit has played again"
