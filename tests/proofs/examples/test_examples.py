"""The examples, run as a reader would run them; the webhook receivers have tests of their own beside these."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from examples.own_server import OwnServer, free_port, own_server
from examples.webhook_receiver import Receiver
from livecore.access.directory import STUDIOS
from livecore.access.managing_members import SECRET_BYTES
from livecore.access.members import add_member
from livecore.access.personal_keys import add_personal_key
from livecore.kernel.entropy import Entropy
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.store import Transaction
from livecore_client import SdkClient, ServerClient, errors, webhooks
from livecore_client.rows import MigrateWalletRow
from livecore_server.games import all_games
from livecore_server.storage.database import store_at
from livecore_server.system import draw_seed, now_millis
from tests.patience import PATIENCE_SECONDS

ROOT = Path(__file__).parents[3]


def ended(*arguments: str, typed: str = "", **environment: str) -> tuple[int, str, str]:
    """How a Python program ends, started in the repository, and what it prints and complains of."""
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, check=False,
        timeout=PATIENCE_SECONDS, input=typed,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def run(*arguments: str, typed: str = "", **environment: str) -> str:
    """What a Python program prints; fails when the program does."""
    status, printed, complained = ended(*arguments, typed=typed, **environment)
    assert status == 0, printed + complained
    return printed


def test_equal_seeds_give_equal_weeks() -> None:
    """The simulated week of a seed is the same to the last letter, however Python hashes; another seed's is not."""
    one = run("examples/simulated_week.py", "1", PYTHONHASHSEED="1")
    assert run("examples/simulated_week.py", "1", PYTHONHASHSEED="2") == one
    assert run("examples/simulated_week.py", "2") != one


def test_the_week_tells_what_happened() -> None:
    """Seven days, twelve players, gifts that came back, and where the gold is."""
    lines = run("examples/simulated_week.py").splitlines()
    assert [line.partition(":")[0] for line in lines[:7]] == [f"day {day}" for day in range(1, 8)]
    assert len(lines) == 7 + 12 + 1
    assert any(" 0 came back" not in line for line in lines[:7])
    assert lines[-1].startswith("gold: ")


def test_a_season_ends_with_the_boards_and_trophies_that_its_results_give() -> None:
    """The program asserts each final board and each reward itself; equal seeds give equal seasons."""
    printed = run("examples/weekly_cups.py", "7", PYTHONHASHSEED="1")
    assert run("examples/weekly_cups.py", "7", PYTHONHASHSEED="2") == printed
    lines = printed.splitlines()
    assert [line.partition(":")[0] for line in lines[:4]] == [f"cup {number}" for number in range(1, 5)]
    assert sum(int(line.split()[1]) for line in lines[4:]) == 4 * (5 + 3 + 1)


def test_the_games_own_tests_pass() -> None:
    """A studio's unit tests run against the world by pytest and the plugin alone."""
    alone = ("-p", "no:xdist", "-p", "no:timeout", "-p", "no:cacheprovider")  # nothing but pytest is installed
    assert " passed" in run("-m", "pytest", "-q", *alone, "examples/game_tests")


def test_the_walk_through_ends_with_exactly_the_events_that_are_written_down() -> None:
    """Two players go from registering to a claimed gift over HTTP, and the receiver hears of all of it, once and signed."""
    lines = run("-m", "examples.walkthrough").splitlines()
    assert lines[-1] == "13 events came, every signature was right, none is missing and none too much"
    assert sum(line.startswith("    webhook ") for line in lines) == 13


def test_the_walk_through_can_be_told_to_a_server_that_runs_already() -> None:
    """Given an address and keys it plays there, any number of times; given a port and a secret it also receives."""
    with own_server() as server:
        where = [server.base_url, server.client_key, server.server_key]
        assert "Bob claims it" in run("-m", "examples.walkthrough", *where).splitlines()[-1]
        port = str(free_port())
        secret = server.add_webhook(f"http://localhost:{port}/")
        assert run("-m", "examples.walkthrough", *where, port, secret).splitlines()[-1].startswith("13 events came")


