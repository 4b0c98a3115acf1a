"""A page that is too large fails the build of the documentation."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.pages import ROOT
from tests.patience import PATIENCE_SECONDS

CONF = f"""
import sys
sys.path.insert(0, {str(ROOT / "docs" / "_extensions")!r})
extensions = ["myst_parser", "reading"]
html_theme = "basic"
"""


@pytest.mark.parametrize(("characters", "status"), [(250_000, 0), (310_000, 1)])
def test_a_page_of_more_than_300_kb_is_a_warning(tmp_path: Path, characters: int, status: int) -> None:
    """And a warning fails the build, as `nox -s docs` calls it."""
    (tmp_path / "conf.py").write_text(CONF, "utf-8")
    (tmp_path / "index.md").write_text(f"# Long\n\n{'word ' * (characters // 5)}\n", "utf-8")
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--quiet", str(tmp_path), str(tmp_path / "html")]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)
    assert ended.returncode == status, ended.stderr
    assert ("index.html has" in ended.stderr) is bool(status)
