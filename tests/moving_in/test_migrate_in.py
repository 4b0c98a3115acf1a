"""`livecore migrate-in`: files of either kind, what fails, going on after an interruption, and rehearsing."""

from __future__ import annotations

import csv
import json
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from livecore.api.operations import OPERATIONS
from livecore.economy.ledger import HOLDINGS
from livecore.kernel.errors import Overloaded
from livecore.kernel.units.unit import Unit
from livecore.player_tools.migration_rows import MigrationOutcome
from livecore.players.player import PLAYERS
from livecore_server.cli.scopes import GameScopes
from livecore_server.operations.migrate_in import Progress, Tally, held, move_in, read_lines
from livecore_server.storage.database import open_store
from tests.postgres.server import ready_database
from tests.server.commands import Command
from tests.worlds import config


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path, livecore: Command) -> Iterator[str]:
    """A database with one game."""
    if request.param == "sqlite":
        yield _init(livecore, tmp_path, f"sqlite:///{tmp_path / 'game.db'}")
        return
    with ready_database() as url:
        yield _init(livecore, tmp_path, url)


@pytest.fixture
def file_database(tmp_path: Path, livecore: Command) -> str:
    """A database file with one game."""
    return _init(livecore, tmp_path, f"sqlite:///{tmp_path / 'game.db'}")


def _init(livecore: Command, folder: Path, url: str) -> str:
    game = folder / "game.json"
    game.write_text(json.dumps({"name": "Demo", **config()}))
    livecore.done("init", "--database", url, "--config", str(game), "--json")
    return url


