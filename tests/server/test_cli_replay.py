"""`livecore simulate --record` and `livecore replay`, as somebody at a terminal and as a pipeline uses them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from livecore.demo import DEMO
from livecore.economy import grants
from livecore_server.operations import simulating
from tests.server.commands import Command

SMALL = ("--players", "8", "--days", "2")


@pytest.fixture
def game(tmp_path: Path) -> str:
    """The file of the demo game."""
    path = tmp_path / "game.json"
    path.write_text(DEMO, "utf-8")
    return str(path)


@pytest.fixture
def journal(livecore: Command, game: str, tmp_path: Path) -> Path:
    """A small journal."""
    path = tmp_path / "journal.jsonl"
    livecore.done("simulate", game, *SMALL, "--record", path)
    return path


def test_a_recorded_season_is_played_again(livecore: Command, journal: Path) -> None:
    commands = len(journal.read_text("utf-8").splitlines()) - 2
    assert livecore.done("replay", journal).out == f"{commands} commands, every answer as recorded\n"
    assert livecore.done("replay", journal, "--json", "-").json == {"commands": commands, "difference": None}


def test_a_journal_is_compressed_by_its_name_and_read_by_its_bytes(
    livecore: Command, game: str, journal: Path, tmp_path: Path
) -> None:
    compressed = tmp_path / "journal.gz"
    livecore.done("simulate", game, *SMALL, "--record", compressed)
    assert gzip.decompress(compressed.read_bytes()) == journal.read_bytes()
    first = compressed.read_bytes()
    livecore.done("simulate", game, *SMALL, "--record", compressed)
    assert compressed.read_bytes() == first
    renamed = compressed.rename(tmp_path / "renamed")
    assert "every answer as recorded" in livecore.done("replay", renamed).out


def test_recording_changes_no_byte_of_what_is_written(livecore: Command, game: str, tmp_path: Path) -> None:
    written = []
    for more in ((), ("--record", tmp_path / "journal")):
        pages = (tmp_path / "r.html", tmp_path / "r.json")
        said = livecore.done("simulate", game, *SMALL, "--report", pages[0], "--json", pages[1], *more).out
        written.append((said, *(page.read_bytes() for page in pages)))
    assert written[0] == written[1]


@pytest.mark.parametrize("least", [0, simulating.LEAST_SHARED], ids=["in processes", "in one process"])
def test_of_several_seasons_the_first_is_recorded(
    livecore: Command, game: str, journal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, least: int
) -> None:
    monkeypatch.setattr(simulating, "LEAST_SHARED", least)
    several = tmp_path / "several"
    livecore.done("simulate", game, *SMALL, "--replicas", "2", "--record", several)
    assert several.read_bytes() == journal.read_bytes()


def test_a_difference_ends_with_status_1_and_is_shown(
    livecore: Command, journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries_of = grants.entries_of
    monkeypatch.setattr(grants, "entries_of", lambda grant: entries_of(grant)[1:])
    found = journal.with_name("found.json")
    ended = livecore("replay", journal, "--json", found)
    assert ended.status == 1
    assert ended.out.startswith("The first difference:\nline ")
    assert "  data.grant.entries[0]: " in ended.out
    difference = json.loads(found.read_text("utf-8"))["difference"]
    assert (difference["operation"], difference["now"]["status"]) == ("server:grants.create", 201)
    assert difference["recorded"]["answer"]["data"]["grant"]["entries"]
    assert not difference["now"]["answer"]["data"]["grant"]["entries"]


def test_another_version_is_named(livecore: Command, journal: Path) -> None:
    lines = journal.read_bytes().splitlines(keepends=True)
    header = json.dumps({**json.loads(lines[0]), "version": "0.0.9"}).encode()
    journal.write_bytes(b"\n".join([header, *lines[1:]]).replace(b"\n\n", b"\n"))
    assert "Recorded by livecore 0.0.9, played by livecore " in livecore.done("replay", journal).out


def test_what_is_no_journal_ends_with_status_2(livecore: Command, journal: Path) -> None:
    """A faulty line, a compressed file that is cut off or damaged, and another file altogether."""
    written = journal.read_bytes()
    packed = gzip.compress(written)
    spoilt = {
        "line 2: it is not valid JSON": written[: written.index(b"\n") + 50],
        "the journal ends without its last line": b"".join(written.splitlines(keepends=True)[:-1]),
        "the compressed file is damaged or cut off": packed[: len(packed) // 2],
        "the compressed file is damaged or cut off: ": packed[:-8] + b"\0" * 8,
        "line 1: the compressed file is damaged": packed[:5],
        "line 1: the journal is empty": b"",
        "livecoreJournal: is missing: this is no journal of Livecore": DEMO.replace("\n", " ").encode(),
        "line 1: has more than": b" " * 9_000_000,
    }
    for message, data in spoilt.items():
        journal.write_bytes(data)
        ended = livecore("replay", journal)
        assert ended.status == 2, message
        assert message in ended.err
        assert "journal.jsonl: " in ended.err
        assert not ended.out


def test_a_wrong_call_ends_with_status_2(livecore: Command, game: str, tmp_path: Path) -> None:
    for words, message in (
        (("replay", tmp_path / "none"), "none"),
        (("replay", tmp_path), "is a directory"),
        (("replay",), "Missing argument"),
        (("simulate", game, "--record", game), "is what is played: give the journal a name of its own"),
        (("simulate", game, "--record", tmp_path / "no" / "journal"), "there is no folder"),
    ):
        ended = livecore(*words)
        assert ended.status == 2
        assert message in ended.err


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """The demo game with an entry that nobody can pay."""
    data = json.loads(DEMO)
    data["events"][0]["entryCost"][0]["amount"] = 100_000
    path = tmp_path / "other.json"
    path.write_text(json.dumps(data), "utf-8")
    return path


def test_another_configuration_is_compared(livecore: Command, journal: Path, other: Path) -> None:
    """In words and as JSON, which says the same of all; differences are no failure."""
    said = livecore.done("replay", journal, "--config", other).out
    found = livecore.done("replay", journal, "--config", other, "--json", "-").json
    starts = next(one for one in found["calls"] if one["operation"] == "sdk:events.start")
    assert starts["other"] == {"status": 409, "code": "insufficient_entry_cost"}
    assert f"  sdk:events.start: 201 → 409 insufficient_entry_cost, {starts['count']} times" in said
    assert f"{sum(one['count'] for one in found['calls'])} calls end otherwise:" in said
    gold = found["resources"]["currency:gold"]
    assert gold["difference"] == gold["other"] - gold["recorded"]
    assert gold["difference"] == sum(
        changed["currency:gold"]["difference"] for changed in found["players"].values() if "currency:gold" in changed
    )
    assert f"currency:gold: {gold['recorded']:,} → {gold['other']:,}" in said
    assert (found["commands"], found["notAsRecorded"]) == (
        livecore.done("replay", journal, "--json", "-").json["commands"],
        0,
    )


def test_the_same_configuration_changes_nothing(livecore: Command, game: str, journal: Path) -> None:
    assert "Nothing differs." in livecore.done("replay", journal, "--config", game).out


def test_another_configuration_that_is_not_valid_ends_with_status_2(livecore: Command, journal: Path) -> None:
    bad = journal.with_name("bad.json")
    bad.write_text('{"economyMode": "sideways"}', "utf-8")
    ended = livecore("replay", journal, "--config", bad)
    assert ended.status == 2
    assert "bad.json: economyMode: " in ended.err
    assert not ended.out
