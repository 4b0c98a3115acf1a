"""The generator of the synchronous clients rewrites what it should and nothing else."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from tests.scripts import script


@pytest.fixture(scope="module")
def unasync() -> ModuleType:
    """The generator, loaded from its script."""
    return script("unasync")


@pytest.mark.parametrize(
    ("source", "result"),
    [
        ("async def f(): await g()\n", "def f(): g()\n"),
        ("async with a as b, c: pass\n", "with a as b, c: pass\n"),
        ("x = [y async for y in z]\n", "x = [y for y in z]\n"),
        ("from a._async.b import AsyncThing\n", "from a._sync.b import Thing\n"),
        (
            "from livecore_client._async.namespaces.gifts import AsyncSdkGifts\n",
            "from livecore.surfaces.namespaces.gifts import SdkGifts\n",
        ),
        (
            "from livecore_client._async.caller import AsyncCaller\n",
            "from livecore_client._sync.caller import Caller\n",
        ),
        ("await client.aclose()\n", "client.close()\n"),
        ("async def __aenter__(self): ...\n", "def __enter__(self): ...\n"),
        ('__all__ = ["AsyncThing"]\n', '__all__ = ["Thing"]\n'),
        ('text = "await AsyncThing"\n', 'text = "await AsyncThing"\n'),
        ("asynchronous = Asynchronous = awaited = 1\n", "asynchronous = Asynchronous = awaited = 1\n"),
        ('"""Use `async with AsyncThing()`: asynchronous."""\n', '"""Use `with Thing()`: synchronous."""\n'),
        ("if a:\n    if b:\n        await c\nd\n", "if a:\n    if b:\n        c\nd\n"),
    ],
)
def test_code_is_rewritten_and_text_is_not(source: str, result: str, unasync: ModuleType) -> None:
    """By Python's own tokens: names, keywords, exports and docstrings, never the inside of other strings."""
    assert unasync.synchronous(source) == unasync.NOTE + result


def test_a_stale_a_missing_and_a_left_over_file_are_noticed(
    unasync: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each way of being out of date fails the check; writing repairs all three."""
    source, target, shared = tmp_path / "_async", tmp_path / "_sync", tmp_path / "surfaces"
    for folder in (source, target, shared):
        folder.mkdir()
    (source / "one.py").write_text("async def f() -> None: ...\n")
    (source / "two.py").write_text("A = 1\n")
    (target / "one.py").write_text("def g() -> None: ...\n")
    (target / "old.py").write_text("B = 1\n")
    (source / "resource.py").write_text("C = 1\n")
    (shared / "gone.py").write_text(unasync.NOTE + "D = 1\n")
    (shared / "by_hand.py").write_text("E = 1\n")
    places = {"PACKAGE": tmp_path, "SOURCE": source, "TARGET": target, "SHARED_TARGET": shared}
    for name, value in places.items():
        monkeypatch.setattr(unasync, name, value)
    assert unasync.main(["--check"]) == 1
    assert [line.split(" ")[0].rpartition("/")[2] for line in capsys.readouterr().out.splitlines()] == [
        "one.py",
        "two.py",
        "old.py",
        "resource.py",
        "gone.py",
    ]
    assert unasync.main([]) == 0
    assert unasync.main(["--check"]) == 0
    assert sorted(path.name for path in target.iterdir()) == ["one.py", "two.py"]
    assert sorted(path.name for path in shared.iterdir()) == ["by_hand.py", "resource.py"]
