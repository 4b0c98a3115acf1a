"""What is preloaded into a server under test: small C libraries, compiled when they are wanted."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE_SECONDS


def compiled(source: Path, folder: Path) -> Path:
    """The library of a source file. Without a compiler there is none, which only a developer's machine may lack."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not sys.platform.startswith("linux") or compiler is None:
        assert "CI" not in os.environ, "what happens between a server and its disk must be tested: install a C compiler"
        pytest.skip("standing between a server and its disk takes Linux and a C compiler (cc or gcc)")
    library = folder / source.with_suffix(".so").name
    command = [compiler, "-shared", "-fPIC", "-O1", "-Wall", "-Werror", str(source), "-o", str(library), "-ldl"]
    subprocess.run(command, check=True, timeout=PATIENCE_SECONDS)
    return library
