"""Scratch files that a kill has left are removed by the next start of any server, and those in use stay."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.server.serving import make_game
from tests.workers.cluster import serve

_HOLDING = """
import sys
from pathlib import Path
from livecore_server.scratch_folders import scratch_folder
with scratch_folder("erasures") as one, scratch_folder("restore", Path(sys.argv[1])) as other:
    (one / "known").write_text("somebody")
    (other / "backup.db").write_text("somebody")
    print(one, other, sep="\\n", flush=True)
    sys.stdin.read()
"""


@contextmanager
def holding(beside: Path, temporary: Path) -> Iterator[tuple[list[Path], subprocess.Popen[str]]]:
    """A process that is in the middle of something, and its folders."""
    environment = {**os.environ, "TMPDIR": str(temporary)}
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDING, str(beside)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=environment,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        yield [Path(process.stdout.readline().rstrip()) for _ in range(2)], process
        process.kill()


@pytest.mark.parametrize("workers", [1, 2])
def test_any_start_removes_what_a_kill_left(tmp_path: Path, workers: int) -> None:
    """Among temporary files and beside the database: there copies of backups may be, with everybody in them."""
    url, temporary = f"sqlite:///{tmp_path / 'game.db'}", tmp_path / "temporary"
    temporary.mkdir()
    make_game(url)
    with ExitStack() as stack:
        killed, process = stack.enter_context(holding(tmp_path, temporary))
        in_use, _ = stack.enter_context(holding(tmp_path, temporary))
        process.kill()
        process.wait()
        assert all(path.is_dir() for path in (*killed, *in_use))
        command = ["--database", url, "--port", "0", "--workers", str(workers)]
        with serve(command, environment={"TMPDIR": str(temporary)}) as server:
            assert server.stderr is not None
            with server.stderr as lines:
                assert any("listening on" in line for line in lines)
                assert [path for path in killed if path.exists()] == []
                assert all(any(path.iterdir()) for path in in_use)
