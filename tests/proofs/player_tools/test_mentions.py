"""Texts that name many players: erasing any one of them removes each such text, on every store."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from livecore import World
from livecore.api.requests import idempotency
from livecore.api.requests.answer_mentions import ANSWER_MENTIONS
from livecore.api.requests.idempotency import ANSWERS
from livecore.guilds.webhook_events import By, GuildHelpDonated
from livecore.kernel.declarations import player_lifecycle
from livecore.kernel.storage.memory import MemoryStore
from livecore.kernel.storage.store import Store
from livecore.kernel.time import DAY, Timestamp
from livecore.kernel.units.unit import Unit
from livecore.webhooks import policies as webhook_policies
from livecore.webhooks.history import DeliveryFilter, find_deliveries
from livecore.webhooks.outbox import EVENTS
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.sqlite import SqliteStore
from tests.player_tools.parties import (
    TEN,
    boards,
    bodies,
    delivered,
    details,
    erase,
    form,
    grant_contact,
    is_kept,
    listening,
    mentions,
    merge,
    settled,
    world_over,
)
from tests.player_tools.soundness import faults_of
from tests.postgres.server import ready_database, started_server
from tests.worlds import rows_of


@pytest.fixture(params=[player_lifecycle.FEW, 0], ids=["row by row", "in bulk"], autouse=True)
def few(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything holds however many rows a player has; the world is too small to have many."""
    monkeypatch.setattr(player_lifecycle, "FEW", request.param)


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """Each of the three stores."""
    if request.param == "memory":
        yield MemoryStore()
    elif request.param == "sqlite":
        with closing(SqliteStore(tmp_path / "game.db")) as near:
            yield near
    else:
        with started_server(), ready_database() as url, closing(PostgresStore(url)) as distant:
            yield distant


@pytest.fixture
def game(store: Store, monkeypatch: pytest.MonkeyPatch) -> World:
    """A world over that store, with the ten and the two operations that name them."""
    return world_over(store, monkeypatch)


# -- answers --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("leader", [None, "rank-3"])
def test_an_answer_that_names_ten_goes_with_each_of_them(game: World, leader: str | None) -> None:
    """Whichever it is, first or last; answers that name others stay, and are replayed."""
    for number, name in enumerate((TEN[0], TEN[4], TEN[9])):
        left = tuple(other for other in TEN if other != name)
        form(game, f"ten-{number}", leader=leader)
        form(game, f"nine-{number}", left, leader=leader)
        assert is_kept(game, f"ten-{number}", leader=leader)
        erase(game, name)
        assert name not in {row.name for row in rows_of(game, ANSWER_MENTIONS)}
        assert f'"{name}"' not in bodies(game)
        assert is_kept(game, f"nine-{number}", left, leader=leader)
        assert faults_of(game) == []
        game._players.clear()
        grant_contact(game, name)


def test_a_merge_takes_the_name_along(game: World) -> None:
    """What named the source is found by the target from then on: it stays for now, and goes with the target."""
    for name in ("account", "other"):
        grant_contact(game, name)
    form(game, "many")
    form(game, "both", ("rank-2", "account", "other"))
    merge(game, "rank-2", "account")
    assert is_kept(game, "many")
    assert is_kept(game, "both", ("rank-2", "account", "other"))
    assert "rank-2" not in {row.name for row in rows_of(game, ANSWER_MENTIONS)}
    assert faults_of(game) == []
    erase(game, "account")
    assert "rank-2" not in bodies(game)
    assert rows_of(game, ANSWER_MENTIONS) == []
    assert faults_of(game) == []


def test_whoever_takes_a_merged_id_anew_is_somebody_else(game: World) -> None:
    """Erasing the later owner of the id does not forget what named the earlier one."""
    grant_contact(game, "account")
    form(game, "many")
    merge(game, "rank-2", "account")
    grant_contact(game, "rank-2")
    erase(game, "rank-2")
    assert is_kept(game, "many")


def test_an_answer_about_somebody_goes_with_them_and_all_it_mentions(game: World) -> None:
    """Also where what it says of nine others is deleted in bulk."""
    for number in range(4):
        form(game, f"led-{number}", TEN[1:], leader=TEN[0])
    assert len(rows_of(game, ANSWER_MENTIONS)) == 4 * 9
    erase(game, TEN[0])
    assert mentions(game) == []
    assert faults_of(game) == []


def test_one_other_player_stands_in_the_answers_own_row(game: World) -> None:
    """As before: an answer that names one needs no further row, and who it is about is not another."""
    form(game, "one", ("rank-2",), leader="rank-1")
    form(game, "both", ("rank-1", "rank-2"), leader="rank-1")
    assert {row.shows for row in rows_of(game, ANSWERS) if "rank-2" in row.body} == {"rank-2"}
    assert mentions(game) == []
    erase(game, "rank-2")
    assert '"rank-2"' not in bodies(game)


def test_mentions_are_swept_with_their_answers(game: World) -> None:
    """After their day."""
    form(game, "many")
    assert len(mentions(game)) == 10
    game.advance(hours=25)
    assert (rows_of(game, ANSWERS), mentions(game)) == ([], [])


def test_a_later_answer_under_the_same_key_mentions_others(game: World) -> None:
    """Where the sweep is late, nothing of the first one's mentions is left."""
    form(game, "again")
    game.now += DAY
    form(game, "again", TEN[:3])
    assert sorted(row.name for row in rows_of(game, ANSWER_MENTIONS)) == sorted(TEN[:3])
    form(game, "again", TEN[:3])
    erase(game, TEN[9])
    assert is_kept(game, "again", TEN[:3])
    assert faults_of(game) == []


