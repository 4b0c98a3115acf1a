"""The law: a recorded season that is played again gives every answer, and what changed a rule is found where it shows."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from livecore.api.operations import OPERATIONS
from livecore.demo import DEMO
from livecore.economy import grants
from livecore.economy.rows import RewardEntry
from livecore.journal.lines import LONGEST_LINE, MOST_DAYS, Recorder
from livecore.journal.reading import JournalFault, read_journal
from livecore.journal.reproducing import answered, reproduce
from livecore.kernel.time import DAY
from livecore.simulation.run import header_of, run
from livecore.world import Playback, World
from tests.simulation.journals import busy, plan, recorded
from tests.simulation.test_season import asked_for


@pytest.mark.parametrize("seed", range(3))
def test_a_season_played_again_gives_every_answer(seed: int) -> None:
    lines = recorded(plan(seed))
    outcome = reproduce(read_journal(lines))
    assert outcome.difference is None
    assert outcome.commands == len(lines) - 2 > 100


@pytest.mark.parametrize("seed", [3, 4])
def test_a_season_in_which_everybody_does_everything_gives_every_answer(seed: int) -> None:
    """With lobbies, teams, guilds, crates, boards and the refusals of griefers."""
    lines = busy(seed)
    journal = read_journal(lines)
    operations = {json.loads(line)["operation"].partition(":")[2] for line in lines[1:-1]}
    assert len(asked_for() & operations) > 40
    outcome = reproduce(journal)
    assert outcome.difference is None, outcome.difference.lines()
    assert outcome.commands == len(lines) - 2 > 500
    assert journal.ends_at.wire == "2026-01-03T00:00:00.000Z"


def test_recording_changes_nothing_and_is_the_same_each_time() -> None:
    """What the observer counts is the same as without, and so are two journals of a seed."""
    made = plan(5)
    journals: list[list[bytes]] = [[], []]
    seen = [run(made, on_command=Recorder(lines.append, header_of(made)).command) for lines in journals]
    assert seen[0] == seen[1] == run(made)
    assert journals[0] == journals[1]
    assert journals[0] != list(recorded(plan(6))[:-1])


def test_a_changed_rule_is_found_at_the_first_command_that_shows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Grants of twice as much: the first grant is the first difference, whatever follows from it later."""
    lines = recorded(plan(1))
    shows = [number for number, line in enumerate(lines, 1) if b'"grantId"' in line]
    entries_of = grants.entries_of

    def twice(grant: grants.Grant) -> tuple[RewardEntry, ...]:
        return tuple(
            RewardEntry(type=entry.type, resource_key=entry.resource_key, amount=2 * entry.amount)
            for entry in entries_of(grant)
        )

    monkeypatch.setattr(grants, "entries_of", twice)
    outcome = reproduce(read_journal(lines))
    assert outcome.difference is not None
    assert outcome.difference.recorded.line == shows[0] == outcome.commands + 1
    [first, *differences] = outcome.difference.lines()
    player = json.loads(lines[shows[0] - 1])["places"]["externalId"]
    assert first.endswith(f": server:grants.create by the backend about {player}")
    assert differences == ["  data.grant.entries[0].amount: 10 → 20"]


# -- what is no journal ---------------------------------------------------------------------------------------------------


def line_with(line: bytes, **members: object) -> bytes:
    """A line with other members; `...` leaves one out."""
    data = {**json.loads(line), **members}
    return json.dumps({name: member for name, member in data.items() if member is not ...}).encode()


