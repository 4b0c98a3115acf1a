"""The games of a studio as its members see them."""

from __future__ import annotations

from livecore import World
from livecore.api.configuration.game_config import parse_config
from livecore.api.maintenance import make_game
from livecore.kernel.entropy import Entropy
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.units.unit import SYSTEM
from livecore.world import WorldOperator
from tests.worlds import ask, ask_all_pages, config


def names(operator: WorldOperator, **asked: object) -> list[str]:
    """The names of the games on all pages."""
    return [str(row["name"]) for row in ask_all_pages(operator, "games.list", "games", **asked)]


def test_a_member_sees_the_games_of_the_role() -> None:
    """Those of the studio alone, the newest first, and of these the named ones; a page at a time."""
    game = World({**config(), "name": "First"})
    owner = game.operator()
    assert names(owner) == ["First"]

    def another() -> None:
        game.now += 1
        game.store.write(
            DIRECTORY,
            lambda tx: make_game(
                tx, parse_config({**config(), "name": "Foreign"}), game.now, Entropy(b"other"), studio_name="Other",
                actor=SYSTEM,
            ),
        )  # fmt: skip

    another()
    assert names(owner) == ["First"]
    assert names(owner, limit=1) == ["First"]
    viewer = game.operator("viewer@example.com", "VIEWER")
    member_id = ask(viewer, "session.get")["member.memberId"]
    assert names(viewer) == ["First"]
    owner.call("members.update", member_id=member_id, games=[])
    assert names(viewer) == []
    assert ask(viewer, "games.get").refusal == (404, "game_not_found")
    owner.call("members.update", member_id=member_id, games=[game.game.game_id])
    assert names(viewer) == ["First"]
    assert ask(viewer, "games.get")["game.gameId"] == game.game.game_id
