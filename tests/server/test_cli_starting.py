"""A game of one's own begins with a file: `livecore init --example`, and what is said to whoever mixes two commands up."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from livecore.api.configuration.game_config import config_schema, load_config
from livecore.starter import SCHEMA_FILE
from livecore.world import World
from tests.server.commands import Command


def test_the_example_is_a_configuration_with_its_schema_beside_it(livecore: Command, tmp_path: Path) -> None:
    """An editor finds the schema by the file's own word, the schema admits the file, and a world plays it."""
    file = tmp_path / "game.json"
    said = livecore.done("init", "--example", file).out
    written = json.loads(file.read_text("utf-8"))
    schema = json.loads((file.parent / written["$schema"]).read_text("utf-8"))
    assert schema == config_schema()
    jsonschema.validate(written, schema)
    world = World(file.read_text("utf-8"))
    world.server.call("wallet.credit", external_id=world.player("ada").external_id, economy_key="gold", amount=5)
    assert f"livecore init --database sqlite:///game.db --config {file}" in said


def test_the_example_makes_a_game(livecore: Command, tmp_path: Path) -> None:
    """The command that is shown next makes the game, which has the name that the file gives it."""
    file = tmp_path / "game.json"
    livecore.done("init", "--example", file)
    made = livecore.done("init", "--database", f"sqlite:///{tmp_path / 'game.db'}", "--config", file)
    assert load_config(file.read_text("utf-8")).name in made.out


def test_the_example_is_written_over_nobodys_file(livecore: Command, tmp_path: Path) -> None:
    """A configuration that is there stays as it is, and the schema's own name is no name for one."""
    file = tmp_path / "game.json"
    file.write_text("{}", "utf-8")
    assert "is there already" in livecore("init", "--example", file).err
    assert file.read_text("utf-8") == "{}"
    assert "the name of the schema" in livecore("init", "--example", tmp_path / SCHEMA_FILE).err
    assert not (tmp_path / SCHEMA_FILE).exists()


def test_an_example_is_written_or_a_file_is_read(livecore: Command, tmp_path: Path) -> None:
    """Both at once is a wrong call, and writes nothing."""
    file = tmp_path / "game.json"
    file.write_text("{}", "utf-8")
    ended = livecore("init", "--example", tmp_path / "other.json", "--config", file)
    assert (ended.status, ended.err) == (
        2,
        "livecore: --example writes a configuration and --config reads one: give one of them\n",
    )
    assert not (tmp_path / "other.json").exists()


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        (["apply", "--config", "game.json"], "livecore apply game.json"),
        (["apply", "--config=game.json"], "livecore apply game.json"),
        (["apply", "--config"], "livecore apply FILE"),
        (["init", "game.json"], "livecore init --config game.json"),
        (["init", "--json", "game.json"], "livecore init --config game.json"),
    ],
)
def test_who_writes_the_other_commands_form_is_told_this_ones(livecore: Command, call: list[str], hint: str) -> None:
    """`apply` takes the file as it stands and `init` by an option: each names its own form."""
    ended = livecore(*call)
    assert ended.status == 2
    assert ended.err.rstrip().endswith(f": {hint}")


def test_another_option_that_there_is_not_is_named(livecore: Command) -> None:
    """The hint is for `--config` alone."""
    assert "No such option '--databse'" in livecore("apply", "--databse", "x", "game.json").err