HEADERS: list[tuple[str, Any, str]] = [
    ("livecoreJournal", ..., "line 1: livecoreJournal: is missing: this is no journal of Livecore"),
    ("livecoreJournal", 2, "line 1: livecoreJournal: is 2, and this version of Livecore reads 1"),
    ("livecoreJournal", True, "line 1: livecoreJournal: is True, and"),
    ("livecoreJournal", "1", "line 1: livecoreJournal: is '1', and"),
    ("version", 1, "line 1: version: must be a string"),
    ("seed", "1", "line 1: seed: a world's seed must be a whole number"),
    ("seed", 2**300, "line 1: it holds an integer of more than 40 digits"),
    ("start", "now", "line 1: start: must be an ISO 8601 timestamp"),
    ("start", 5, "line 1: start: must be a timestamp"),
    ("flushSeconds", 61, "line 1: flushSeconds: must be a number from 0 to 60"),
    ("flushSeconds", True, "line 1: flushSeconds: must be a number from 0 to 60"),
    ("environment", "prod", "line 1: environment: must be test or live"),
    ("environment", [], "line 1: environment: must be test or live"),
    ("populationDigest", 1, "line 1: populationDigest: must be a string or null"),
    ("config", [], "line 1: config: must be an object"),
    ("config", {"economyMode": "sideways"}, "line 1: config.economyMode: "),
    ("config", ..., "line 1: config: is missing"),
    ("password", 1, "line 1: password: does not belong in this line"),
]
COMMANDS: list[tuple[str, Any, str]] = [
    ("at", ..., "line 2: at: is missing"),
    ("at", "2025-12-31T00:00:00Z", "line 2: at: must not be before 2026-01-01T"),
    ("at", "9999-01-01T00:00:00Z", f"line 2: at: must be at most {MOST_DAYS} days after the start"),
    ("seed", "xyz", "line 2: seed: must be at most 64 hexadecimal digits"),
    ("seed", "ab" * 33, "line 2: seed: must be at most 64 hexadecimal digits"),
    ("seed", "abc", "line 2: seed: must be at most 64 hexadecimal digits"),
    ("passed", [1], "line 2: passed: must be a list of timestamps"),
    ("passed", "2026-01-01T00:00:00Z", "line 2: passed: must be a list of timestamps"),
    ("passed", ["2025-12-31T00:00:00Z"], "line 2: passed: must not be before 2026-01-01T00:00:00.000Z"),
    ("passed", ["2027-01-01T00:00:00Z"], "line 2: at: must not be before 2027-01-01T00:00:00.000Z"),
    ("operation", None, "line 2: operation: must be a string"),
    ("environment", None, "line 2: environment: must be a string"),
    ("places", {"externalId": 1}, "line 2: places: must be an object with strings"),
    ("query", [], "line 2: query: must be an object with strings"),
    ("headers", "x", "line 2: headers: must be an object with strings"),
    ("member", 1, "line 2: member: must be a string or null"),
    ("proves", "yes", "line 2: proves: must be true or false"),
    ("status", "200", "line 2: status: must be a status of HTTP"),
    ("status", 99, "line 2: status: must be a status of HTTP"),
    ("answer", ..., "line 2: answer: is missing"),
    ("entropy", "", "line 2: entropy: does not belong in this line"),
]


@pytest.mark.parametrize(("member", "value", "message"), HEADERS)
def test_a_header_that_is_wrong_is_refused_by_its_member(member: str, value: Any, message: str) -> None:  # noqa: ANN401 - JSON
    header, *rest = recorded(plan())
    with pytest.raises(JournalFault) as fault:
        read_journal([line_with(header, **{member: value}), *rest])
    assert str(fault.value).startswith(message)


@pytest.mark.parametrize(("member", "value", "message"), COMMANDS)
def test_a_command_that_is_wrong_is_refused_by_its_member(member: str, value: Any, message: str) -> None:  # noqa: ANN401 - JSON
    header, command, *rest = recorded(plan())
    with pytest.raises(JournalFault) as fault:
        reproduce(read_journal([header, line_with(command, **{member: value}), *rest]))
    assert str(fault.value).startswith(message)


