"""`livecore crates verify`: derives an opened crate again, and says where it finds something else."""

from __future__ import annotations

import json
from pathlib import Path

import attrs
import pytest

from livecore.api.application import Application
from livecore.api.configuration.game_config import load_config
from livecore.api.requests.http import Request
from livecore.demo import DEMO
from livecore.economy.crates import OPENINGS
from livecore.kernel.errors import JsonObject
from livecore.kernel.scope import Scope
from livecore.kernel.storage.records import JsonText, evolve
from livecore.kernel.storage.store import Transaction
from livecore_server.cli.new_games import create_game
from livecore_server.storage.database import store_at
from livecore_server.system import draw_seed, now_millis
from tests.server.commands import Command


@attrs.frozen
class Opened:
    """A database in which one crate was opened."""

    url: str
    scope: Scope
    crate_id: str
    contents_id: str

    def damage(self, **changes: object) -> None:
        """Change the stored opening."""

        def work(tx: Transaction) -> None:
            opening = tx.get(OPENINGS, self.crate_id)
            assert opening is not None
            tx.put(OPENINGS, evolve(opening, **changes))

        with store_at(self.url) as store:
            store.write(self.scope, work)


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    """The demo's chest, opened by a player of the test environment."""
    url = f"sqlite:///{tmp_path / 'game.db'}"
    with store_at(url, create=True) as store:
        made = create_game(store, load_config(DEMO), "Studio")
        application = Application(store, clock=now_millis, seeds=draw_seed)

        def post(permission: str, path: str, body: JsonObject, **headers: str) -> JsonObject:
            key = {"authorization": f"Bearer {made.keys['test', permission].text}", "content-type": "application/json"}
            answer = application.handle(Request("POST", path, "", {**key, **headers}, json.dumps(body).encode()))
            assert answer.status < 300, answer.body
            found: JsonObject = json.loads(answer.body)["data"]
            return found

        secret = post("client", "/sdk/v1/players/anna/register", {})["playerSecret"]
        chest: JsonObject = {"type": "crate", "resourceKey": "starter-chest", "amount": 1}
        given = post(
            "server", "/server/v1/players/anna/grants", {"idempotencyKey": "k", "kind": "crate", "entries": [chest]}
        )
        crate_id = given["grant"]["grantId"]  # type: ignore[index,call-overload] # an object
        contents = post(
            "client", f"/sdk/v1/players/anna/crates/{crate_id}/open", {}, **{"x-player-secret": str(secret)}
        )
        contents_id = contents["grant"]["grantId"]  # type: ignore[index,call-overload] # an object
        return Opened(url, Scope(made.game.game_id, "test"), str(crate_id), str(contents_id))


def test_an_opened_crate_is_derived_again(opened: Opened, livecore: Command) -> None:
    """By its own id, and by that of its contents."""
    for grant_id in (opened.crate_id, opened.contents_id):
        said = livecore.done("crates", "verify", grant_id, "--database", opened.url).out.splitlines()
        assert said[0].startswith("starter-chest, opened at ")
        assert said[1] == f"crate {opened.crate_id}, contents {opened.contents_id}"
        assert said[3].startswith("roll 0: row ")
        assert said[-2].startswith("contents: 20 gold, ")
        assert said[-1] == "The seed gives these rolls and these contents."


def test_as_json_it_says_all_that_one_needs_to_derive_it_elsewhere(opened: Opened, livecore: Command) -> None:
    """The seed, the definition, the counts for pity, and the rolls."""
    shown = livecore.done("crates", "verify", opened.crate_id, "--database", opened.url, "--json").json
    assert (shown["verified"], shown["faults"], shown["waits"]) == (True, [], {})
    assert shown["definition"] == {**json.loads(DEMO)["crates"][0], "rolls": shown["definition"]["rolls"]}
    assert len(bytes.fromhex(shown["seed"])) == 32
    assert [rolled["roll"] for rolled in shown["rolls"]] == [0]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"rolls": JsonText("[[0,7]]")}, "It has other rolls than its seed gives."),
        ({"seed": "no seed"}, "It cannot be read."),
        ({"definition": "gone"}, "It was drawn by a definition that is not stored."),
    ],
)
def test_what_does_not_agree_is_said(opened: Opened, livecore: Command, changes: dict[str, object], said: str) -> None:
    """And the program ends with status 1."""
    opened.damage(**changes)
    ended = livecore("crates", "verify", opened.crate_id, "--database", opened.url)
    assert ended.status == 1
    assert said in ended.out.splitlines()
    shown = livecore("crates", "verify", opened.crate_id, "--database", opened.url, "--json")
    assert (shown.status, shown.json["verified"], len(shown.json["faults"])) == (1, False, 1)
    assert ended.out.splitlines()[-1] == "What was recorded does not agree."


def test_what_was_not_opened(opened: Opened, livecore: Command) -> None:
    """Is refused in one line."""
    ended = livecore("crates", "verify", "none", "--database", opened.url)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err == "livecore: No crate with this id has been opened.\n"
