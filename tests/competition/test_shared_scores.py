"""Scores on shared leaderboards: how each aggregation takes them, who may give them, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from livecore.kernel.storage.records import evolve
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire.shapes import MAX_AMOUNT
from livecore.leaderboards.boards import ENTRIES
from livecore.leaderboards.scores import feed, to_feed
from livecore.players.player import by_id
from livecore.world import Caller, World, WorldPlayer
from tests.competition.games import event, leaderboard
from tests.competition.playing import progress, started
from tests.competition.shared import board_of, ranks, score, shared, shown, with_boards
from tests.worlds import ask, ban, befriend, rows_of


def test_a_score_puts_its_player_on_the_leaderboard() -> None:
    """The answer has the entry with its rank, and where it stood before."""
    game = shared()
    ann, bob = game.player("ann"), game.player("bob")
    first = score(ann, 10)
    assert (first.status, first["previous"]) == (200, None)
    assert (first["entry.rank"], first["entry.score"], first["entry.externalPlayerId"]) == (1, 10, "ann")
    assert score(bob, 20)["entry.rank"] == 1
    game.advance(seconds=1)
    again = score(ann, 30)
    assert again["previous"] == {"rank": 2, "score": 10}
    assert (again["entry.rank"], again["entry.reachedAt"]) == (1, "2026-01-04T12:00:01.000Z")
    assert shown(game) == [(1, "ann", 30), (2, "bob", 20)]


def test_a_score_that_is_no_better_changes_nothing() -> None:
    """The entry keeps its score, and the time since which it stands."""
    game = shared()
    ann = game.player("ann")
    score(ann, 10)
    game.advance(minutes=1)
    again = score(ann, 9)
    assert (again["entry.score"], again["entry.reachedAt"]) == (10, "2026-01-04T12:00:00.000Z")
    assert again["previous"] == {"rank": 1, "score": 10}


@pytest.mark.parametrize(("aggregation", "expected"), [("sum", 21), ("best", 12), ("lowest", 2), ("last", 7)])
def test_each_aggregation_takes_scores_in_its_way(aggregation: str, expected: int) -> None:
    """Added, the best, the lowest, or the last."""
    game = shared(aggregation=aggregation)
    said = [score("ann", points, world=game)["entry.score"] for points in (12, 2, 7)]
    assert said[-1] == expected


def test_less_is_better_where_the_order_says_so() -> None:
    """Ranks follow the order, ties the earlier time."""
    game = shared(order="asc", aggregation="lowest")
    for name, points in (("ann", 30), ("bob", 20), ("cid", 20)):
        score(name, points, world=game)
        game.advance(seconds=1)
    assert shown(game) == [(1, "bob", 20), (2, "cid", 20), (3, "ann", 30)]


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.integers(-5, 5)), min_size=1, max_size=15))
def test_ranks_equal_a_full_sort_after_every_score(scores: list[tuple[str, int]]) -> None:
    """By the score, then by who reached it first, then by id; the answer's rank is that of the page."""
    game = shared(aggregation="last")
    standing: dict[str, tuple[int, int, str]] = {}
    for name, points in scores:
        player = game.player(name)
        if name not in standing or -standing[name][0] != points:
            standing[name] = (-points, game.now, player.player_id)
        said = score(player, points)
        order = sorted(standing, key=lambda one: standing[one])
        assert said["entry.rank"] == order.index(name) + 1
        assert shown(game) == [(rank, one, -standing[one][0]) for rank, one in enumerate(order, 1)]
        game.advance(seconds=0.5 if points % 2 else 0)


