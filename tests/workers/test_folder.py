"""The folder that workers share: private, removed at the end, and by the next server if the end was no orderly one."""

from __future__ import annotations

import os
import shutil
import socket
import stat
import sys
import tempfile
from pathlib import Path

import pytest

from livecore.kernel.storage.notices import Notices
from livecore_server.workers.notice_sockets import WorkerNotices, make_room
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


def test_there_is_room_for_the_paths_of_sockets(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """On macOS such a path has 103 bytes at most, and nothing is in memory; the usual folder may have a long path."""
    long = tmp_path / ("x" * 80)
    long.mkdir()
    monkeypatch.setattr(sys, "platform", "darwin")
    for place in (str(long), "/tmp"):  # noqa: S108 - what is made there is removed
        monkeypatch.setattr(tempfile, "tempdir", place)
        with private_folder() as folder:
            path = WorkerNotices(folder.path, Notices())._path
            assert len(os.fsencode(path)) <= 103
            usual = "/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T"
            assert len(f"{usual}/{folder.path.name}/{path.name}") <= 103


def test_the_buffers_of_sockets_take_every_text() -> None:
    """On macOS they are smaller than a text at first; larger ones stay as they are."""
    with (
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as small,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as usual,
    ):
        sizes = (socket.SO_SNDBUF, socket.SO_RCVBUF)
        before = [usual.getsockopt(socket.SOL_SOCKET, size) for size in sizes]
        for size in sizes:
            small.setsockopt(socket.SOL_SOCKET, size, 2_048)
        make_room(small)
        make_room(usual)
        assert all(small.getsockopt(socket.SOL_SOCKET, size) >= 64_000 for size in sizes)
        assert [usual.getsockopt(socket.SOL_SOCKET, size) for size in sizes] == before
