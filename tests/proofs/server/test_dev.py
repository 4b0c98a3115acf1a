"""`livecore dev` as a process: what it shows can be pasted, and works; what it keeps is for its owner alone."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, Any

import attrs
import pytest

from livecore.access.audit import AUDIT_BY_TIME
from livecore.kernel.scope import DIRECTORY
from livecore_server.cli.walkthrough import END, START
from livecore_server.storage.sqlite import SqliteStore
from tests.delivery.receivers import answering, receiver
from tests.patience import PATIENCE_SECONDS
from tests.server.commands import Command
from tests.server.serving import make_game
from tests.sign_in.browser import Answer, Browser

ROOT = Path(__file__).parents[3]
CURL = ROOT / "tests" / "server" / "stand_in_curl.py"


@attrs.frozen
class Development:
    """A running `livecore dev`, and what it has shown."""

    shown: str
    folder: Path
    more: IO[str]
    """What it prints after that."""

    @property
    def commands(self) -> str:
        """What is to be pasted."""
        return self.shown.split(f"{START}\n")[1].split(END)[0]

    @property
    def address(self) -> str:
        """Where it listens."""
        return self.shown.rpartition("\nAPI ")[2].partition(" ")[0]

    @property
    def link(self) -> str:
        """The sign-in link."""
        return str(re.findall(r"http://\S+/admin/v1/sign-in/link\?token=\S+", self.shown)[0])

    @property
    def keys(self) -> list[str]:
        """Every key in what was shown, each once."""
        return sorted(set(re.findall(r"lc_\w+", self.shown)))

    def paste(self) -> subprocess.CompletedProcess[str]:
        """Paste the commands into a shell; a machine without curl gets a stand-in."""
        environment = dict(os.environ)
        if shutil.which("curl") is None:
            stand_in = self.folder / "bin" / "curl"
            stand_in.parent.mkdir(exist_ok=True)
            stand_in.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{CURL}" "$@"\n', "utf-8")
            stand_in.chmod(0o755)
            environment["PATH"] = f"{stand_in.parent}:{environment['PATH']}"
        return subprocess.run(
            ["/bin/sh"],
            input=self.commands,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=PATIENCE_SECONDS,
        )


@contextmanager
def development(folder: Path, *, ending: signal.Signals = signal.SIGTERM) -> Iterator[Development]:
    """`livecore dev` in a folder, stopped at the end, which must be in order."""
    command = [sys.executable, "-m", "livecore_server", "dev", "--port", "0"]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1
    ) as process:
        assert process.stdout is not None
        shown = ""
        for line in process.stdout:
            shown += line
            if line.startswith("API "):
                break
        try:
            yield Development(shown, folder, process.stdout)
        except BaseException:
            process.kill()
            raise
        process.send_signal(ending)
        assert process.wait(PATIENCE_SECONDS) == 0


@attrs.frozen
class Begun:
    """What `livecore dev` has left in a folder in which it ran once, and the keys that it showed."""

    folder: Path
    keys: list[str]

    def copied_to(self, folder: Path) -> Path:
        """The same folder again, for a test that changes it; gives the file of the keys."""
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)
        return folder / "livecore-dev.db.keys.json"


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Begun:
    """One first start for all tests of a second one."""
    folder = tmp_path_factory.mktemp("begun")
    with development(folder) as first:
        keys = first.keys
    return Begun(folder, keys)


def test_what_is_shown_can_be_pasted_and_works(tmp_path: Path) -> None:
    """Two players become friends, one gives the other 25 gold, and both play in an event: the friendship twice over."""
    with development(tmp_path) as running:
        assert running.shown.startswith("Livecore is up at http://127.0.0.1:")
        for time in range(2):
            pasted = running.paste()
            answers = [json.loads(line) for line in pasted.stdout.splitlines() if line.startswith("{")]
            assert pasted.stderr == ""
            if time == 0:
                _is_a_day_at_the_event(answers[4:], pasted.stdout)
            else:
                assert [answer["error"]["code"] for answer in answers[4:]] == ["event_not_active"]
            friend, credit, claim, wallet = (answer["data"] for answer in answers[:4])
            assert friend["friend"]["externalPlayerId"].startswith("alice-")
            assert credit["balance"] == 100
            assert (claim["gift"]["status"], claim["gift"]["amount"]) == ("claimed", 25)
            assert wallet["balances"][0] == {"key": "gold", "kind": "currency", "balance": 25}


def _is_a_day_at_the_event(answers: list[Any], printed: str) -> None:
    """One crosses a milestone, the other overtakes, both are seen on the live leaderboard, and the first rank wins."""
    alice, bob, ended, grants = (answer["data"] for answer in answers)
    assert ([reached["key"] for reached in alice["milestones"]], alice["rank"]) == (["warm"], 1)
    assert (bob["attempt"]["score"], bob["rank"]) == (300, 1)
    assert ended["windows"][0]["attemptsExpired"] == 2
    (won,) = [grant for grant in grants["grants"] if grant["sourceKind"] == "event_rank"]
    assert won["entries"] == [{"type": "currency", "resourceKey": "gold", "amount": 100}]
    live = [line.removeprefix("data: ") for line in printed.splitlines() if line.startswith("data: ")]
    ready, *updates, closed = map(json.loads, live)
    assert (ready["entryCount"], closed["reason"]) == (0, "finalized")
    assert [(update["entry"]["score"], update["entry"]["rank"]) for update in updates] == [(120, 1), (300, 1)]


def test_the_commands_are_fit_for_any_shell() -> None:
    """No comment, which an interactive zsh would run, and no exclamation mark, which it would expand."""
    text = (ROOT / "livecore_server" / "cli" / "walkthrough.sh").read_text("utf-8")
    assert not [line for line in text.splitlines() if line.lstrip().startswith("#") or "!" in line]
    subprocess.run(["/bin/sh", "-n"], input=text, text=True, check=True)


def test_the_stand_in_for_curl_does_what_the_commands_need(tmp_path: Path) -> None:
    """On a machine without curl the walkthrough is run all the same."""
    with development(tmp_path) as running:
        address = running.shown.split()[4].rstrip(".")
        command = [sys.executable, str(CURL), "-s", f"{address}/admin/v1/health", "-H", "X-Any: thing"]
        health = subprocess.run(command, capture_output=True, text=True, check=True)
        assert json.loads(health.stdout) == {"data": {"status": "ok"}}
        command = [sys.executable, str(CURL), "-s", "-X", "POST", f"{address}/sdk/v1/players/a/register", "-d", "{}"]
        refused = subprocess.run(command, capture_output=True, text=True, check=True)
        assert json.loads(refused.stdout)["error"]["code"] == "api_key_missing"


def test_it_ends_in_order_with_its_terminal(tmp_path: Path) -> None:
    """Nobody has to look for a server that was forgotten."""
    with development(tmp_path, ending=signal.SIGHUP) as running:
        assert "API http://" in running.shown


def test_the_second_start_shows_the_same_keys(begun: Begun, tmp_path: Path) -> None:
    """They are kept in a file that nobody but its owner can read; the database itself holds none."""
    kept, keys = begun.copied_to(tmp_path), begun.keys
    assert len(keys) == 4
    assert stat.S_IMODE((begun.folder / kept.name).stat().st_mode) == 0o600
    assert [key for key in keys if key.encode() in (begun.folder / "livecore-dev.db").read_bytes()] == []
    with development(tmp_path) as second:
        assert second.keys == keys


def noted(folder: Path) -> list[str]:
    """What the trail of the directory says was done by commands."""
    with closing(SqliteStore(folder / "livecore-dev.db")) as store:
        entries = store.read(DIRECTORY, lambda tx: tx.scan(AUDIT_BY_TIME))
    return [entry.action for entry in entries if entry.via == "cli"]


@pytest.mark.parametrize("damage", ["", "{}", '{"test": {"client": "lc_test_client_x", "server": "y"}}'])
def test_keys_that_are_lost_are_made_anew(begun: Begun, tmp_path: Path, damage: str) -> None:
    """Where the file is gone or does not fit, the old keys end and the new ones work."""
    kept, keys = begun.copied_to(tmp_path), begun.keys
    if damage:
        kept.write_text(damage, "utf-8")
    else:
        kept.unlink()
    with development(tmp_path) as second:
        assert not set(second.keys) & set(keys)
        assert second.paste().stdout.count('"claimed"') == 1
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert (noted(tmp_path).count("keys.revoke"), noted(tmp_path).count("keys.create")) == (4, 4)


def test_development_keys_never_face_a_network(begun: Begun, tmp_path: Path, livecore: Command) -> None:
    """Neither `dev` nor `serve` listens on more than this machine with them, until they are revoked."""
    begun.copied_to(tmp_path)
    database = f"sqlite:///{tmp_path / 'livecore-dev.db'}"
    for command in ("dev", "serve"):
        ended = livecore(command, "--database", database, "--host", "0.0.0.0", "--port", 0)  # noqa: S104 - refused
        assert ended.status == 1
        assert "livecore: --host 0.0.0.0 is not a loopback address, and this database has development keys" in ended.err
    for row in livecore.done("keys", "list", "--database", database, "--json").json["keys"]:
        assert row["name"] == "development"
        livecore.done("keys", "revoke", "--database", database, row["keyId"])
    ended = livecore("serve", "--database", database, "--host", "203.0.113.1", "--port", 0)
    assert "cannot listen on 203.0.113.1" in ended.err


def test_dev_does_not_touch_a_database_that_is_not_its_own(tmp_path: Path, livecore: Command) -> None:
    """A production database must not be given keys that are printed at each start."""
    database = f"sqlite:///{tmp_path / 'game.db'}"
    make_game(database)
    ended = livecore("dev", "--database", database)
    assert (ended.status, "was not made by `livecore dev`" in ended.err) == (1, True)
    assert len(livecore.done("keys", "list", "--database", database, "--json").json["keys"]) == 4


def test_a_paused_receiver_is_told_with_the_command_that_sends_again(
    begun: Begun, tmp_path: Path, livecore: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody who develops a receiver has to find out why it is sent nothing: the terminal says it, fit to paste."""
    begun.copied_to(tmp_path)
    monkeypatch.chdir(tmp_path)
    place = ["--database", "sqlite:///livecore-dev.db"]

    async def scenario(running: Development) -> None:
        async with receiver(answering(410)) as hook:
            about = ["--environment", "test", "--url", hook.url.replace("127.0.0.1", "localhost"), "--json"]
            added = livecore.done("webhooks", "add", *place, *about).json
            await asyncio.to_thread(running.paste)
            told = await asyncio.to_thread(running.more.readline)
        assert told.startswith(f"endpoint {added['endpointId']} answered that it is gone (410) and was paused")
        command = shlex.split(told.partition(": livecore ")[2])
        assert command[:4] == ["webhooks", "unpause", *place]
        livecore.done(*command)
        (row,) = livecore.done("webhooks", "list", *place, "--json").json["endpoints"]
        assert row["status"] == "active"

    with development(tmp_path) as running:
        asyncio.run(scenario(running))


