"""Do what the pages tell a newcomer to do, word for word: a fresh clone, a fresh home, and nothing installed.

The first command is read out of the README and run until it serves; what it prints to paste is pasted into bash, and the
outcome is checked; the sign-in link is followed to the portal, and every link of the portal as well. Then each other line
with `pip install` in the README, the documentation and the examples is run in an environment of its own, and after it what
follows it on its page. `FOLLOWED` says what that is; a line that is not in it fails.

Only the standard library is imported here, so that whatever is missing is missing for the newcomer as well.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.cookiejar import CookieJar
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from urllib.error import HTTPError
from urllib.parse import urldefrag, urljoin

ROOT: Final = Path(__file__).resolve().parent.parent
INSTALL: Final = re.compile(r"pip[ \n]install[ \n]((?:'[^']*'|\"[^\"]*\"|[-.\w]+|[ \t])+)")
SECONDS: Final = 600.0
"""How long one step may take, on a slow machine with a slow package index."""
MOST_OF_A_KIND: Final = 3
"""How many pages of a kind are looked at: the demo game has many windows, and an operator has a rate limit."""
KEPT: Final = re.compile(r"(PIP|SSL|REQUESTS|HTTPS?|NO|ALL|https?|no|all)_.*|LANG|LC_.*|TERM|TMPDIR")
"""What a newcomer's machine has in its environment too: how it reaches the package index, and its language."""


