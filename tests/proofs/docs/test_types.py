"""The programs of the pages are typed: an editor completes them, and `mypy --strict` accepts them as they stand."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.pages import PROGRAMS
from tests.patience import PATIENCE_SECONDS

_OTHERS: Final = ("docs/decisions/", "docs/architecture.md", "CONTRIBUTING.md")
"""Pages about the code itself."""
TYPED: Final = {page: program for page, program in PROGRAMS.items() if not page.startswith(_OTHERS)}


def test_every_page_passes_a_strict_type_checker(tmp_path: Path) -> None:
    """The tutorial, the how-tos, the README and the others that users read; a fault is named with its line in the page."""
    pages = {re.sub(r"\W", "_", page): page for page in TYPED}
    for name, page in pages.items():
        (tmp_path / f"{name}.py").write_text(TYPED[page], "utf-8")
    options = ("--strict", "--config-file=", "--explicit-package-bases", f"--cache-dir={tmp_path / 'cache'}")
    command = [sys.executable, "-m", "mypy", *options, *(f"{name}.py" for name in pages)]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)
    told = re.sub(r"^(\w+)\.py", lambda found: pages.get(found[1], found[0]), ended.stdout, flags=re.MULTILINE)
    assert (ended.returncode, ended.stderr) == (0, ""), told