def test_refusals_come_in_their_order() -> None:
    """No such leaderboard, another source, a value that cannot be taken, and at last a validator."""
    limit = {"key": "v", "kind": "range", "max": 5, "verdict": "reject"}
    game = with_boards(
        leaderboard("adding", aggregation="sum", validators=[limit]),
        leaderboard("backend", aggregation="sum", source="server"),
        leaderboard("fed", source="event", event="race"),
        events=[event()],
    )
    ann = game.player("ann")
    assert score(ann, -1, "other").refusal == (404, "leaderboard_not_found")
    assert score(ann, -1, "backend").refusal == (403, "score_source_forbidden")
    assert score(ann, 1, "fed").refusal == (403, "score_source_forbidden")
    assert score(ann, -1, "adding").fields == ["score"]
    refused = score(ann, 6, "adding")
    assert refused.refusal == (422, "anti_cheat_rejected")
    assert refused["details.validatorKey"] == "v"
    assert refused["details.metricSnapshot.after"] == 6
    assert rows_of(game, ENTRIES) == []
    assert score(ann, 5, "adding").status == 200


def test_the_backend_gives_scores_wherever_no_event_does() -> None:
    """For leaderboards of clients too; an unknown player is none."""
    game = with_boards(
        leaderboard("own", source="server"), leaderboard(), leaderboard("fed", source="event", event="race"),
        events=[event()],
    )  # fmt: skip
    game.player("ann")
    for key, status in (("own", 200), ("weekly", 200), ("fed", 403), ("none", 404)):
        assert ask(game.server, "leaderboards.submit", external_id="ann", key=key, score=1).status == status
    said = ask(game.server, "leaderboards.submit", external_id="zoe", key="own", score=1)
    assert said.refusal == (404, "player_not_found")


def test_a_sum_stops_where_numbers_do() -> None:
    """Beyond 2^53 - 1 the score is refused, and the entry stands."""
    game = shared(aggregation="sum")
    ann = game.player("ann")
    score(ann, MAX_AMOUNT)
    assert score(ann, 1).fields == ["score"]
    assert score(ann, 0)["entry.score"] == MAX_AMOUNT


def test_a_rate_is_measured_since_the_write_before() -> None:
    """And the first one since the period began."""
    limit = {"key": "v", "kind": "max_rate", "limit": 10, "verdict": "reject"}
    game = shared(aggregation="sum", validators=[limit])
    ann = game.player("ann")
    assert score(ann, 100_000).status == 200
    game.advance(seconds=10)
    assert score(ann, 101).refusal == (422, "anti_cheat_rejected")
    assert score(ann, 100).status == 200
    assert score(ann, 11).refusal == (422, "anti_cheat_rejected")
    # However short ago that was: five within half a second are ten a second.
    game.advance(seconds=0.5)
    assert score(ann, 6).refusal == (422, "anti_cheat_rejected")
    assert score(ann, 5).status == 200
    assert score(ann, 1).refusal == (422, "anti_cheat_rejected")
    assert score(ann, 0).status == 200


@pytest.mark.parametrize(("aggregation", "first"), [("sum", 422), ("best", 200), ("last", 200)])
def test_the_first_score_is_a_step_where_scores_are_added(aggregation: str, first: int) -> None:
    """From 0; where they are not added there is no value that it changes."""
    limit = {"key": "v", "kind": "max_step", "limit": 100, "verdict": "reject"}
    game = shared(aggregation=aggregation, validators=[limit])
    ann = game.player("ann")
    assert score(ann, 101).status == first
    assert score(game.player("bob"), 100).status == 200


def test_who_joins_brings_the_country_of_the_address() -> None:
    """With the first score of a period, from the player's own client alone; the next ones read it no more."""
    game = shared()
    ann = game.player("ann")

    def submit(caller: Caller, country: str, **more: object) -> None:
        asked = caller.request("leaderboards.submit", key="weekly", score=1, **more)
        assert game.handle(evolve(asked, countries=(country, None))).status == 200

    def country() -> object:
        return board_of(game)["entries.0.country"]

    submit(game.server, "FI", external_id="ann")
    assert country() is None
    game.advance(days=1)
    submit(ann, "SE")
    assert country() == "SE"
    submit(ann, "NO")
    assert country() == "SE"
    game.advance(days=7)
    submit(ann, "NO")
    assert country() == "NO"


