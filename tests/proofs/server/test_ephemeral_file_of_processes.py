"""The shared file of several workers: processes that count at once, and one that is killed while it counts."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from livecore.kernel.scope import Scope
from livecore.kernel.time import MINUTE
from livecore_server.ephemeral.file import EphemeralFile
from tests.ephemeral_states import KIND, Note
from tests.patience import PATIENCE_SECONDS

SCOPE = Scope("gam_shared", "test")
_WORKER = """
import sys
from pathlib import Path
from livecore.kernel.scope import Scope
from livecore_server.ephemeral.file import EphemeralFile
from tests.ephemeral_states import KIND, Note

ephemeral, limit = EphemeralFile(Path(sys.argv[1]), kinds=(KIND,)), int(sys.argv[2])
values, scope, allowed = ephemeral.values(KIND), Scope("gam_shared", "test"), 0
for at in range(limit):
    allowed += ephemeral.hit("n", limit, 60_000, 1).allowed
    values.put(scope, sys.argv[3], Note(at, None))
    print(allowed, flush=True)
"""


def worker(path: Path, limit: int, name: str) -> subprocess.Popen[str]:
    """A process that counts `limit` times and tells each time how often it was allowed to."""
    command = [sys.executable, "-c", _WORKER, str(path), str(limit), name]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_processes_that_count_at_once_lose_no_hit(tmp_path: Path) -> None:
    """Each wants the whole limit for itself; together they get it, and each has heard of all values."""
    path, limit = tmp_path / "shared.db", 400
    workers = [worker(path, limit, name) for name in ("a", "b", "c")]
    allowed = [int(each.communicate(timeout=PATIENCE_SECONDS)[0].split()[-1]) for each in workers]
    assert [each.returncode for each in workers] == [0, 0, 0]
    assert sum(allowed) == limit
    with closing(EphemeralFile(path, kinds=(KIND,))) as ephemeral:
        assert [ephemeral.values(KIND).get(SCOPE, name) for name in "abc"] == [Note(limit - 1, None)] * 3


@pytest.mark.parametrize("after", [1, 7, 40])
def test_what_a_killed_process_has_counted_remains(tmp_path: Path, after: int) -> None:
    """It is killed while it counts: every hit that it was answered stands, and at most the one under way besides."""
    path, limit = tmp_path / "shared.db", 100_000
    counting = worker(path, limit, "a")
    assert counting.stdout is not None
    told = [counting.stdout.readline() for _ in range(after)]
    counting.send_signal(signal.SIGKILL)
    told += counting.stdout.readlines()
    counting.communicate(timeout=PATIENCE_SECONDS)
    answered = int(told[-1])
    with closing(EphemeralFile(path, kinds=(KIND,))) as ephemeral:
        used = limit - ephemeral.hit("n", limit, MINUTE, 1).remaining - 1
        assert counting.returncode == -signal.SIGKILL
        # Killed between a count and the line that tells of it.
        assert used in (answered, answered + 1)
        noted = ephemeral.values(KIND).get(SCOPE, "a")
        assert noted is not None
        assert noted.at in (used - 1, used - 2)