def test_crates_are_opened_in_a_world_and_on_a_server_alike() -> None:
    """The same program plays in both, and pity gives a sword in time."""
    with own_server() as server:
        printed = (
            run("-m", "examples.open_crates"),
            run("-m", "examples.open_crates", server.base_url, server.client_key, server.server_key),
        )
    for lines in map(str.splitlines, printed):
        assert lines[:4] == [
            "A starter-chest always holds 20 gold, and one of these:",
            "  1 potion, with a chance of 0.7",
            "  5 gems, with a chance of 0.25",
            "  1 sword, with a chance of 0.05",
        ]
        assert 1 <= len(lines[4:]) <= 20
        assert lines[-1] == f"chest {len(lines[4:])} holds 20 gold and 1 sword"


def test_a_guild_lives_in_a_world_and_on_a_server_alike() -> None:
    """The same program plays in both, and prints the same."""
    with own_server() as server:
        printed = (
            run("-m", "examples.guild"),
            run("-m", "examples.guild", server.base_url, server.client_key, server.server_key),
        )
    for lines in map(str.splitlines, printed):
        assert lines == [
            "ursula founds a guild of up to 50",
            "vera joins; there are 2 members",
            "wilma joins; there are 3 members",
            "wilma asked for 5 potions and has 2",
            "a co_leader cannot promote: that takes a leader",
            "  vera: leader",
            "  ursula: co_leader",
            "  wilma: member",
        ]


def test_a_lobby_is_played_in_a_world_and_on_a_server_alike() -> None:
    """The same program plays in both: two wait, bots take the free seats, one wins, and both are paid at once."""
    with own_server() as server:
        printed = (run("-m", "examples.lobby"), run("-m", "examples.lobby", server.base_url, server.client_key))
    for lines in map(str.splitlines, printed):
        assert lines[:3] == [
            "1 of 4 seats are taken",
            "2 of 4 seats are taken",
            "the lobby starts, because of its timeout:",
        ]
        assert [line.partition(",")[0] for line in lines[3:7]] == ["  xenia", "  yann", "  a bot", "  a bot"]
        assert lines[7:9] == [
            "xenia has 100 points and rank 1, and the session is over",
            "yann is refused: his attempt is frozen",
        ]
        assert [line.endswith("(bot)") for line in lines[9:13]] == [False, False, True, True]
        assert lines[13:] == ["xenia is paid 1 trophies", "yann is paid 5 xp"]


def test_a_guild_war_is_fought_in_a_world_and_on_a_server_alike() -> None:
    """The same program plays in both, and prints the same: rosters, scores, what is paid at once, and the ranks."""
    with own_server() as server:
        printed = (
            run("-m", "examples.guild_war"),
            run("-m", "examples.guild_war", server.base_url, server.client_key, server.server_key),
        )
    for lines in map(str.splitlines, printed):
        assert lines == [
            "Night Owls, members: 2, points: 0 of 200",
            "Early Birds, members: 2, points: 0 of 200",
            "ursula scores 120, which makes 120 of 200 for the Night Owls",
            "zoe scores 90, which makes 90 of 200 for the Early Birds",
            "vera scores 80, which makes 200 of 200 for the Night Owls",
            "vera is paid 20 gold (event_team_goal)",
            "vera is paid 5 xp (event_team_milestone)",
            "a roster is refused: locked_elsewhere",
            "Early Birds, members: 1, points: 90 of 100",
            "Night Owls, members: 3, points: 200 of 200",
            "zoe scores 30, which makes 230 of 200 for the Night Owls",
            "1. Night Owls, 230 points",
            "   ursula: 120",
            "   vera: 80",
            "   zoe: 30",
            "2. Early Birds, 90 points",
            "   yann: 0",
        ]


def test_a_pair_plays_in_a_world_and_on_a_server_alike() -> None:
    """The same program plays in both, and prints the same."""
    with own_server() as server:
        printed = (run("-m", "examples.pairs"), run("-m", "examples.pairs", server.base_url, server.client_key))
    for lines in map(str.splitlines, printed):
        assert lines == [
            "rosa cannot start alone: team_required",
            "a pair: rosa and sven",
            "till has 0 invitations left",
            "rosa drives 4: the pair has 4 of 10, active",
            "sven drives 6: the pair has 10 of 10, completed",
            "rosa is paid 1 potion",
            "sven is paid 1 potion",
        ]


