"""The folder that workers share: private, removed at the end, and by the next server if the end was no orderly one."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path

from livecore_server.workers.shared_folder import private_folder


def test_it_is_for_our_eyes_only_and_gone_at_the_end(tmp_path: Path) -> None:
    """Rate counters and presence of players lie in it."""
    with private_folder(tmp_path) as folder:
        (folder.path / "something").write_text("here")
        assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_server_left_is_removed_and_what_is_in_use_is_not(tmp_path: Path) -> None:
    """The lock tells them apart, which lives exactly as long as somebody has the folder open."""
    with private_folder(tmp_path) as used:
        left = shutil.copytree(used.path, used.path.with_name(used.path.name + "-left"))
        with private_folder(tmp_path) as other:
            assert sorted(tmp_path.iterdir()) == sorted([used.path, other.path])
            assert not left.exists()