def test_a_validator_that_flags_takes_the_score() -> None:
    """The entry stays flagged."""
    limit = {"key": "v", "kind": "max_step", "limit": 5, "verdict": "flag"}
    game = shared(validators=[limit])
    ann = game.player("ann")
    score(ann, 1)
    (entry,) = rows_of(game, ENTRIES)
    assert not entry.flagged
    assert score(ann, 10)["entry.score"] == 10
    score(ann, 11)
    (entry,) = rows_of(game, ENTRIES)
    assert entry.flagged


def test_a_removed_entry_is_gone_until_the_next_score() -> None:
    """Removing it again removes nothing; a sum begins anew; an unknown leaderboard is refused."""
    game = shared(aggregation="sum")
    for name, points in (("ann", 30), ("bob", 20)):
        score(name, points, world=game)

    def removed(name: str, key: str = "weekly") -> Any:  # noqa: ANN401 - an answer
        return ask(game.server, "leaderboards.removeEntry", external_id=name, key=key)

    assert removed("ann")["removed"] is True
    assert shown(game) == [(1, "bob", 20)]
    assert removed("ann")["removed"] is False
    game.player("cid")
    assert removed("cid")["removed"] is False
    assert removed("ann", "other").refusal == (404, "leaderboard_not_found")
    assert board_of(game)["leaderboard.entryCount"] == 1
    assert score("ann", 1, world=game)["previous"] is None
    assert shown(game) == [(1, "bob", 20), (2, "ann", 1)]


def test_a_banned_player_stays_until_removed() -> None:
    """And cannot submit."""
    game = shared()
    ann = game.player("ann")
    score(ann, 5)
    ban(ann)
    assert score(ann, 6).refusal == (403, "player_banned")
    assert shown(game) == [(1, "ann", 5)]


# -- reading --------------------------------------------------------------------------------------------------------------


def test_a_leaderboard_without_entries_is_empty() -> None:
    """Declared is enough to be read; it says when it ends."""
    game = shared()
    said = board_of(game)
    assert said.list("entries") == []
    assert said["nextCursor"] is None
    row = said["leaderboard"]
    assert isinstance(row, dict)
    assert row | {"leaderboardId": "", "name": ""} == {
        "leaderboardId": "", "key": "weekly", "name": "", "eventKey": None, "eventWindowId": None, "lobbyId": None,
        "segment": None, "division": None, "cohort": None, "participantScope": "player", "status": "open",
        "order": "desc", "startsAt": "2025-12-29T00:00:00.000Z", "endsAt": "2026-01-05T00:00:00.000Z",
        "nextResetAt": "2026-01-05T00:00:00.000Z", "entryCount": 0,
    }  # fmt: skip
    score("ann", 1, world=game)
    assert board_of(game)["leaderboard.leaderboardId"] == row["leaderboardId"]


def test_pages_joined_are_the_leaderboard() -> None:
    """Each once, in order; `around` has its player in the middle."""
    game = shared()
    names = [f"p{number}" for number in range(7)]
    for number, name in enumerate(names):
        score(name, -number, world=game)
    page = board_of(game, limit=3)
    joined = [name for _, name, _ in ranks(page)]
    while page["nextCursor"] is not None:
        page = board_of(game, limit=3, cursor=page["nextCursor"])
        joined += [name for _, name, _ in ranks(page)]
    assert joined == names
    assert [rank for rank, _, _ in shown(game, limit=3, around="p3")] == [3, 4, 5]
    assert board_of(game, around="zoe").refusal == (404, "leaderboard_entry_not_found")
    assert board_of(game, around="p3", cursor="c").fields == ["cursor"]
    assert board_of(game, cursor="c").fields == ["cursor"]


@pytest.mark.parametrize("arguments", [{"division": "gold"}, {"cohort": 1}, {"period": "next"}, {"limit": 201}])
def test_what_a_leaderboard_does_not_have_is_refused(arguments: dict[str, Any]) -> None:
    """With the name of the parameter."""
    assert board_of(shared(), **arguments).fields == list(arguments)


