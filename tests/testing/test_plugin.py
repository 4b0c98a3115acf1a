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


BAD_CONFIG = """
    import pytest

    @pytest.fixture
    def livecore_config():
        return {"economy": [{"key": "gold", "kinde": "currency"}, {"key": 5}], "itmes": []}
"""


def _frames(lines: list[str]) -> list[str]:
    """The lines of a report that show a place or the code of Livecore."""
    return [line for line in lines if "livecore/" in line or line.startswith((">", "    def "))]


def test_a_bad_configuration_in_a_fixture_names_all_faults_without_our_frames(pytester: pytest.Pytester) -> None:
    """A report of a few lines, with each fault on a line of its own, in place of the way through our files."""
    pytester.makeconftest(BAD_CONFIG)
    pytester.makepyfile("def test_plays(livecore_world): pass")
    result = pytester.runpytest_inprocess("--tb=long")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [
            "E * the configuration has 3 faults:",
            " * economy?0?.kinde: is not a known field*",
            " * economy?1?.key: must be a string; it is 5",
            " * itmes: is not a known field. Did you mean 'items'?",
        ]
    )
    assert _frames(result.outlines) == []
    assert len(result.outlines) < 25


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("alice.call('wallet.debit', economy_key='gold', amount=5)", "E * 409 insufficient_balance: *"),
        ("alice.call('wallet.credit')", "E * 'wallet.credit' is an operation of `world.server`; *"),
        ("alice.call('wallet.gett')", "E * no operation 'wallet.gett': did you mean wallet.get*"),
        ("alice.wallet.debit('gold', amount=5)", "E * 409 insufficient_balance: *"),
        ("alice.gifts.send(type='currency', resource_key='gold', amount='x')", "E * amount must be an integer*"),
        ("livecore_world.operator().players.get('nobody', limit=1)", "E * 404 player_not_found: *"),
        ("alice.call('wallet.get', external_id='b')", "E * a player acts for itself, so wallet.get takes no *"),
        ("livecore_world.emitted('gift.send')", "E * 'gift.send': did you mean gift.sent*"),
        ("livecore_world.advance(7)", "E * there are seconds=…, minutes=…, hours=…, days=…"),
        ("livecore_world.player('')", "E * a player's id must be 1 to 128 characters *"),
        ("livecore_world.configure({'economy': [{'key': 5}]})", "E * economy?0?.key: must be a string; it is 5"),
    ],
)
def test_a_slip_shows_the_line_of_the_test_and_none_of_ours(pytester: pytest.Pytester, line: str, message: str) -> None:
    """A refusal, a name that does not exist, and an argument that cannot be taken."""
    pytester.makepyfile(f"""
        def test_slips(livecore_world, livecore_player):
            alice = livecore_player("alice")
            {line}
    """)
    result = pytester.runpytest_inprocess("--tb=long")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f">*{line}".replace("[", "?").replace("]", "?"), message])
    assert "livecore/" not in result.stdout.str()


def test_a_failure_shows_whole_what_an_event_is_about(pytester: pytest.Pytester) -> None:
    """Ids, amounts and balances are not cut; long texts and the members of a long object are."""
    pytester.makepyfile("""
        def test_fails(livecore_world, livecore_player):
            livecore_player("alice")
            livecore_world.server.call("wallet.credit", external_id="alice", economy_key="gold", amount=12345)
            given = [{"type": "currency", "resourceKey": "gold", "amount": 77}]
            said = {"note": "n" * 200, **{f"m{number}": number for number in range(40)}}
            extra = {"metadata": said, "idempotency_key": "once"}
            livecore_world.server.call("grants.create", external_id="alice", entries=given, **extra)
            assert False
    """)
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    (changed,) = [line for line in result.outlines if " wallet.changed " in line]
    assert '"economyKey": "gold"' in changed
    assert '"delta": 12345' in changed
    assert '"balance": 12345' in changed
    assert changed.endswith("}")
    (created,) = [line for line in result.outlines if " grant.created " in line]
    assert '{"type": "currency", "resourceKey": "gold", "amount": 77}' in created
    assert f'"note": "{"n" * 39}…"' in created
    assert '"m4": 4, "…": "35 more"' in created


def test_one_name_is_one_object(pytester: pytest.Pytester) -> None:
    """`livecore_player` gives the same object again, as the page says."""
    pytester.makepyfile("""
        def test_same(livecore_world, livecore_player):
            assert livecore_player("alice") is livecore_player("alice")
            assert livecore_player("alice") is livecore_world.player("alice")
    """)
    pytester.runpytest_inprocess().assert_outcomes(passed=1)


def test_a_receiver_of_webhooks_is_rehearsed(pytester: pytest.Pytester) -> None:
    """A right one passes; the failure of another one has the findings, and none of our frames."""
    pytester.makepyfile("""
        from livecore_client import webhooks

        def receive(headers, body):
            try:
                webhooks.verify(body, headers.get("X-Signature"), "whsec_x", tolerance_seconds=1000)
            except webhooks.WebhookVerificationError:
                return 400
            return 204

        def test_lax(livecore_rehearsal):
            livecore_rehearsal(receive, secret="whsec_x")

        def test_of_signatures(livecore_rehearsal):
            steps = [{"step": "deliver"}, {"step": "wrong_signatures"}]
            livecore_rehearsal(receive, secret="whsec_x", scenario={"steps": steps})
    """)
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(["*the receiver fails the rehearsal:", "*wrong_times: accepted_forged"])
    result.stdout.fnmatch_lines(["*It accepted a delivery that was signed ten minutes ago: it answered 204."])
    result.stdout.no_fnmatch_line("*livecore/testing/rehearsing.py*")
