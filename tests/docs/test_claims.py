"""What pages claim in numbers, orders and outcomes, each beside the page that claims it."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from livecore.access.sessions import IDLE
from livecore.api.requests.limits import ADDRESS_PER_MINUTE, DEFAULT_PER_MINUTE, NEW_PLAYERS_PER_HOUR, RateLimits
from livecore.errors import SessionInvalid
from livecore.kernel.time import HOUR
from livecore.testing import World
from livecore.version import VERSION
from livecore_client import LocalTransport
from livecore_server.settings import SETTINGS
from tests.server.commands import Command
from tests.server.serving import make_game

DOCS = Path(__file__).parents[2] / "docs"


def page(name: str) -> str:
    """The text of a page, its lines joined."""
    return " ".join((DOCS / name).read_text("utf-8").split())


def test_the_default_rate_limits() -> None:
    """`how-to/size-a-deployment.md` and the setting's own text have the numbers of the code."""
    limits = RateLimits(per_player=True)
    others = [("unauthenticated", limits.unauthenticated_per_minute), ("player_bytes", limits.stored_bytes_per_day)]
    (text,) = [row.text for row in SETTINGS if row.name == "rate_limits"]
    for name, number in [*DEFAULT_PER_MINUTE.items(), *others]:
        assert f"{name}={number}" in text
    (text,) = [row.text for row in SETTINGS if row.name == "rate_limits_per_player"]
    assert f"sdk_address={ADDRESS_PER_MINUTE} and new_players={NEW_PLAYERS_PER_HOUR}" in text
    rows = (DOCS / "how-to/size-a-deployment.md").read_text("utf-8").splitlines()
    defaults = {cells[1].strip(): cells[3].strip() for cells in (row.split("|") for row in rows) if len(cells) == 6}
    assert defaults["`sdk_read`, `sdk_write`"] == f"{DEFAULT_PER_MINUTE['sdk_read']}, {DEFAULT_PER_MINUTE['sdk_write']}"
    assert defaults["`server_api`"] == f"{DEFAULT_PER_MINUTE['server_api']:,}"
    assert defaults["`admin`"] == str(DEFAULT_PER_MINUTE["admin"])
    assert defaults["`unauthenticated`"] == str(limits.unauthenticated_per_minute)
    assert defaults["`player_bytes`"] == f"{limits.stored_bytes_per_day:,}"
    assert defaults["`sdk_address`"].startswith(f"{ADDRESS_PER_MINUTE:,} with")
    assert defaults["`new_players`"].startswith(f"{NEW_PLAYERS_PER_HOUR} with")


def test_an_operator_of_a_world_is_signed_out() -> None:
    """`how-to/test-your-game-with-a-world.md`: after twelve hours without a call, by the world's clock."""
    assert "A session ends twelve hours after its last use" in page("how-to/test-your-game-with-a-world.md")
    assert IDLE == 12 * HOUR
    world = World()
    world.player("alice")
    owner = world.operator()
    owner.players.get("alice", limit=5)
    world.advance(hours=11)
    owner.players.get("alice", limit=5)
    world.advance(days=1)
    with pytest.raises(SessionInvalid):
        owner.players.get("alice", limit=5)
    world.operator().players.get("alice", limit=5)


def test_how_a_banned_player_is_found() -> None:
    """`how-to/help-a-player.md`: by id and by friend code, and by no search."""
    assert "With the banned player's id or friend code they can still send a friend request" in page(
        "how-to/help-a-player.md"
    )
    world = World()
    anna, ben = world.player("anna"), world.player("ben")
    code, name = ben.friends.get_code().friend_code, ben.players.get_profile().display_identity.name
    assert [hit.external_player_id for hit in anna.friends.search(name).players] == ["ben"]
    world.server.players.ban("ben", reason="spam")
    assert anna.friends.search(name).players == ()
    assert anna.friends.send_request(external_player_id="ben").status == "pending"
    assert anna.friends.send_request(friend_code=code).status == "pending"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/sdk/v1/nothing", 404),
        ("PATCH", "/sdk/v1/players/anna/friends", 405),
        ("GET", "/sdk/v1/players/anna/friends", 401),
    ],
)
def test_a_route_is_looked_for_before_a_key(method: str, path: str, status: int) -> None:
    """`decisions/body-after-admission.md`: 404 and 405 come before 401."""
    assert "first 404 (route) and 405, then 401 and 403" in page("decisions/body-after-admission.md")
    with httpx.Client(transport=LocalTransport(World()), base_url="https://live.example.com") as client:
        assert client.request(method, path).status_code == status


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["nothing"], 2),
        (["check", "--nothing"], 2),
        (["keys", "revoke"], 2),
        (["keys", "list", "--game", "gam_none"], 2),
        (["keys", "revoke", "key_none"], 2),
    ],
)
def test_the_status_of_a_command_that_fails(livecore: Command, tmp_path: Path, words: list[str], status: int) -> None:
    """`reference/cli.md`: 2 where the call or its input is wrong."""
    assert "**2**: the call or its input must be changed." in page("reference/cli.md")
    url = f"sqlite:///{tmp_path / 'game.db'}"
    make_game(url)
    database = ["--database", url] if words[0] in {"keys", "check"} else []
    assert livecore(*words, *database).status == status


def test_a_check_makes_no_database(livecore: Command, tmp_path: Path) -> None:
    """`how-to/restart-without-downtime.md` and `how-to/check-a-database.md`: `check` refuses an empty database."""
    assert "`livecore check` makes no database" in page("how-to/restart-without-downtime.md")
    file = tmp_path / "empty.db"
    file.touch()
    assert livecore("check", "--database", f"sqlite:///{file}").status == 1
    assert file.stat().st_size == 0


def test_the_wheel_has_the_name_that_the_page_shows() -> None:
    """`how-to/install.md`."""
    assert f"livecore-{VERSION}-py3-none-any.whl" in page("how-to/install.md")
