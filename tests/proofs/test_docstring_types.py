"""The examples in docstrings have types that fit: mypy reads all of them at once, as strictly as the code itself.

A name that does not exist, such as a field of a pattern that is never matched, is found here without running into it.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.docstring_examples import EXAMPLES, ROOT

ALLOWED = ("--allow-untyped-defs", "--allow-incomplete-defs", "--disable-error-code=empty-body")
"""What an example may leave out for brevity: types of a test's fixtures, and the body of a function."""


def test_the_examples_have_types_that_fit(tmp_path: Path) -> None:
    """All of them, in one run."""
    for example in EXAMPLES:
        (tmp_path / f"{example.module}.py").write_text(example.source, "utf-8")
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), *ALLOWED, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