SPOILT: list[tuple[Callable[[list[bytes]], list[bytes]], str]] = [
    (lambda _: [], "line 1: the journal is empty"),
    (lambda _: [b"\n"], "line 1: it is not valid JSON"),
    (lambda lines: lines[:1], "line 2: the journal ends without its last line"),
    (lambda lines: lines[:4], "line 5: the journal ends without its last line"),
    (lambda lines: [*lines[:3], lines[3][:50], *lines[4:]], "line 4: it is not valid JSON"),
    (lambda lines: [lines[0], b"[" * 99 + b"]" * 99], "line 2: it nests deeper"),
    (lambda lines: [lines[0], b"[" * 100_000], "line 2: it is not valid JSON"),
    (lambda lines: [lines[0], b"[]"], "line 2: must be an object"),
    (lambda lines: [lines[0], b'{"at": 1, "at": 2}'], "line 2: it names the same member"),
    (lambda lines: [lines[0], b"\xff"], "line 2: it is not UTF-8"),
    (lambda lines: [lines[0], b"[" + b"1," * 600_000 + b"1]"], "line 2: it holds more than 500000 values"),
    (lambda lines: [lines[0], b" " * (LONGEST_LINE + 1)], f"line 2: has more than {LONGEST_LINE} bytes"),
    (lambda lines: [*lines[:-2], lines[-1]], "end.commands: is "),
    (lambda lines: [*lines, lines[-1]], "nothing may follow the end of a journal"),
    (lambda lines: [lines[0], lines[-2], lines[1]], "line 3: passed: must not be before"),
    (lambda lines: [lines[0], b'{"end": {"at": "2026-01-01T00:00:00Z"}}'], "line 2: end.commands: is missing"),
    (lambda lines: [lines[0], b'{"end": 1}'], "line 2: end: must be an object"),
    (
        lambda lines: [lines[0], b'{"end": {"at": "2025-01-01T00:00:00Z", "commands": 0}}'],
        "line 2: end.at: must not be before",
    ),
]


@pytest.mark.parametrize(("spoil", "message"), SPOILT, ids=[message for _, message in SPOILT])
def test_a_journal_that_is_spoilt_is_refused_by_its_line(
    spoil: Callable[[list[bytes]], list[bytes]], message: str
) -> None:
    with pytest.raises(JournalFault) as fault:
        list(read_journal(spoil(list(recorded(plan())))).commands())
    assert message in str(fault.value)


def test_an_operation_that_this_version_does_not_have_is_the_first_difference() -> None:
    """A journal of a version that had it is no wrong journal."""
    header, command, *rest = recorded(plan())
    outcome = reproduce(read_journal([header, line_with(command, operation="sdk:players.dance"), *rest]))
    assert outcome.difference is not None
    assert outcome.difference.status == 0
    assert "there is no operation 'sdk:players.dance' to play" in "\n".join(outcome.difference.lines())


def test_a_journal_may_cover_years() -> None:
    """As many days as a season may have."""
    assert MOST_DAYS * DAY > 3_650 * DAY


def test_whatever_a_command_names_the_replay_has_an_answer() -> None:
    """Every operation, with places, members and environments that there are not: a difference, and no exception."""
    header, command, *_ = recorded(plan())
    playback = Playback(World(DEMO, environment="live"))
    at, seed = (json.loads(command)[name] for name in ("at", "seed"))
    for operation in OPERATIONS:
        for more in (
            {},
            {"environment": "nowhere", "member": "nobody", "headers": {"idempotency-key": "\n", "": "x"}},
            {"places": {"externalId": "", "gameId": "../..", "{}": "?"}, "query": {"limit": "x"}, "arguments": [1]},
            {"member": "ann@example.com", "proves": True, "arguments": {"a": {"b": None}}},
        ):
            asked = {"at": at, "seed": seed, "operation": operation.id, "environment": "live", "status": 299}
            line = json.dumps({**asked, "answer": None, **more}).encode()
            end = json.dumps({"end": {"at": at, "commands": 1}}).encode()
            journal = read_journal([header, line, end])
            for entry in journal.commands():
                assert answered(playback, entry)[0] not in range(500, 600), line