class Newcomer:
    """A clone and a home of one's own."""

    def __init__(self, folder: Path) -> None:
        self.clone, self.home = folder / "clone", folder / "home"
        self.home.mkdir()
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(self.clone)], check=True)
        kept = {name: value for name, value in os.environ.items() if KEPT.fullmatch(name)}
        path = os.pathsep.join(part for part in os.environ["PATH"].split(os.pathsep) if not _has_environment(part))
        self.environment = {**kept, "HOME": str(self.home), "PATH": path, "LIVECORE_PORT": "0"}
        self.environment["LIVECORE_REQUEST_LOG"] = "off"

    def begin(self, command: str, environment: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
        """Start a command in the clone, as typed into bash."""
        return subprocess.Popen(
            ["bash", "-c", command],
            cwd=self.clone,
            env={**self.environment, **(environment or {})},
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def do(self, command: str, *, typed: str | None = None, environment: Mapping[str, str] | None = None) -> str:
        """Run a command in the clone to its end; returns what it prints. What it says on standard error is shown."""
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.clone,
            env={**self.environment, **(environment or {})},
            input=typed,
            stdout=subprocess.PIPE,
            text=True,
            check=False,
            timeout=SECONDS,
        )
        if done.returncode:
            raise SystemExit(f"`{command}` ended with {done.returncode}:\n{done.stdout}")
        return done.stdout


def _has_environment(folder: str) -> bool:
    """Whether a folder of the search path belongs to a virtual environment, which a newcomer does not have."""
    return (Path(folder).parent / "pyvenv.cfg").exists()


def page(name: str) -> str:
    """The text of a page."""
    return (ROOT / name).read_text("utf-8")


def blocks(name: str, language: str) -> list[str]:
    """The fenced blocks of a page that are in this language."""
    return re.findall(rf"^```{language}\n(.*?)^```", page(name), re.DOTALL | re.MULTILINE)


def first_command() -> str:
    """The command by which the README begins."""
    (line,) = re.findall(r"^\$ (.*livecore dev)$", page("README.md"), re.MULTILINE)
    return str(line)


# -- the first command


@contextmanager
def serving(newcomer: Newcomer) -> Iterator[str]:
    """The README's first command while it serves, with all that it has printed by then."""
    process = newcomer.begin(first_command())
    assert process.stdout is not None
    shown = ""
    try:
        for line in process.stdout:
            shown += line
            if line.startswith("API "):
                break
        else:
            raise SystemExit(f"the README's first command ended with {process.wait()} and never served:\n{shown}")
        yield shown
    finally:
        # The whole group, as a terminal does it for Ctrl+C.
        os.killpg(process.pid, signal.SIGINT)
        ended = process.wait(SECONDS)
    if ended not in {0, 130}:
        raise SystemExit(f"the README's first command ended with {ended} after Ctrl+C")


def pasted(newcomer: Newcomer, shown: str) -> None:
    """Paste what is shown into bash, and see the walkthrough come out as it says."""
    commands = re.findall(r"^---- paste.*?----\n(.*?)^---- to the line before ----$", shown, re.DOTALL | re.MULTILINE)
    assert len(commands) == 1, shown
    printed = newcomer.do("bash", typed=commands[0])
    answers: list[Any] = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    refused = [answer for answer in answers if "data" not in answer]
    assert not refused, refused
    (won,) = [grant for grant in answers[-1]["data"]["grants"] if grant["sourceKind"] == "event_rank"]
    assert won["entries"] == [{"type": "currency", "resourceKey": "gold", "amount": 100}]
    assert printed.count("event: score_update") == 2, printed
    print("what the first command prints can be pasted, and the first rank is paid")


def looked_at(shown: str) -> None:
    """Follow the sign-in link to the portal, and every link from there: each page is there."""
    (link,) = re.findall(r"http://\S+/sign-in/link\?token=\S+", shown)
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    seen: set[str] = set()
    kinds: Counter[str] = Counter()
    waiting = [str(link)]
    while waiting:
        address = waiting.pop(0)
        kind = re.sub(r"[a-z]{3}_\w{26}|-\d{10,}", "*", address.partition("?")[0])
        if address in seen or kinds[kind] == MOST_OF_A_KIND:
            continue
        seen.add(address)
        kinds[kind] += 1
        try:
            with browser.open(address, timeout=SECONDS) as answer:
                text, at = answer.read().decode("utf-8", "replace"), answer.url
        except HTTPError as error:
            raise SystemExit(f"{address} answers {error.code}") from None
        found = (urldefrag(urljoin(at, href.replace("&amp;", "&"))).url for href in re.findall(r'href="([^"]*)"', text))
        waiting += [each for each in found if "/portal/" in each and each.startswith(at.partition("/portal/")[0])]
    assert len(kinds) > 20, sorted(kinds)
    print(f"the sign-in link leads to the portal, and {len(seen) - 1} pages of {len(kinds) - 1} kinds are there")


# -- the lines with `pip install`

FROM_SERVER: Final = ("LIVECORE_BASE_URL", "LIVECORE_API_KEY", "LIVECORE_SERVER_KEY")
Then = Callable[[Newcomer, str, Mapping[str, str]], None]
"""What follows a line, done in the environment that the line has filled, whose `bin` is the second argument."""


def python(name: str, *which: int) -> Then:
    """The Python blocks of a page with these numbers, as one program."""

    def then(newcomer: Newcomer, commands: str, server: Mapping[str, str]) -> None:
        code, files = blocks(name, "python"), blocks(name, "json")
        for text in files[:1]:
            (newcomer.clone / "game.json").write_text(text, "utf-8")
        program = "\n".join(code[number] for number in which)
        newcomer.do(f"{commands}/python -", typed=program, environment=server)

    return then


def command(line: str) -> Then:
    """A command of the environment."""

    def then(newcomer: Newcomer, commands: str, server: Mapping[str, str]) -> None:
        found = newcomer.do(f"{commands}/{line}", environment={} if "walkthrough" in line else server)
        assert found.strip(), line

    return then


FOLLOWED: Final[Mapping[tuple[str, str], Then]] = {
    ("README.md", "-q -e ."): python("README.md", 0),
    ("README.md", "-q -e '.[client]'"): python("README.md", 1),
    ("README.md", "-q -e '.[server]'"): command(
        "livecore simulate examples/season/game.json --players 20 --days 3 --report season.html"
    ),
    ("README.md", "-q -e '.[client]' pytest"): command("pytest -q examples/game_tests"),
    ("README.md", "-q -e '.[server,client]'"): command("python -m examples.walkthrough"),
    ("docs/tutorial.md", "-q -e '.[server,client]'"): python("docs/tutorial.md", 0, 1, 2, 3),
    ("docs/how-to/install.md", "-e '.[client]'"): python("docs/how-to/use-the-client.md", 0),
    ("docs/how-to/use-the-client.md", "-e '.[client]'"): python("docs/how-to/use-the-client.md", 0),
    **dict.fromkeys(
        [
            ("docs/how-to/run-in-production.md", "'.[postgres]'"),
            ("docs/how-to/restart-without-downtime.md", "--upgrade '.[postgres]'"),
        ],
        # What follows there needs a PostgreSQL server or systemd; what it would begin with is tried.
        command("python -c 'import livecore_server.storage.postgres.executor as found; print(found.__name__)'"),
    ),
}
"""Each line with `pip install`, by page and arguments, and what follows it there."""
ELSEWHERE: Final = {
    ("docs/how-to/install.md", "build"): "the wheel, which `nox -s install` builds in the same way",
    ("docs/how-to/install.md", "'./livecore-0.1.0-py3-none-any.whl[client]'"): "the same session installs each extra",
    ("docs/index.md", "-q -e '.[server]'"): "the same command",
    ("docs/how-to/gate-a-configuration-in-ci.md", "'./livecore[server]'"): "in a workflow, beside a game of one's own",
    ("README.md", '-q -e ".[server]"'): "for PowerShell",
    ("README.md", "-q -e '.[dev,postgres]'"): "the test command, which the check of a change runs as it stands",
    ("CONTRIBUTING.md", "-q -e '.[dev,postgres]'"): "the same command",
    ("examples/deploy/containers/Dockerfile", "--no-cache-dir --require-hashes -r build.lock"): "needs Docker",
    ("examples/deploy/containers/Dockerfile", "--no-cache-dir --require-hashes -r server.lock"): "needs Docker",
    ("examples/deploy/containers/Dockerfile", "--no-cache-dir --no-deps --no-index dist"): "needs Docker",
}
"""Lines that are run in another place, or cannot be run here, each with the reason."""


def install_lines() -> set[tuple[str, str]]:
    """Every `pip install` of README, CONTRIBUTING, documentation and examples, by page and arguments."""
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    pages = [name for name in tracked if re.match(r"(README|CONTRIBUTING)\.md$|(docs|examples)/", name)]
    texts = {name: page(name) for name in pages if Path(name).suffix in {".md", ".py", ".toml", ".sh", ""}}
    return {
        (name, " ".join(words.split()))
        for name, text in texts.items()
        for words in INSTALL.findall(text.replace("\\\n", " "))
    }


def followed(newcomer: Newcomer, server: Mapping[str, str]) -> None:
    """Run each line, and then what follows it."""
    lines = install_lines()
    known = FOLLOWED.keys() | ELSEWHERE.keys()
    assert lines == known, f"not known here: {sorted(lines - known)}; on no page any more: {sorted(known - lines)}"
    environments: dict[str, str] = {}
    for (name, arguments), then in FOLLOWED.items():
        wanted = " ".join(sorted(word for word in shlex.split(arguments) if word not in {"-q", "-e", "--upgrade"}))
        if wanted not in environments:
            folder = newcomer.home / f"environment-{len(environments)}"
            newcomer.do(f"python3 -m venv {shlex.quote(str(folder))}")
            environments[wanted] = shlex.quote(str(folder / "bin"))
        newcomer.do(f"{environments[wanted]}/pip install {arguments}")
        then(newcomer, environments[wanted], server)
        print(f"{name}: `pip install {arguments}`, and what follows it")


def main() -> int:
    """Be a newcomer."""
    with TemporaryDirectory() as folder:
        newcomer = Newcomer(Path(folder).resolve())
        with serving(newcomer) as shown:
            pasted(newcomer, shown)
            looked_at(shown)
            exports = dict(re.findall(r"^export (\w+)=(.*)$", shown, re.MULTILINE))
            assert sorted(exports) == sorted(FROM_SERVER), exports
            followed(newcomer, exports)
    print("the first minutes are as the pages tell them")
    return 0


if __name__ == "__main__":
    sys.exit(main())