def _jsonl(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def _gold(at: int, **changes: object) -> dict[str, Any]:
    return {"idempotencyKey": f"m{at}", "externalPlayerId": f"p{at % 7}", "economyKey": "gold", "amount": 1, **changes}


def _options(database: str, kind: str, *more: str) -> list[str]:
    return ["--database", database, "--environment", "test", "--kind", kind, *more]


def _rows(database: str) -> dict[str, list[Any]]:
    with closing(open_store(database)) as store:
        return {
            name: rows for scope, tables in store.dump().items() if "/test" in scope for name, rows in tables.items()
        }


def _failures(file: Path) -> list[dict[str, Any]]:
    path = file.with_name(file.name + ".failures.jsonl")
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_a_file_of_json_lines_moves_in(livecore: Command, database: str, tmp_path: Path) -> None:
    """More rows than one transaction takes; afterwards nothing is left beside the file, and the database is sound."""
    file = _jsonl(tmp_path / "gold.jsonl", [_gold(at) for at in range(1_201)])
    done = livecore.done("migrate-in", str(file), *_options(database, "wallet", "--json"))
    assert done.json == {"received": 1201, "applied": 1201, "replayed": 0, "failed": 0, "codes": {}}
    rows = _rows(database)
    assert len(rows[PLAYERS.name]) == 7
    assert sum(holding.amount for holding in rows[HOLDINGS.name]) == 1201
    assert not list(tmp_path.glob("gold.jsonl.*"))
    assert livecore.done("check", "--database", database, "--json").json["sound"]


def test_a_file_of_commas_moves_in(livecore: Command, file_database: str, tmp_path: Path) -> None:
    """Quoted cells, empty ones that are left out, numbers, and JSON where the field is an object."""
    file = tmp_path / "players.csv"
    with file.open("w", newline="", encoding="utf-8-sig") as opened:
        writer = csv.writer(opened)
        writer.writerow(["externalPlayerId", "name", "avatar", "country", "playerContext"])
        writer.writerow(["anna", 'Anna, "the fox"', "", "SE", '{"level": 7}'])
        writer.writerow(["bert", "Bert\u00e9", "b", "", ""])
    livecore.done("migrate-in", str(file), *_options(file_database, "players", "--key-prefix", "move-1"))
    anna, bert = sorted(_rows(file_database)[PLAYERS.name], key=lambda row: str(row.external_id))
    assert (anna.name, anna.avatar, anna.country_override, anna.context) == (
        'Anna, "the fox"',
        None,
        "SE",
        '{"level":7}',
    )
    assert (bert.name, bert.avatar, bert.country_override, bert.context) == ("Bert\u00e9", "b", None, None)


def test_a_cell_may_have_several_lines(livecore: Command, file_database: str, tmp_path: Path) -> None:
    """A row may go on in the next line of the file: JSON in a cell may, and a name may not, which fails alone."""
    file = tmp_path / "players.csv"
    with file.open("w", newline="", encoding="utf-8") as opened:
        writer = csv.writer(opened)
        writer.writerow(["externalPlayerId", "name", "playerContext"])
        writer.writerow(["anna", "An\nna", ""])
        writer.writerow(["bert", "Bert", '{\n\t"note": "a\\nb"\r\n}'])
        writer.writerow(["cleo", "\u200b", ""])
    ended = livecore("migrate-in", str(file), *_options(file_database, "players", "--key-prefix", "move-1", "--json"))
    assert ended.json == {
        "received": 3, "applied": 1, "replayed": 0, "failed": 2, "codes": {"validation_failed": 2},
    }  # fmt: skip
    assert [row["line"] for row in _failures(file)] == [2, 7]
    (bert,) = _rows(file_database)[PLAYERS.name]
    assert (bert.name, bert.context) == ("Bert", '{"note":"a\\nb"}')


def test_a_row_of_commas_that_is_none_is_told_with_its_text(
    livecore: Command, file_database: str, tmp_path: Path
) -> None:
    """By the line where it begins, the first line and empty ones counted; keys go by the place among the rows."""
    file = tmp_path / "gold.csv"
    file.write_bytes(
        b'\xef\xbb\xbfexternalPlayerId,economyKey,amount\r\n\r\nann,gold,1\r\n"bert\n",gold\r\n\r\ncleo,nope,1\r\ndora,gold,2'
    )
    ended = livecore("migrate-in", str(file), *_options(file_database, "wallet", "--key-prefix", "k", "--json"))
    assert (ended.json["received"], ended.json["failed"]) == (4, 2)
    told = _failures(file)
    assert [(row["line"], row["code"]) for row in told] == [(4, "malformed_row"), (7, "economy_key_not_found")]
    assert told[0]["row"] == '"bert\n",gold'
    assert told[1]["row"]["idempotencyKey"] == "k:3"


def test_rows_that_fail_are_written_down_and_the_others_apply(
    livecore: Command, file_database: str, tmp_path: Path
) -> None:
    """With line, code, message, details and the row; the exit status says that there are some."""
    file = tmp_path / "gold.jsonl"
    lines = [
        json.dumps(_gold(1)),
        "{",
        "",
        "[1]",
        json.dumps(_gold(2, economyKey="nope")),
        '{"a": NaN}',
        json.dumps(_gold(3)),
    ]
    file.write_text("\n".join(lines))
    ended = livecore("migrate-in", str(file), *_options(file_database, "wallet", "--json"))
    assert ended.status == 1
    assert ended.json == {
        "received": 6, "applied": 2, "replayed": 0, "failed": 4,
        "codes": {"economy_key_not_found": 1, "malformed_row": 3},
    }  # fmt: skip
    told = _failures(file)
    assert [(row["line"], row["code"]) for row in told] == [
        (2, "malformed_row"), (4, "malformed_row"), (5, "economy_key_not_found"), (6, "malformed_row"),
    ]  # fmt: skip
    assert [row["row"] for row in told] == ["{", "[1]", _gold(2, economyKey="nope"), '{"a": NaN}']


def test_the_same_file_again_is_harmless(livecore: Command, file_database: str, tmp_path: Path) -> None:
    """Every row has been before."""
    file = _jsonl(tmp_path / "gold.jsonl", [_gold(at) for at in range(20)])
    arguments = ["migrate-in", str(file), *_options(file_database, "wallet", "--json")]
    livecore.done(*arguments)
    assert livecore.done(*arguments).json["replayed"] == 20
    assert sum(holding.amount for holding in _rows(file_database)[HOLDINGS.name]) == 20


class _Interrupted(Exception):
    """The machine went away."""


@pytest.mark.parametrize("lost", ["before", "after"])
def test_an_interrupted_run_goes_on_where_it_was(file_database: str, tmp_path: Path, lost: str) -> None:
    """Whether it ended before or after its last transaction: each row counts once, each failure is told once."""
    rows = [_gold(at, **({"economyKey": "nope"} if at % 100 == 0 else {})) for at in range(1_800)]
    file = _jsonl(tmp_path / "gold.jsonl", rows)
    failures = tmp_path / "failures"
    with closing(open_store(file_database)) as store:
        scopes = GameScopes.find(store, None, "test")

        def run(transactions: int) -> Tally:
            left = iter(range(transactions))

            def apply(work: Callable[[Unit], MigrationOutcome]) -> MigrationOutcome:
                ends = next(left, None) is None
                if ends and lost == "before":
                    raise _Interrupted
                outcome = scopes.write(scopes.scopes[0], work)
                if ends:
                    raise _Interrupted
                return outcome

            return move_in(read_lines(file), "wallet", apply, Progress.of(file, failures, "here", "wallet"))

        for transactions in (1, 0, 1):
            with pytest.raises(_Interrupted):
                run(transactions)
        tally = run(100)
    assert (tally.received, tally.applied + tally.replayed, tally.failed) == (1800, 1782, 18)
    # Two transactions of 100 rows, one of them bad, were sent again.
    assert tally.replayed == (0 if lost == "before" else 2 * 99)
    assert len(failures.read_text().splitlines()) == 18
    assert sum(holding.amount for holding in _rows(file_database)[HOLDINGS.name]) == 1782


def test_a_file_that_changed_is_not_gone_on_with(livecore: Command, file_database: str, tmp_path: Path) -> None:
    """Unless one says so: rows would be skipped that nobody has sent."""
    file = _jsonl(tmp_path / "gold.jsonl", [_gold(at) for at in range(600)])

    def full(_: Callable[[Unit], MigrationOutcome]) -> MigrationOutcome:
        raise Overloaded

    note = Progress.of(file, tmp_path / "failures", "here", "wallet")
    with note.failing() as failures:
        note.note(failures)
    with pytest.raises(Overloaded):
        move_in(read_lines(file), "wallet", full, Progress.of(file, tmp_path / "failures", "here", "wallet"))
    _jsonl(file, [_gold(1)])
    ended = livecore("migrate-in", str(file), *_options(file_database, "wallet"))
    assert ended.status == 1
    assert "--restart" in ended.err
    livecore.done("migrate-in", str(file), *_options(file_database, "wallet", "--restart"))


def test_nothing_is_written_over(livecore: Command, file_database: str, tmp_path: Path) -> None:
    """Not the rows by the rows that fail, and not what another run or a rehearsal has written down."""
    file = _jsonl(tmp_path / "gold.jsonl", [_gold(1), _gold(2, economyKey="nope")])
    options = _options(file_database, "wallet")
    whole = file.read_bytes()
    ended = livecore("migrate-in", str(file), *options, "--failures", str(tmp_path / "." / "gold.jsonl"))
    assert (ended.status, file.read_bytes()) == (2, whole)
    assert "a file of their own" in ended.err
    failures = tmp_path / "gold.jsonl.failures.jsonl"
    failures.write_text("what failed before\n")
    for more in ([], ["--rehearse"]):
        ended = livecore("migrate-in", str(file), *options, "--failures", str(failures), *more)
        assert (ended.status, failures.read_text()) == (1, "what failed before\n")
        assert f"{failures} is there already" in ended.err
    assert PLAYERS.name not in _rows(file_database)
    for number in (2, 3):
        ended = livecore("migrate-in", str(file), *options)
        assert ended.status == 1
        assert f"failures-{number}.jsonl" in ended.out
    assert failures.read_text() == "what failed before\n"


def test_rows_that_fail_are_for_the_owner_alone(livecore: Command, file_database: str, tmp_path: Path) -> None:
    """And are not written through a link that somebody else has put there."""
    file = _jsonl(tmp_path / "gold.jsonl", [_gold(2, economyKey="nope")])
    options = _options(file_database, "wallet")
    failures, elsewhere = tmp_path / "gold.jsonl.failures.jsonl", tmp_path / "elsewhere"
    assert livecore("migrate-in", str(file), *options).status == 1
    assert stat.S_IMODE(failures.stat().st_mode) == 0o600
    link = tmp_path / "link"
    link.symlink_to(elsewhere)
    ended = livecore("migrate-in", str(file), *options, "--failures", str(link))
    assert (ended.status, elsewhere.exists()) == (1, False)
    assert "is there already" in ended.err


def test_an_unfinished_run_goes_on_with_its_own_failures_only(
    livecore: Command, file_database: str, tmp_path: Path
) -> None:
    """Whatever has come into their place since is left alone, and another name is refused."""
    file = _jsonl(tmp_path / "gold.jsonl", [_gold(at) for at in range(3)])
    with closing(open_store(file_database)) as store:
        target = f"{GameScopes.find(store, None, 'test').game.game_id}/test"
    note, failures = tmp_path / "gold.jsonl.progress", tmp_path / "gold.jsonl.failures.jsonl"
    with Progress.of(file, None, target, "wallet").failing():
        assert (note.exists(), failures.exists()) == (True, True)
        assert stat.S_IMODE(note.stat().st_mode) == 0o600
    options = _options(file_database, "wallet")
    ended = livecore("migrate-in", str(file), *options, "--failures", str(tmp_path / "other.jsonl"))
    assert (ended.status, f"writes the rows that fail to {failures}" in ended.err) == (1, True)
    failures.unlink()
    (tmp_path / "elsewhere").write_text("somebody else's")
    failures.symlink_to(tmp_path / "elsewhere")
    assert livecore("migrate-in", str(file), *options).status == 1
    assert (tmp_path / "elsewhere").read_text() == "somebody else's"
    failures.unlink()
    livecore.done("migrate-in", str(file), *options)
    assert not list(tmp_path.glob("gold.jsonl.*"))


@pytest.mark.parametrize("note", [b"", b"{}", b"[]", b"\xff", b'{"identity": "x", "tally": {"codes": 1}}'])
def test_a_note_that_is_none_is_told_in_a_line(
    note: bytes, livecore: Command, file_database: str, tmp_path: Path
) -> None:
    """Whatever lies there under its name; beginning again writes over it."""
    file = _jsonl(tmp_path / "gold.jsonl", [_gold(at) for at in range(3)])
    (tmp_path / "gold.jsonl.progress").write_bytes(note)
    options = _options(file_database, "wallet")
    ended = livecore("migrate-in", str(file), *options)
    assert ended.status == 1
    assert "is no note of a run" in ended.err
    livecore.done("migrate-in", str(file), *options, "--restart")


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.csv"])
def test_a_mark_of_the_byte_order_is_no_part_of_a_row(
    name: str, livecore: Command, file_database: str, tmp_path: Path
) -> None:
    """Some programs begin every file with one."""
    content = {
        "rows.jsonl": '{"idempotencyKey": "m", "externalPlayerId": "anna"}\n',
        "rows.csv": "idempotencyKey,externalPlayerId\nm,anna\n",
    }[name]
    file = tmp_path / name
    file.write_text(content, encoding="utf-8-sig")
    assert "1 were applied" in livecore.done("migrate-in", str(file), *_options(file_database, "players")).out


def test_one_run_at_a_time(livecore: Command, file_database: str, tmp_path: Path) -> None:
    """Two would write over each other's notes; the second is told so, and may go when the first has ended."""
    file = _jsonl(tmp_path / "gold.jsonl", [_gold(at) for at in range(3)])
    options = _options(file_database, "wallet")
    with held(file):
        ended = livecore("migrate-in", str(file), *options)
    assert ended.status == 1
    assert "another run" in ended.err
    assert "3 were applied" in livecore.done("migrate-in", str(file), *options).out


def test_long_rows_go_fewer_at_a_time(file_database: str, tmp_path: Path) -> None:
    """What a transaction holds in memory has a bound, however long the lines are."""
    file = _jsonl(tmp_path / "gold.jsonl", [_gold(at, more="x" * 1_000_000) for at in range(20)])
    received: list[int] = []
    with closing(open_store(file_database)) as store:
        scopes = GameScopes.find(store, None, "test")

        def apply(work: Callable[[Unit], MigrationOutcome]) -> MigrationOutcome:
            outcome = scopes.write(scopes.scopes[0], work)
            received.append(outcome.received)
            return outcome

        note = Progress.of(file, tmp_path / "failures", "here", "wallet")
        tally = move_in(read_lines(file), "wallet", apply, note)
    assert (tally.received, tally.failed) == (20, 20)
    assert sum(received) == 20
    assert max(received) < 12


def test_a_rehearsal_changes_nothing_and_says_what_would_happen(
    livecore: Command, database: str, tmp_path: Path
) -> None:
    """The same outcome as the run that follows, and the sums it would add."""
    known = _jsonl(tmp_path / "known.jsonl", [_gold(0)])
    livecore.done("migrate-in", str(known), *_options(database, "wallet"))
    file = _jsonl(
        tmp_path / "gold.jsonl", [_gold(at, amount=3) for at in range(1, 12)] + [_gold(0), _gold(99, amount=0)]
    )
    before = _rows(database)
    options = _options(database, "wallet", "--json")
    told = livecore("migrate-in", str(file), *options, "--rehearse")
    assert told.status == 1
    assert told.json["newPlayers"] == 6
    assert told.json["added"] == {"gold": 33}
    assert _rows(database) == before
    assert len(_failures(file)) == 1
    done = livecore("migrate-in", str(file), *options)
    assert done.json == {name: told.json[name] for name in done.json}


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("rows.txt", b"{}", "must end in .jsonl or .csv"),
        ("rows.jsonl", b"\xff\xfe", "1 failed"),
        ("rows.jsonl", b"x" * 1_100_000, "longer than"),
        ("rows.csv", b"", "must name its fields"),
        ("rows.csv", b"a,a\n1,2\n", "must name its fields"),
        ("rows.csv", b'externalPlayerId\n"an"na\n', "not well-formed CSV"),
        ("rows.csv", b"externalPlayerId\n\xff\n", "not UTF-8"),
    ],
)
def test_what_is_no_file_of_rows_is_told_in_a_line(
    name: str, content: bytes, told: str, livecore: Command, file_database: str, tmp_path: Path
) -> None:
    """Never a traceback. A file of rows that all fail is one all the same."""
    file = tmp_path / name
    file.write_bytes(content)
    ended = livecore("migrate-in", str(file), *_options(file_database, "players"))
    assert ended.status == (1 if told == "1 failed" else 2)
    assert told in ended.err + ended.out