def test_the_receiver_takes_an_event_once_and_nothing_unproven(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second delivery of an event is answered and not taken; a wrong signature is refused and counted."""
    monkeypatch.setattr("livecore_client.webhooks.time.time", lambda: 1_769_850_000.0)
    event = {
        "id": "evt_1",
        "eventName": "weather.changed",
        "studioId": "std_1",
        "gameId": "gam_1",
        "occurredAt": "2026-01-31T09:00:00.000Z",
        "deliveryAttempt": 1,
        "data": {},
    }
    body = json.dumps(event).encode()
    with Receiver(0, "whsec_right") as receiver:
        for secret, status in (("whsec_right", 204), ("whsec_right", 204), ("whsec_wrong", 400)):
            header = {webhooks.SIGNATURE_HEADER: webhooks.sign([secret], 1_769_850_000, body)}
            assert httpx.post(receiver.url, content=body, headers=header).status_code == status
        assert httpx.post(receiver.url, content=body).status_code == 400
        assert receiver.kinds() == {"weather.changed": 1}
        assert receiver.refused == 2


# -- what a studio's people do --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server() -> Iterator[OwnServer]:
    """A server for all of them."""
    with own_server() as running:
        yield running


@pytest.fixture(scope="module")
def studio(server: OwnServer) -> Iterator[ServerClient]:
    """The studio's client of it."""
    with ServerClient(base_url=server.base_url, api_key=server.server_key) as client:
        yield client


@pytest.fixture
def keys(server: OwnServer) -> dict[str, str]:
    """The environment in which the examples find the server."""
    return {"LIVECORE_BASE_URL": server.base_url, "LIVECORE_SERVER_KEY": server.server_key}


def player(server: OwnServer, name: str) -> SdkClient:
    """A registered player's client."""
    client = SdkClient(base_url=server.base_url, api_key=server.client_key, external_player_id=name)
    client.players.register()
    return client


def personal_key(server: OwnServer, email: str) -> tuple[str, str]:
    """The personal key of a member of the server's studio, and the game that it may act on."""
    with store_at(server.database) as store:
        (game,) = store.read(DIRECTORY, all_games)

        def add(tx: Transaction) -> str:
            entropy, now = Entropy(draw_seed()), now_millis()
            studio = tx.get(STUDIOS, game.studio_id)
            assert studio is not None
            member, _ = add_member(tx, studio, email, "GAME_ADMIN", now, entropy)
            return add_personal_key(
                tx, studio.studio_id, member.member_id, "desk", now, entropy, secret=entropy.bytes(SECRET_BYTES),
                expires_in_days=7, read_only=False,
            ).text  # fmt: skip

        return store.write(DIRECTORY, add), game.game_id


def test_an_operator_works_in_a_world_and_on_a_server_alike(server: OwnServer) -> None:
    """The same program, and the audit trail says the same."""
    key, game_id = personal_key(server, "olga@example.com")
    with player(server, "piet"):
        there = run("-m", "examples.studio_operator", server.base_url, key, game_id, "piet", "test")
    here = run("-m", "examples.studio_operator")
    for printed, name in ((here, "anna"), (there, "piet")):
        lines = printed.splitlines()
        assert lines[0] == f"olga@example.com (GAME_ADMIN) looks {name} up"
        assert lines[2:6] == [
            "  gets 25 gold and has 25 now",
            "  is banned",
            "  may play again",
            "the audit trail says:",
        ]
        assert [line.partition(" olga@example.com, via api: ")[2] for line in lines[6:]] == [
            "wallet.adjust (a lost chest, ticket 4709)",
            "players.ban (insults in chat, ticket 4711)",
            "players.unban (insults in chat, ticket 4711)",
        ]
    refused = ended("-m", "examples.studio_operator", server.base_url, key, game_id, "nobody", "test")
    assert (refused[0], "player_not_found" in refused[2]) == (1, True)


def test_the_support_desk_helps(server: OwnServer, studio: ServerClient, keys: dict[str, str]) -> None:
    """Every command says what it did, and does it; a compensation is paid once for a ticket."""

    def desk(*words: str) -> str:
        return run("examples/support_desk.py", *words, **keys).strip()

    with player(server, "dora") as dora:
        dora.purchases.track(
            transaction_id="t-1", store="app_store", product_id="gems_10", product_type="consumable",
            amount_minor=499, currency="USD",
        )  # fmt: skip
        assert (desk("ban", "dora", "insults"), desk("ban", "dora", "threats")) == (
            "banned",
            "was banned already; the reason is new",
        )
        assert (desk("flag", "dora", "tester"), desk("flag", "dora", "tester")) == ("flagged", "was flagged already")
        grant = desk("compensate", "dora", "gold", "100", "ticket 1")
        assert desk("compensate", "dora", "gold", "100", "ticket 1") == grant
        looked = desk("look", "dora")
        for told in ("threats", "spent 4.99 USD, 4.99 in 30 days", "debug account", "pending"):
            assert told in looked
        with pytest.raises(errors.PlayerBanned):
            dora.presence.heartbeat()
        assert (desk("unban", "dora"), desk("unban", "dora")) == ("may play again", "was not banned")
        assert (desk("unflag", "dora"), desk("unflag", "dora")) == ("counts again", "was not flagged")
        assert "gems_10: 499 USD, unverified, app_store t-1" in desk("purchases", "dora")
        (waiting,) = dora.grants.iterate_pending()
        dora.grants.claim(waiting.grant_id)
    assert {row.key: row.balance for row in studio.players.export("dora").wallet} == {"gold": 100}


def test_the_support_desk_says_what_cannot_be_done(server: OwnServer, keys: dict[str, str]) -> None:
    """An unknown player, another sum for a ticket, a number that is none, and a server that is not there: one line each."""
    with player(server, "emil"):
        run("examples/support_desk.py", "compensate", "emil", "gold", "1", "ticket 2", **keys)
        elsewhere = {**keys, "LIVECORE_BASE_URL": f"http://127.0.0.1:{free_port()}", "LIVECORE_MAX_ATTEMPTS": "1"}
        for words, environment, told in (
            (("look", "nobody"), keys, "There is no player 'nobody'."),
            (("compensate", "nobody", "gold", "1", "ticket 3"), keys, "There is no player 'nobody'."),
            (("compensate", "emil", "gold", "2", "ticket 2"), keys, "Something else was given for this ticket."),
            (("compensate", "emil", "gold", "some", "ticket 3"), keys, "invalid int value: 'some'"),
            (("look", "emil"), elsewhere, "refused, so no server listens there"),
        ):
            status, printed, complained = ended("examples/support_desk.py", *words, **environment)
            assert (status > 0, printed) == (True, "")
            assert told in complained
            assert "Traceback" not in complained


def test_a_data_subject_is_answered(
    server: OwnServer, studio: ServerClient, keys: dict[str, str], tmp_path: Path
) -> None:
    """Everything is in the file, also what did not fit into one answer; nothing is erased but by typing the id again."""
    file = tmp_path / "frida.json"
    program = ("examples/data_subject_request.py", "frida", str(file))
    player(server, "frida").close()
    rows = [MigrateWalletRow(idempotency_key=f"frida:{n}", external_player_id="frida", economy_key="gold", amount=1)
            for n in range(1_060)]  # fmt: skip
    for some in (rows[:1_000], rows[1_000:]):
        studio.migrate.wallet(rows=some)
    status, _, complained = ended("examples/data_subject_request.py", "frida", str(tmp_path / "no" / "file"), **keys)
    assert (status, "cannot be written" in complained, "Traceback" in complained) == (1, True, False)
    file.touch(mode=0o644)  # an older export that others could read
    assert "1060 ledger" in run(*program, **keys)
    held = json.loads(file.read_text("utf-8"))
    assert len({row["entryId"] for row in held["ledger"]}) == 1_060
    assert not any(held["truncated"].values())
    assert file.stat().st_mode & 0o077 == 0
    status, _, complained = ended(*program, "--erase", typed="no\n", **keys)
    assert (status, complained.strip()) == (1, "Nothing was erased.")
    assert studio.players.get("frida").player.external_player_id == "frida"
    told = run(*program, "--erase", typed="frida\n", **keys)
    assert "Status: erased. The player is __deleted_" in told
    assert "Backups that were made before today hold everything" in told
    status, _, complained = ended(*program, **keys)
    assert (status, complained.strip()) == (
        1,
        "Nothing is held about 'frida': there is no such player, or not any more.",
    )


def test_a_merged_data_subject_is_told_whose_the_data_is(
    server: OwnServer, studio: ServerClient, keys: dict[str, str], tmp_path: Path
) -> None:
    """Nobody is told that nothing is held while all of it is, under another id."""
    for name in ("greta-guest", "greta"):
        player(server, name).close()
    studio.players.merge("greta-guest", "greta")
    program = ("examples/data_subject_request.py", "greta-guest", str(tmp_path / "greta.json"), "--erase")
    status, told, complained = ended(*program, typed="greta-guest\n", **keys)
    assert (status, told) == (1, "")
    assert complained.strip() == (
        "'greta-guest' was merged into 'greta', who has the data now: run this again for 'greta'."
    )
    assert studio.players.get("greta").player.external_player_id == "greta"


def test_players_move_in_from_a_file(studio: ServerClient, keys: dict[str, str], tmp_path: Path) -> None:
    """All good rows apply, once however often the file is sent; the others stand in a file, to be mended and sent."""
    wallet = tmp_path / "wallet.csv"
    wallet.write_text(
        "externalPlayerId,economyKey,amount\n"
        + "".join(f"old-{number},gold,{number}\n" for number in range(1, 601))
        + "old-1,no-such-key,5\nold-2,gold,many\nold-3,gold,7,8\n"
    )
    command = ("examples/move_players_in.py", "wallet")
    status, printed, complained = ended(*command, str(wallet), **keys)
    assert (status, printed.splitlines()) == (
        1,
        ["603 rows: 600 applied, 0 before, 3 failed", "  malformed_row: 2", "  economy_key_not_found: 1"],
    )
    failures = tmp_path / "wallet.failures.csv"
    assert str(failures) in complained
    assert "603 rows: 0 applied, 600 before, 3 failed" in ended(*command, str(wallet), **keys)[1]
    mended = failures.read_text("utf-8").replace("no-such-key", "gems").replace("many", "9")
    failures.write_text("\n".join(row for row in mended.splitlines() if "old-3" not in row))
    assert run(*command, str(failures), **keys) == "2 rows: 2 applied, 0 before, 0 failed\n"
    assert {row.key: row.balance for row in studio.players.export("old-1").wallet} == {"gold": 1, "gems": 5}


def test_players_and_items_move_in_with_all_their_columns(
    studio: ServerClient, keys: dict[str, str], tmp_path: Path
) -> None:
    """Times, objects and empty cells are read as what they are."""
    players, inventory = tmp_path / "players.csv", tmp_path / "inventory.csv"
    players.write_text(
        "idempotencyKey,externalPlayerId,name,avatar,country,firstSeenAt,lastSeenAt,playerContext\n"
        'p1,old-a,Ada,,SE,2020-01-31T09:30:00.000Z,2024-01-31T09:30:00.000Z,"{""level"": 7}"\n'
    )
    inventory.write_text('externalPlayerId,itemKey,quantity,parameters\nold-a,sword,2,"{""level"": 9}"\n')
    for kind, file in (("players", players), ("inventory", inventory)):
        printed = run("examples/move_players_in.py", kind, str(file), **keys)
        assert printed == "1 rows: 1 applied, 0 before, 0 failed\n"
    arrived = studio.players.export("old-a")
    assert (arrived.player.display_identity.name, arrived.player.country) == ("Ada", "SE")
    assert str(arrived.player.first_seen_at) == "2020-01-31T09:30:00.000Z"
    assert arrived.player.last_context_snapshot == {"level": 7}
    assert [(row.item_key, row.quantity, row.parameters) for row in arrived.inventory] == [
        ("sword", 2, {"level": 9, "durability": 100})
    ]


def test_an_example_is_short_enough_to_be_read() -> None:
    """An example that needs 120 lines needs to be two."""
    lengths = {path.name: len(path.read_text("utf-8").splitlines()) for path in (ROOT / "examples").rglob("*.py")}
    assert {name: length for name, length in lengths.items() if length >= 120} == {}
