"""The programs start and work where everything has been taken away that Windows lacks (`systems.py`).

`tests/proofs/portability` does more of it, and the same for macOS.
"""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

import pytest

from livecore_server.cli.walkthrough import END, START, usual_shell
from tests.portability.other_system import run_on, started_on
from tests.portability.stand_in_powershell import PowerShell

COMMANDS = """
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
from livecore_server.cli import main
for arguments in json.loads(sys.argv[1]):
    out, err = (io.TextIOWrapper(io.BytesIO(), "cp437") for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main(arguments)
        except SystemExit as ended:
            status = ended.code
    for stream in (out, err):
        stream.flush()
    print(json.dumps([status, *(stream.buffer.getvalue().decode("cp437") for stream in (out, err))]))
"""
"""Runs several commands in one process, as in a console that knows few letters."""


def commands(folder: Path, *arguments: tuple[str, ...]) -> list[tuple[int, str, str]]:
    """Status, output and errors of several commands on Windows."""
    ended = run_on("windows", folder, "-c", COMMANDS, json.dumps(arguments))
    assert ended.returncode == 0, ended.stderr
    return [(status, out, err) for status, out, err in map(json.loads, ended.stdout.splitlines())]


def test_dev_shows_what_powershell_takes_and_ends_with_ctrl_c(tmp_path: Path) -> None:
    """The commands do what those of the other systems do, and may be pasted a second time."""
    with started_on("windows", tmp_path, "dev", "--port", "0", until="API ") as running:
        pasted = running.shown.split(f"{START}\n")[1].split(END)[0]
        assert pasted.startswith("$env:LIVECORE_BASE_URL = 'http://127.0.0.1:")
        shell = PowerShell()
        shell.paste(pasted)
        _is_the_first_minute(shell.shown)
        shell.paste(pasted)
        assert "The remote server returned an error: (409)" in shell.shown
        assert running.end(signal.SIGINT) == (0, "stopped")


def _is_the_first_minute(shown: list[str]) -> None:
    answers = [json.loads(line)["data"] for line in shown if line.startswith("{")]
    friend, credit, claim, wallet, _, _, board, ended, grants = answers
    assert friend["friend"]["externalPlayerId"].startswith("alice-")
    assert (credit["balance"], claim["gift"]["status"], wallet["balances"][0]["balance"]) == (100, "claimed", 25)
    assert [(entry["score"], entry["rank"]) for entry in board["entries"]] == [(300, 1), (120, 2)]
    assert ended["windows"][0]["leaderboardsFinalized"] == 1
    assert grants["grants"][0]["entries"] == [{"type": "currency", "resourceKey": "gold", "amount": 100}]


@pytest.mark.parametrize(
    ("system", "variables", "shell"),
    [
        ("win32", {}, "ps1"),
        ("win32", {"MSYSTEM": "MINGW64"}, "sh"),  # Git Bash
        ("darwin", {}, "sh"),
        ("linux", {"MSYSTEM": "MINGW64"}, "sh"),
    ],
)
def test_what_is_shown_suits_the_shell(
    system: str, variables: dict[str, str], shell: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PowerShell on Windows, except for who started the server in Git Bash."""
    monkeypatch.setattr(sys, "platform", system)
    assert usual_shell(variables) == shell


def test_commands_take_drives_blanks_and_letters_that_a_console_lacks(tmp_path: Path) -> None:
    """A URL of a file may begin with a drive, and have a blank as it is or as `%20`; a name ends no command."""
    place = tmp_path / "C:" / "Users" / "A B"
    place.mkdir(parents=True)
    config = tmp_path / "game.json"
    game = {"name": "灯 Ő", "registration": {"knownPlayers": "client"}, "privacy": {"strangers": {}}}
    config.write_text(json.dumps(game, ensure_ascii=False), "utf-8")
    first, second = "sqlite:///C:/Users/A%20B/g.db", "sqlite:////C:/Users/A B/h.db"
    *done, refused = commands(
        tmp_path,
        ("init", "--database", first, "--config", "game.json"),
        ("init", "--database", second, "--config", "game.json"),
        ("games", "list", "--database", first),
        ("keys", "list", "--database", first),
        ("backup", "--database", first, "saved.db"),
        ("restore", "saved.db", "--database", second, "--overwrite"),
        ("games", "list", "--database", second),
        ("check", "--database", second),
        ("schema",),
        ("serve", "--database", first, "--workers", "2"),
    )
    assert [(status, err) for status, _, err in done] == [(0, "")] * 9
    assert sorted(path.name for path in place.glob("?.db")) == ["g.db", "h.db"]
    assert [done[number][1].split("  ")[1] for number in (2, 6)] == [r"\u706f \u0150"] * 2
    assert json.loads(done[8][1])["type"] == "object"
    assert refused[0] == 2
    assert (
        "leave --workers and LIVECORE_WORKERS out, or run it on Linux or macOS, in WSL or in a container" in refused[2]
    )


LIBRARY = """
from livecore import World
from livecore.demo import DEMO
world = World(DEMO, seed=7)
world.player("alice").call("friends.getCode")
world.advance(days=7)
import livecore_client.webhooks, livecore_client.local, livecore.testing.plugin
from livecore_client import SdkClient, AsyncSdkClient, ServerClient, AsyncServerClient
print(SdkClient(base_url="http://x", api_key="k", external_player_id="a").friends is not None)
"""


def test_library_and_client_work(tmp_path: Path) -> None:
    """A world runs for a week, and every client can be made."""
    ran = run_on("windows", tmp_path, "-c", LIBRARY)
    assert (ran.returncode, ran.stdout) == (0, "True\n"), ran.stderr
