"""The pytest plugin that comes with the distribution: pytest loads it by its entry point.

    def test_gifts_come_back(livecore_world, livecore_player):
        alice, bob = livecore_player("alice"), livecore_player("bob")
        ...
        livecore_world.advance(days=8)

Each test gets its own world. A game's configuration goes into a fixture called `livecore_config`, in its `conftest.py`.
When a test fails, the report shows the world's seed, its time and its last events.

pytest imports this file in every run on a machine that has Livecore installed, so it imports the world only when it is used.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Generator
from typing import TYPE_CHECKING, Final

import pytest

from livecore.demo import DEMO

if TYPE_CHECKING:
    from livecore.kernel.errors import Json
    from livecore.testing.rehearsing import Rehearsal
    from livecore.testing.types import Config, MakePlayer
    from livecore.world import Emitted, World

__all__ = ["livecore_config", "livecore_player", "livecore_rehearsal", "livecore_seed", "livecore_world"]

_WORLD: Final = pytest.StashKey["World"]()
_EVENTS_SHOWN: Final = 10
_EVENT_WIDTH: Final = 160
_ID_WIDTH: Final = 128
_TEXT_WIDTH: Final = 40
_MEMBERS_SHOWN: Final = 6
_DEEPEST_SHOWN: Final = 3
_OURS: Final = ("livecore.world", "livecore.surfaces", "livecore.testing")
"""What stands between a test and the service: a report shows none of its frames."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options for the seed of the worlds, for one run and for a project."""
    about = "the seed of the worlds that livecore_world makes"
    parser.getgroup("livecore").addoption("--livecore-seed", type=int, metavar="N", help=f"{about}, for this run")
    parser.addini("livecore_seed", about, default="0")


@pytest.fixture
def livecore_config() -> Config:
    """The game's configuration: a `GameConfig`, its JSON data or its text; override it to test your own game.

    The default is `livecore.demo.DEMO`: gold, gems, XP, potions and swords, with gifting enabled.
    """
    return DEMO


@pytest.fixture
def livecore_seed(pytestconfig: pytest.Config) -> int:
    """The seed of the world: `--livecore-seed`, else the ini value `livecore_seed`, else 0.

    Override it with a parametrised fixture to run each test in many worlds.
    """
    chosen: int | None = pytestconfig.getoption("--livecore-seed")
    if chosen is not None:
        return chosen
    text = str(pytestconfig.getini("livecore_seed"))
    try:
        return int(text)
    except ValueError:
        raise pytest.UsageError(f"livecore_seed must be a whole number, not {text!r}") from None


@pytest.fixture
def livecore_world(request: pytest.FixtureRequest, livecore_config: Config, livecore_seed: int) -> World:
    """A whole game in memory, new for this test, with its own clock (`livecore.World`)."""
    from livecore.world import World  # noqa: PLC0415 - only for tests that play

    world = World(livecore_config, seed=livecore_seed)
    request.node.stash[_WORLD] = world
    return world


@pytest.fixture
def livecore_player(livecore_world: World) -> MakePlayer:
    """`livecore_player("alice")` is a registered player of the test's world; the same name is the same player."""
    return livecore_world.player


@pytest.fixture
def livecore_rehearsal(livecore_seed: int) -> Rehearsal:
    """`livecore_rehearsal(receive)` sends right and wrong deliveries to a receiver of webhooks and judges its answers.

    See `livecore.testing.Rehearsal`.
    """
    from livecore.testing.rehearsing import Rehearsal  # noqa: PLC0415 - only for tests of receivers

    return Rehearsal(seed=livecore_seed)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Leave our frames out of the report of a test that failed, and add its world."""
    if call.excinfo is not None:
        _hide_frames()
    report = yield
    world = item.stash.get(_WORLD, None)
    if report.failed and world is not None:
        report.sections.append(("livecore world", _story(world)))
    return report


def _hide_frames() -> None:
    for name, module in list(sys.modules.items()):
        if any(name == ours or name.startswith(f"{ours}.") for ours in _OURS):
            # pytest leaves out the frames of a module that has this name, unless it is asked for all.
            vars(module)["__tracebackhide__"] = True


def _story(world: World) -> str:
    shown = world.events[-_EVENTS_SHOWN:]
    lines = [
        f"seed {world.seed} (again with --livecore-seed={world.seed}), {world.time.wire}, "
        f"{len(world.events)} events" + (f", the last {len(shown)}:" if len(shown) < len(world.events) else ":"),
        *map(_line, shown),
    ]
    return "\n".join(lines)


def _line(event: Emitted) -> str:
    """An event on a line: the whole payload if it is short, else with what it is about whole and the rest cut."""
    head = f"{event.at.wire} {event.kind} "
    data = json.dumps(event.data, ensure_ascii=False)
    if len(head) + len(data) <= _EVENT_WIDTH:
        return head + data
    shown = {name: _brief(name, member, _DEEPEST_SHOWN) for name, member in event.data.items()}
    return head + json.dumps(shown, ensure_ascii=False)


def _brief(name: str, member: Json, depth: int) -> Json:
    """A member of a payload: ids, keys and numbers as they are; other texts, lists and objects only by their beginning."""
    if isinstance(member, str):
        about = len(member) <= _ID_WIDTH and name.lower().endswith(("id", "ids", "key", "keys"))
        return member if about or len(member) <= _TEXT_WIDTH else f"{member[: _TEXT_WIDTH - 1]}…"
    if isinstance(member, list | dict) and depth == 0:
        return "…"
    if isinstance(member, list):
        some = [_brief(name, one, depth - 1) for one in member[:_MEMBERS_SHOWN]]
        return [*some, f"… {len(member) - len(some)} more"] if len(some) < len(member) else some
    if isinstance(member, dict):
        found = {key: _brief(key, one, depth - 1) for key, one in list(member.items())[:_MEMBERS_SHOWN]}
        return {**found, "…": f"{len(member) - len(found)} more"} if len(found) < len(member) else found
    return member