def test_ones_own_entry_is_null_before_the_first_score() -> None:
    """With the leaderboard all the same."""
    game = shared()
    ann = game.player("ann")
    assert ask(ann, "leaderboards.getOwn", key="weekly")["entry"] is None
    score("bob", 9, world=game)
    score(ann, 4)
    own = ask(ann, "leaderboards.getOwn", key="weekly")
    assert (own["entry.rank"], own["entry.score"], own["leaderboard.entryCount"]) == (2, 4, 2)
    assert ask(ann, "leaderboards.getOwn", key="other").refusal == (404, "leaderboard_not_found")


def test_friends_stand_with_their_true_ranks() -> None:
    """Oneself among them, strangers not; without a score nobody is shown."""
    game = shared()
    ann, bob, cid, dan = (game.player(name) for name in ("ann", "bob", "cid", "dan"))
    befriend(ann, bob)
    befriend(dan, ann)
    for player, points in ((cid, 40), (bob, 30), (ann, 20)):
        score(player, points)
    assert ranks(ask(ann, "leaderboards.friends", key="weekly")) == [(2, "bob", 30), (3, "ann", 20)]
    assert ranks(ask(ann, "leaderboards.friends", key="weekly", limit=1)) == [(2, "bob", 30)]
    assert ranks(ask(cid, "leaderboards.friends", key="weekly")) == [(1, "cid", 40)]
    assert ranks(ask(dan, "leaderboards.friends", key="weekly")) == [(3, "ann", 20)]
    assert ask(ann, "leaderboards.friends", key="other").refusal == (404, "leaderboard_not_found")


def test_a_new_name_shows_at_the_next_read() -> None:
    """Identities are read when the page is."""
    game = shared()
    ann = game.player("ann")
    score(ann, 1)
    ask(ann, "players.setIdentity", name="Ann the Quick", avatar=None)
    (row,) = board_of(game).list("entries")
    assert row["name"] == "Ann the Quick"
    assert row["anonymizedName"] != "Ann the Quick"


# -- fed by an event ------------------------------------------------------------------------------------------------------


def _fed(player: WorldPlayer, value: int) -> None:
    def work(unit: Unit) -> None:
        found = by_id(unit, player.player_id)
        feed(unit, found, to_feed(unit, found, "race", value))

    player.world.unit_of_work(work)


def _game_fed(**fields: Any) -> World:  # noqa: ANN401 - JSON
    return with_boards(leaderboard(source="event", event="race", **fields), leaderboard("other"), events=[event()])


def test_an_event_feeds_its_leaderboards() -> None:
    """And no other."""
    game = _game_fed(aggregation="sum")
    ann = game.player("ann")
    for value in (3, 4, -1):
        _fed(ann, value)
    assert shown(game) == [(1, "ann", 7)]
    assert shown(game, "other") == []


def test_a_full_sum_does_not_stop_an_event() -> None:
    """It stays at the largest number, and the progress is taken."""
    game = _game_fed(aggregation="sum")
    ann = game.player("ann")
    attempt = started(ann)
    _fed(ann, MAX_AMOUNT - 1)
    for points in (3, 4):
        assert progress(ann, attempt, points=points).status == 200
    assert shown(game) == [(1, "ann", MAX_AMOUNT)]


def test_a_fed_leaderboard_refuses_before_anything_is_written() -> None:
    """So that the progress is refused as a whole."""
    limit = {"key": "v", "kind": "range", "max": 5, "verdict": "reject"}
    game = with_boards(
        leaderboard("first", source="event", event="race", aggregation="sum"),
        leaderboard("second", source="event", event="race", aggregation="sum", validators=[limit]),
        events=[event()],
    )
    ann = game.player("ann")
    _fed(ann, 5)

    def refused(unit: Unit) -> None:
        before = len(unit.tx.writes())
        feeding = to_feed(unit, by_id(unit, ann.player_id), "race", 1)
        assert feeding.rejection is not None
        assert len(unit.tx.writes()) == before

    game.unit_of_work(refused)
