"""The pictures in the documentation: the programs make them, and each that a page shows is there."""

from __future__ import annotations

import re
import struct
from pathlib import Path

from tests.examples.browser import require_browser
from tests.portal.pictures import FOLDER, PICTURES, take
from tests.simulation.pictures import REPORT_PICTURES
from tests.simulation.pictures import take as take_reports

DOCS = FOLDER.parent


def size_of(picture: Path) -> tuple[int, int]:
    """Width and height of a PNG file."""
    head = picture.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", head[16:24])
    return width, height


def test_the_program_makes_every_picture(tmp_path: Path) -> None:
    """Each as large as its window."""
    require_browser()
    take(tmp_path)
    assert {path.stem for path in tmp_path.iterdir()} == {picture.name for picture in PICTURES}
    for picture in PICTURES:
        assert size_of(tmp_path / f"{picture.name}.png") == (picture.width, picture.height)


def test_the_program_makes_every_picture_of_a_report(tmp_path: Path) -> None:
    """Each as large as its window."""
    require_browser()
    take_reports(tmp_path, players=8, days=3)
    assert {path.stem for path in tmp_path.iterdir()} == {picture.name for picture in REPORT_PICTURES}
    for picture in REPORT_PICTURES:
        assert size_of(tmp_path / f"{picture.name}.png") == (picture.width, picture.height)


def test_the_pages_show_the_pictures_that_there_are() -> None:
    """None is missing, and none is shown nowhere."""
    pages = [*DOCS.rglob("*.md"), DOCS.parent / "README.md"]
    shown = {name for page in pages for name in re.findall(r"pictures/([\w-]+)\.png", page.read_text("utf-8"))}
    assert (
        shown == {picture.name for picture in (*PICTURES, *REPORT_PICTURES)} == {path.stem for path in FOLDER.iterdir()}
    )