# -- the sign-in link


def ask(browser: Browser, path: str, **headers: str) -> Answer:
    """Load a page."""
    return asyncio.run(browser.get(path, **headers))


def test_the_link_signs_the_local_owner_in_once(begun: Begun, tmp_path: Path) -> None:
    """The terminal shows the next one; the browser goes to the portal and is an owner there."""
    begun.copied_to(tmp_path)
    with development(tmp_path) as running:
        browser, other = Browser(running.address), Browser(running.address)
        done = ask(browser, running.link)
        assert (done.status, done.location) == (303, "/portal/")
        shown = json.loads(ask(browser, "/admin/v1/session").text)["data"]
        assert (shown["member"]["email"], shown["studios"][0]["role"]) == ("owner@localhost", "OWNER")
        used = ask(other, running.link)
        assert (used.status, other.cookies) == (403, {})
        assert "The terminal in which <code>livecore dev</code> runs shows a new link after each use" in used.text
        following = running.more.readline().rpartition(" ")[2].strip()
        assert following.startswith(f"{running.address}/admin/v1/sign-in/link?token=")
        assert ask(other, following).status == 303
        assert running.link not in (tmp_path / "livecore-dev.db").read_bytes().decode("latin-1")


def test_the_bare_address_leads_to_the_portal(begun: Begun, tmp_path: Path) -> None:
    """From there one is sent to sign in; other methods and what lies below are no pages."""
    begun.copied_to(tmp_path)
    with development(tmp_path) as running:
        assert "these players are there under Demo, Test" in running.shown
        browser = Browser(running.address)
        bare = ask(browser, "/")
        assert (bare.status, bare.location) == (303, "/portal/")
        assert ask(browser, running.link).status == 303
        assert ask(browser, "/").location == "/portal/"
        assert ask(browser, "/players").status == 404
        posted = asyncio.run(browser.send("POST", "/"))
        assert (posted.status, posted.headers["Allow"]) == (405, "GET")