def test_very_many_answers_are_forgotten_in_batches(game: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """None is found by the name any more; the work that follows forgets all, and nothing of a new player with the id."""
    monkeypatch.setattr(idempotency, "MOST_ROWS", 3)
    for number in range(10):
        form(game, f"party-{number}", TEN[:3])
    erase(game, TEN[0])
    assert TEN[0] not in {row.name for row in rows_of(game, ANSWER_MENTIONS)}
    assert faults_of(game) == []
    grant_contact(game, TEN[0])
    form(game, "of the new one", TEN[:3])
    game.advance(seconds=1)
    assert {row.total for row in rows_of(game, ANSWER_MENTIONS)} == {3}
    assert len(rows_of(game, ANSWER_MENTIONS)) == 3
    assert is_kept(game, "of the new one", TEN[:3])
    assert not is_kept(game, "party-0", TEN[:3])
    assert faults_of(game) == []


# -- events ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [TEN[0], TEN[1], TEN[2], TEN[9]])
def test_an_event_that_names_ten_is_emptied_with_each_of_them(game: World, name: str) -> None:
    """Once it is delivered: at once, and nothing mentions anybody any more. Of two events the other stays."""
    listening(game, "a", "b")
    settled(game)
    settled(game, tuple(other for other in TEN if other != name))
    delivered(game)
    assert len(mentions(game)) == 8 + 7
    erase(game, name)
    first, second = boards(game)
    assert (first.data, first.personal) == ("{}", "gone")
    assert (second.personal, len(json.loads(second.data)["topRanks"])) == ("kept", 10)
    assert {row.event_id for row in mentions(game)} == {second.event_id}
    assert faults_of(game) == []


def test_what_is_on_its_way_is_emptied_when_the_last_has_it(game: World) -> None:
    """Both endpoints are told all of it; another erasure in the meantime changes nothing."""
    listening(game, "a", "b")
    settled(game)
    erase(game, TEN[9])
    (event,) = boards(game)
    assert event.personal == "going"
    delivered(game, fits=lambda url: "a.example" in url)
    erase(game, TEN[8])
    (event,) = boards(game)
    assert (event.personal, len(json.loads(event.data)["topRanks"])) == ("going", 11)
    assert faults_of(game) == []
    game.advance(minutes=2)
    delivered(game)
    (event,) = boards(game)
    assert (event.data, event.personal) == ("{}", "gone")
    assert mentions(game) == []
    assert faults_of(game) == []


def test_an_event_that_names_whoever_was_merged_is_emptied(game: World) -> None:
    """It names the source's id for good, and goes with the target."""
    listening(game, "a")
    grant_contact(game, "account")
    settled(game)
    delivered(game)
    merge(game, TEN[7], "account")
    assert boards(game)[0].personal == "kept"
    delivered(game)
    erase(game, "account")
    assert (boards(game)[0].data, mentions(game)) == ("{}", [])
    assert f'"{TEN[7]}"' not in bodies(game)
    assert faults_of(game) == []


def test_three_single_fields_are_found_like_a_list(game: World) -> None:
    """Who donated, who received, and an operator's player who caused it."""
    listening(game, "a")
    ids = [str(details(game, name)["id"]) for name in TEN[:3]]
    game.unit_of_work(
        lambda unit: unit.emit(
            GuildHelpDonated(
                guild_id="gld_1", guild_name="G", by=By.player(ids[0], TEN[0]), request_id="r", donation_id="don_1",
                grant_id="gr", reward_grant_id=None, donor_player_id=ids[1], donor_external_player_id=TEN[1],
                recipient_player_id=ids[2], recipient_external_player_id=TEN[2], type="item", resource_key="potion",
                amount=1, costs_donor=False, costs_charged_by="platform", amount_received=1, amount_requested=1,
                filled=True, donated_at=Timestamp(0),
            )
        )
    )  # fmt: skip
    delivered(game)
    assert [row.player_id for row in mentions(game)] == [ids[2]]
    assert faults_of(game) == []
    erase(game, TEN[2])
    delivered(game)
    assert TEN[2] not in bodies(game)


def test_very_many_events_are_emptied_in_batches(game: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the erasure itself leaves is done right after it; of the three that it does, one tells of the erasure."""
    listening(game, "a")
    for _ in range(10):
        settled(game)
    delivered(game)
    monkeypatch.setattr(webhook_policies, "MOST_ROWS", 3)
    erase(game, TEN[9])
    assert [row.personal for row in boards(game)].count("kept") == 8
    game.advance(seconds=1)
    assert {row.personal for row in boards(game)} == {"gone"}
    assert mentions(game) == []
    assert faults_of(game) == []


def test_a_delivery_is_found_by_any_player_whom_its_event_names(game: World) -> None:
    """By one in the event's row, by one beyond it, and by nobody else."""
    listening(game, "a")
    settled(game, TEN[:9])
    ids = [str(details(game, name)["id"]) for name in TEN]

    def kinds(player_id: str) -> list[str]:
        def look(unit: Unit) -> list[str]:
            found = find_deliveries(unit, DeliveryFilter(player_id=player_id)).rows
            events = [unit.tx.get(EVENTS, row.event_id) for row in found]
            return [event.kind for event in events if event is not None]

        return game.unit_of_work(look)

    assert [kinds(ids[place]) for place in (0, 1, 2, 8, 9)] == [["leaderboard.finalized"]] * 4 + [[]]


def test_mentions_are_swept_with_their_events(game: World) -> None:
    """After thirty days, with the last delivery."""
    listening(game, "a")
    settled(game)
    delivered(game)
    # At once, as after a standstill: each hour of the month would sweep everything else besides.
    game.now += 32 * DAY
    game.advance()
    assert (boards(game), mentions(game)) == ([], [])
