"""What a command brings along: commands load when they are used, and help, version and lists load no server.

A person who asks for help waits for every module that is imported on the way. So these tests read the modules, which are the
same on every machine, and measure no time.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete

from livecore_server.cli.groups import Group, first_paragraph
from livecore_server.cli.program import program
from livecore_server.storage.database import store_at
from tests.server.commands import Command

ROOT = Path(__file__).parents[2]
REPORT = """
import sys
before = set(sys.modules)
from livecore_server.cli import main
try:
    main(sys.argv[1:])
except SystemExit as ended:
    assert not ended.code, ended.code
print("--", *sorted(set(sys.modules) - before), sep="\\n")
"""
"""Runs a command; leaves out what the interpreter itself loads at its start, such as a hook of the environment."""
HELP = {"click"}
"""All that help needs besides the standard library and the names of the commands."""
LIST = HELP | {"attr", "attrs", "cattr", "cattrs", "cryptography", "typing_extensions"}
"""All that a list from a database file needs: records and their codecs, and the vault, whose key is a setting."""
SUPERVISOR = LIST | {"orjson", "prometheus_client"}
"""All that a supervisor needs: what it prepares the database with, and the files of the workers' metrics."""
LATER = {"jinja2", "joserfc", "maxminddb", "mcp", "psycopg", "sqlite_utils"}
"""What a server loads with the pages, the settings of a provider, a country file, an assistant, and a database."""
SLOW_OF_PYTHON = {"asyncio", "concurrent", "sqlite3", "ssl"}


def modules_of(*arguments: str) -> set[str]:
    """The modules, with their dots, that a fresh interpreter loads for a command."""
    done = subprocess.run([sys.executable, "-c", REPORT, *arguments], capture_output=True, text=True, check=True)
    return set(done.stdout.rpartition("--\n")[2].split())


def foreign(modules: set[str]) -> set[str]:
    """The top-level modules that are neither the standard library's nor ours."""
    top = {name.partition(".")[0] for name in modules}
    return {name for name in top - sys.stdlib_module_names if not name.startswith(("_", "livecore"))}


@pytest.mark.parametrize("argument", ["--help", "--version"])
def test_help_and_version_load_no_command(argument: str) -> None:
    """They need click and the names of the commands."""
    modules = modules_of(argument)
    surplus = sorted((foreign(modules) - HELP) | (modules & SLOW_OF_PYTHON))
    assert not surplus, f"livecore {argument} imports {', '.join(surplus)}"
    loaded = sorted(name for name in modules if name.startswith("livecore_server.") and "cli" not in name)
    assert loaded == ["livecore_server.problem"], f"livecore {argument} imports {', '.join(loaded)}"
    commands = sorted(place(name) for name in program.deferred if place(name) in modules)
    assert not commands, f"livecore {argument} imports {', '.join(commands)}"


def place(name: str) -> str:
    """The module of a command."""
    return program.deferred[name].place.partition(":")[0]


@pytest.mark.parametrize("command", ["keys", "members"])
def test_a_list_from_the_directory_loads_no_server(command: str, tmp_path: Path, livecore: Command) -> None:
    """It reads a few tables of a file: it needs neither HTTP nor pages nor metrics, and nothing of games and players."""
    database = f"sqlite:///{tmp_path / 'game.db'}"
    livecore.done("init", "--database", database)
    modules = modules_of(command, "list", "--database", database)
    surplus = sorted(foreign(modules) - LIST) + sorted(modules & {"asyncio", "ssl"})
    assert not surplus, f"livecore {command} list imports {', '.join(surplus)}"
    surplus = sorted(name for name in modules if name.startswith(("livecore.api.routes", "livecore.competition")))
    assert not surplus, f"livecore {command} list imports {', '.join(surplus)}"


def imported_by(module: str) -> set[str]:
    """The modules that a fresh interpreter loads for one of ours."""
    report = f"import sys; import {module}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", report], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_a_server_loads_nothing_that_it_may_never_need() -> None:
    """Whoever waits for a restart waits for its imports: tokens, country files and PostgreSQL come with their use.

    Pages come as it starts, in a thread.
    """
    surplus = foreign(imported_by("livecore_server.workers.worker")) & LATER
    assert not surplus, f"a server imports {', '.join(sorted(surplus))}"


def test_a_supervisor_loads_no_server() -> None:
    """It prepares the database and starts workers, which wait for it: that needs neither HTTP nor pages."""
    surplus = foreign(imported_by("livecore_server.workers.supervisor")) - SUPERVISOR
    assert not surplus, f"a supervisor imports {', '.join(sorted(surplus))}"


def test_a_command_of_the_directory_leaves_the_other_tables_as_they_are(tmp_path: Path, livecore: Command) -> None:
    """It knows a few tables only. A database that is up to date stays so, and is complete for the next command."""
    database = f"sqlite:///{tmp_path / 'game.db'}"
    livecore.done("init", "--database", database)
    with store_at(database) as store:
        before, tables = store.migrations(), len(store.tables)
    livecore.done("keys", "add", "--database", database, "--environment", "test", "--permission", "client")
    with store_at(database) as store:
        assert (store.migrations(), len(store.tables)) == (before, tables)
    assert livecore.done("check", "--database", database, "--json").json["findings"] == []


def groups(held: click.Command = program) -> Iterator[Group]:
    """The program and every group below it."""
    if isinstance(held, Group):
        yield held
        for name in held.commands:
            yield from groups(held.commands[name])


def test_the_lists_of_commands_say_what_the_commands_say() -> None:
    """The paragraph that a group keeps of a deferred command is the first one of the command's own help."""
    told = {name: known.paragraph for group in groups() for name, known in group.deferred.items()}
    own = {name: first_paragraph(group.commands[name]) for group in groups() for name in group.deferred}
    assert told == own
    assert {name: group.commands[name].name for group in groups() for name in group.deferred} == {
        name: name for name in told
    }


@pytest.mark.parametrize(
    ("words", "incomplete", "expected"),
    [
        ([], "se", {"serve"}),
        ([], "--ver", {"--version"}),
        (["webhooks"], "re", {"remove", "replay", "reseal"}),
        (["keys", "list"], "--data", {"--database"}),
    ],
)
def test_shells_complete_commands_and_options(words: list[str], incomplete: str, expected: set[str]) -> None:
    """Also where a command has not been imported yet."""
    found = ShellComplete(program, {}, "livecore", "_LIVECORE_COMPLETE").get_completions(words, incomplete)
    assert {item.value for item in found} == expected


def test_a_mistyped_command_is_told_of_a_similar_one(livecore: Command) -> None:
    """The names are known without the commands."""
    assert "Did you mean 'keys'?" in livecore("keyz").err


def test_every_process_knows_every_table() -> None:
    """Whatever it has imported: a command that knew fewer would refuse what a server has used, as of a newer release."""
    known = (
        "from livecore.kernel.storage.tables import all_tables; print(*sorted(table.name for table in all_tables()))"
    )
    few = f"from livecore_server.storage import database; database._every_table(); {known}"
    modules = sorted(
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in (ROOT / "livecore_server").rglob("*.py")
        if path.stem != "__main__"
    )
    everything = f"import importlib; [importlib.import_module(name) for name in {modules}]; {known}"
    printed = [
        subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for program in (few, everything)
    ]
    assert printed[0].split() == printed[1].split()