def test_without_the_link_nobody_gets_in(begun: Begun, tmp_path: Path) -> None:
    """Not by a wrong one, not through a proxy, and the page of signing in says where the link is. None uses it up."""
    begun.copied_to(tmp_path)
    with development(tmp_path) as running:
        browser = Browser(running.address)
        for path in ("/admin/v1/sign-in/link", "/admin/v1/sign-in/link?token=", running.link + "A", running.link[:-1]):
            assert ask(browser, path).status == 403
        for header in ("X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"):
            assert ask(browser, running.link, **{header: "127.0.0.1"}).status == 403
        page = ask(browser, "/admin/v1/sign-in")
        assert (page.status, "Use the link in the terminal" in page.text) == (403, True)
        assert browser.cookies == {}
        assert ask(browser, running.link).status == 303


def test_the_local_owner_is_made_once_and_keeps_another_role(begun: Begun, tmp_path: Path, livecore: Command) -> None:
    """Somebody who tries out roles is not put back by the next start; a database of an earlier release gets the owner."""
    begun.copied_to(tmp_path)
    database = ("--database", f"sqlite:///{tmp_path / 'livecore-dev.db'}")
    livecore.done("members", "add", *database, "--email", "second@localhost", "--role", "OWNER")
    livecore.done("members", "role", *database, "--email", "owner@localhost", "--role", "VIEWER")
    with development(tmp_path) as running:
        browser = Browser(running.address)
        ask(browser, running.link)
        assert json.loads(ask(browser, "/admin/v1/session").text)["data"]["studios"][0]["role"] == "VIEWER"
    livecore.done("members", "remove", *database, "--email", "owner@localhost")
    with development(tmp_path):
        rows = livecore.done("members", "list", *database, "--json").json["members"]
        assert {row["email"]: row["role"] for row in rows} == {"second@localhost": "OWNER", "owner@localhost": "OWNER"}
    # The first start, the second owner, and the start that made the local owner again.
    assert noted(tmp_path).count("members.invite") == 3
