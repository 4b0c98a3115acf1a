"""Generated files are current, as `nox -s generated` finds as well."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.scripts import SCRIPTS as FOLDER

SCRIPTS = ["client.py", "client_errors.py", "reference.py", "server_reference.py", "unasync.py"]


@pytest.mark.parametrize("name", SCRIPTS)
def test_what_the_script_writes_is_current(name: str) -> None:
    """Editing one flavour and forgetting the other fails here and says what to run."""
    done = subprocess.run([sys.executable, str(FOLDER / name), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
