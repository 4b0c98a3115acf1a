"""The pytest plugin as a studio meets it: small suites that are run by pytest, and what pytest says about them."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]

OWN_GAME = """
    import pytest

    @pytest.fixture
    def livecore_config():
        return {"name": "Ours", "economy": [{"key": "rubies"}]}
"""


def test_a_test_plays_the_demo_game_without_any_setting_up(pytester: pytest.Pytester) -> None:
    """A paid gift goes from one player to the other in the game that the plugin brings."""
    pytester.makepyfile("""
        def test_gift(livecore_world, livecore_player):
            alice, bob = livecore_player("alice"), livecore_player("bob")
            alice.call("friends.sendRequest", external_player_id="bob")
            bob.call("friends.sendRequest", external_player_id="alice")
            livecore_world.server.call("wallet.credit", external_id="alice", economy_key="gold", amount=5)
            gift = dict(external_player_id="bob", type="currency", resource_key="gold", amount=5)
            sent = alice.call("gifts.send", **gift)["gift"]
            assert bob.call("gifts.claim", gift_id=sent["giftId"])["gift"]["status"] == "claimed"
            assert len(livecore_world.emitted("gift.claimed")) == 1
    """)
    pytester.runpytest_inprocess().assert_outcomes(passed=1)


def test_a_game_brings_its_own_configuration(pytester: pytest.Pytester) -> None:
    """A fixture called `livecore_config` in the studio's conftest replaces the demo game."""
    pytester.makeconftest(OWN_GAME)
    pytester.makepyfile("""
        def test_wallet(livecore_player):
            balances = livecore_player("alice").call("wallet.get")["balances"]
            assert "gold" not in [row["key"] for row in balances]

        def test_name(livecore_world):
            assert livecore_world.game.name == "Ours"
    """)
    pytester.runpytest_inprocess().assert_outcomes(passed=2)


def test_each_test_has_its_own_world(pytester: pytest.Pytester) -> None:
    """What one test does, the next does not see; within a test, a name is one player."""
    pytester.makepyfile("""
        import pytest

        @pytest.mark.parametrize("turn", [1, 2])
        def test_fresh(livecore_world, livecore_player, turn):
            assert livecore_world.events == []
            assert livecore_player("alice") == livecore_player("alice")
            assert len(livecore_world.emitted("player.registered")) == 1
    """)
    pytester.runpytest_inprocess().assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("ini", "arguments", "seed"),
    [("", [], 0), ("livecore_seed = 7", [], 7), ("livecore_seed = 7", ["--livecore-seed=-9"], -9)],
    ids=["default", "ini", "command line"],
)
def test_the_seed_comes_from_the_nearest_place(
    pytester: pytest.Pytester, ini: str, arguments: list[str], seed: int
) -> None:
    """The command line wins over the ini file, which wins over 0."""
    pytester.makeini(f"[pytest]\n{ini}\n")
    pytester.makepyfile(f"""
        def test_seed(livecore_world, livecore_seed):
            assert livecore_world.seed == livecore_seed == {seed}
    """)
    pytester.runpytest_inprocess(*arguments).assert_outcomes(passed=1)


def test_a_suite_runs_in_many_worlds(pytester: pytest.Pytester) -> None:
    """A parametrised `livecore_seed` gives each test as many worlds, and each its own chance."""
    pytester.makeconftest("""
        import pytest

        @pytest.fixture(params=range(3))
        def livecore_seed(request):
            return request.param
    """)
    pytester.makepyfile("""
        seen = set()

        def test_other_ids(livecore_player):
            player_id = livecore_player("alice").player_id
            assert player_id not in seen
            seen.add(player_id)
    """)
    pytester.runpytest_inprocess().assert_outcomes(passed=3)


def test_a_seed_that_is_no_number_is_told_at_once(pytester: pytest.Pytester) -> None:
    """The message names the setting and what stands there."""
    pytester.makeini("[pytest]\nlivecore_seed = lucky\n")
    pytester.makepyfile("def test_seed(livecore_world): pass")
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*livecore_seed must be a whole number, not 'lucky'*"])


def test_a_failure_shows_the_world(pytester: pytest.Pytester) -> None:
    """The report has the seed, the virtual time, and the newest events, each on a line that fits."""
    pytester.makepyfile("""
        def test_fails(livecore_world, livecore_player):
            livecore_world.advance(hours=1)
            for number in range(9):
                livecore_player(f"player {number}")
            assert False
    """)
    result = pytester.runpytest_inprocess("--livecore-seed=42")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*livecore world*",
            "seed 42 (again with --livecore-seed=42), 2026-01-01T01:00:00.000Z, * events, the last 10:",
            '2026-01-01T01:00:00.000Z player.* {"playerId": "plr_*',
        ]
    )
    assert sum(line.startswith("2026-01-01T01:00") for line in result.outlines) == 10


def test_a_test_that_passes_or_plays_no_world_shows_none(pytester: pytest.Pytester) -> None:
    """The report of every other test is as it was."""
    pytester.makepyfile("""
        def test_passes(livecore_player):
            livecore_player("alice")

        def test_fails():
            assert False
    """)
    result = pytester.runpytest_inprocess("-rP")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.no_fnmatch_line("*livecore world*")


def test_the_fixtures_are_listed_with_what_they_give(pytester: pytest.Pytester) -> None:
    """`pytest --fixtures` shows each fixture with the first words of its docstring."""
    listing = pytester.runpytest_inprocess("--fixtures").stdout
    listing.fnmatch_lines(
        ["livecore_config -- *", "*game's configuration*", "livecore_seed -- *", "*seed of the world*"]
    )
    listing.fnmatch_lines(
        ["livecore_world -- *", "*whole game in memory*", "livecore_player -- *", "*registered player*"]
    )


def test_a_run_without_a_world_does_not_import_one(pytester: pytest.Pytester) -> None:
    """Who has Livecore installed and does not use it in a run does not pay for it."""
    pytester.makepyfile("""
        import sys

        def test_light():
            assert "livecore.world" not in sys.modules
    """)
    pytester.runpytest_subprocess().assert_outcomes(passed=1)
