"""The OpenAPI documents under a linter that somebody else wrote: Redocly, with its recommended rules and no exception.

It runs on Node.js, the machine's own or else one that comes as a Python wheel, and npm fetches it. What is fetched stays
in pytest's cache. Where there is nothing to fetch from, the test is skipped and says so; where `CI` is set it fails instead,
and `.ci/run` accepts no skip.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from pathlib import Path
from typing import Final, cast

import pytest

from livecore.kernel.errors import JsonObject
from tests.api.documents import SURFACES, of
from tests.npm import npm_package

LINTER: Final = "@redocly/cli@2.77.0"
QUIET: Final = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true", "NO_COLOR": "1"}
"""It would otherwise ask the network for a newer version, and report how it is used."""


@pytest.fixture
def linter(pytestconfig: pytest.Config, tmp_path: Path) -> tuple[str, ...]:
    """How the linter is called."""
    node, kept = npm_package(LINTER, pytestconfig, tmp_path)
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