@pytest.mark.parametrize("rehearse", [(), ("--rehearse",)])
@pytest.mark.parametrize(
    ("environment", "known_players", "times"), [("live", "client", 2), ("live", "backend", 0), ("test", "client", 0)]
)
def test_it_says_before_and_after_who_may_become_the_players(
    livecore: Command, tmp_path: Path, environment: str, known_players: str, times: int, rehearse: tuple[str, ...]
) -> None:
    """On standard error, where strangers may: in the live environment of a game that lets clients register whom it knows."""
    game = tmp_path / "game.json"
    game.write_text(json.dumps({**config(), "registration": {"knownPlayers": known_players}}))
    database = f"sqlite:///{tmp_path / 'game.db'}"
    livecore.done("init", "--database", database, "--config", str(game), "--json")
    file = _jsonl(tmp_path / "players.jsonl", [{"idempotencyKey": "m1", "externalPlayerId": "steam-7656"}])
    options = ("--database", database, "--environment", environment, "--kind", "players", "--json", *rehearse)
    done = livecore.done("migrate-in", str(file), *options)
    assert done.json["applied"] == 1
    said = [line for line in done.err.splitlines() if "belongs to the first client that registers that id" in line]
    assert len(said) == times
    assert all("registration.knownPlayers" in line for line in said)


def test_the_first_sentence_says_who_may_become_the_players(livecore: Command) -> None:
    """Of the command's help, and of the description of each route of a migration."""
    shown = " ".join(livecore.done("migrate-in", "--help").out.split())
    first = "Move players, balances or items in; the first to register an id gets the player, unless knownPlayers"
    assert f"[OPTIONS] FILE {first} is backend." in shown
    routes = [operation for operation in OPERATIONS if operation.name.startswith("migrate.")]
    assert len(routes) == 3
    assert all(
        route.about.startswith("A player who is moved in belongs to the first client that registers")
        for route in routes
    )
