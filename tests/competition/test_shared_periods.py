"""Periods of shared leaderboards: when they begin and end, what happens then, and what a change of the game leaves alone."""

from __future__ import annotations

import pytest

from livecore.api.maintenance import prepare_scope
from livecore.kernel.errors import JsonObject
from livecore.kernel.scope import scope_of
from livecore.kernel.time import DAY, Timestamp
from livecore.kernel.units.due import DUE
from livecore.leaderboards import rollover
from livecore.leaderboards.periods import LEADERBOARDS, PERIODS
from livecore.leaderboards.resets import next_reset, previous_reset
from livecore.leaderboards.rollover import ROLL
from livecore.leaderboards.settlement import SETTLE
from livecore.leaderboards.soundness import RULES
from livecore.world import World, WorldPlayer
from tests.competition.games import leaderboard
from tests.competition.shared import GOLD, SUNDAY, board_of, reward, score, shared, shown, with_boards
from tests.worlds import Reply, ask, config, rows_of


def at(text: str) -> int:
    """An instant."""
    return int(Timestamp.parse(text + "Z"))


def rollovers(game: World) -> list[tuple[object, object, object]]:
    """Bounds and number of entries of each period that was finalised."""
    return [
        (str(told["periodStartsAt"])[:10], str(told["periodEndsAt"])[:10], told["entryCount"])
        for told in finalised(game)
    ]


def finalised(game: World) -> list[JsonObject]:
    """The payloads of the periods that were finalised in the test environment."""
    return [
        seen.data for seen in game.events if (seen.kind, seen.environment) == ("leaderboard.period_finalized", "test")
    ]


def gold(player: WorldPlayer) -> list[int]:
    """The amounts of the player's grants for ranks."""
    grants = ask(player, "grants.listPending").list("grants")
    assert all(row["sourceKind"] == "leaderboard_rank" for row in grants)
    return sorted(row["entries"][0]["amount"] for row in grants)  # type: ignore[index,call-overload,misc] # JSON


def findings_in(game: World) -> list[str]:
    """What a check of the leaderboards in the test environment would find."""
    reader = game.store.reader(scope_of(game.game.game_id, "test"))
    return [problem for rule in RULES for row in rows_of(game, rule.table) for problem in rule.judge(reader, row)]


def roll(game: World, key: str = "weekly") -> Reply:
    """End the present period."""
    return ask(game.server, "dev.rolloverNow", leaderboard_key=key)


@pytest.mark.parametrize(
    ("reset", "moment", "began", "ends"),
    [
        ("weekly", "2026-01-05T00:00:00", "2026-01-05T00:00:00", "2026-01-12T00:00:00"),
        ("weekly", "2026-01-04T23:59:59.999", "2025-12-29T00:00:00", "2026-01-05T00:00:00"),
        ("weekly", "1970-01-01T00:00:00", "1969-12-29T00:00:00", "1970-01-05T00:00:00"),
        ("weekly", "2028-02-29T12:00:00", "2028-02-28T00:00:00", "2028-03-06T00:00:00"),
        ("monthly", "2026-01-01T00:00:00", "2026-01-01T00:00:00", "2026-02-01T00:00:00"),
        ("monthly", "2025-12-31T23:59:59.999", "2025-12-01T00:00:00", "2026-01-01T00:00:00"),
        ("monthly", "2028-02-29T12:00:00", "2028-02-01T00:00:00", "2028-03-01T00:00:00"),
    ],
)
def test_weeks_begin_on_monday_and_months_on_the_1st(reset: str, moment: str, began: str, ends: str) -> None:
    """At midnight UTC, across months and years; the reset itself belongs to the new period."""
    assert previous_reset(reset, at(moment)) == at(began)  # type: ignore[arg-type] # a literal
    assert next_reset(reset, at(moment)) == at(ends)  # type: ignore[arg-type] # as above
    assert next_reset("never", at(moment)) is None


def test_a_period_ends_and_the_next_begins() -> None:
    """Its leaderboard is readable as `previous`, ranks are rewarded, scores begin anew, and one event says so."""
    game = shared(rankRewards=[reward(1, 1, 100), reward(2, 3, 10)])
    players = [game.player(name) for name in ("ann", "bob", "cid", "dan")]
    for number, player in enumerate(players):
        score(player, 40 - number)
    assert board_of(game, period="previous").refusal == (404, "leaderboard_period_not_found")
    before = board_of(game)
    game.advance(days=1)
    after = board_of(game, period="previous")
    assert after["entries"] == before["entries"]
    assert after["leaderboard.leaderboardId"] == before["leaderboard.leaderboardId"]
    assert (after["leaderboard.status"], after["leaderboard.nextResetAt"]) == ("finalized", None)
    assert (after["leaderboard.entryCount"], after["leaderboard.endsAt"]) == (4, "2026-01-05T00:00:00.000Z")
    assert shown(game) == []
    assert board_of(game)["leaderboard.nextResetAt"] == "2026-01-12T00:00:00.000Z"
    assert [gold(player) for player in players] == [[100], [10], [10], []]
    (told,) = finalised(game)
    assert told | {"leaderboardId": "", "topRanks": []} == {
        "leaderboardId": "", "leaderboardKey": "weekly", "period": "weekly", "status": "finalized",
        "periodStartsAt": "2025-12-29T00:00:00.000Z", "periodEndsAt": "2026-01-05T00:00:00.000Z",
        "entryCount": 4, "topRanks": [], "finalizedAt": "2026-01-05T00:00:00.000Z",
    }  # fmt: skip
    assert told["leaderboardId"] == before["leaderboard.leaderboardId"]
    best = told["topRanks"]
    assert isinstance(best, list)
    assert best[0] == {
        "rank": 1, "score": 40, "name": before["entries.0.name"], "playerId": players[0].player_id,
        "externalPlayerId": "ann",
    }  # fmt: skip
    (grant,) = ask(players[0], "grants.listPending").list("grants")
    assert grant["sourceRefId"] == before["leaderboard.leaderboardId"]


def test_a_month_ends_at_its_end() -> None:
    """Each, across a year."""
    game = with_boards(leaderboard(reset="monthly"), start=Timestamp.parse("2025-12-30T00:00:00Z"))
    game.advance(days=40)
    assert rollovers(game) == [("2025-12-01", "2026-01-01", 0), ("2026-01-01", "2026-02-01", 0)]
    assert finalised(game)[0]["period"] == "monthly"


def test_a_leaderboard_for_ever_never_ends() -> None:
    """It has no due work, no earlier period and no next reset."""
    game = shared(reset="never", rankRewards=[reward(1, 1, 5)])
    ann = game.player("ann")
    score(ann, 5)
    game.advance(days=60)
    row = board_of(game)
    assert (row["leaderboard.startsAt"], row["leaderboard.endsAt"]) == ("2026-01-04T12:00:00.000Z", None)
    assert row["leaderboard.nextResetAt"] is None
    assert shown(game) == [(1, "ann", 5)]
    assert board_of(game, period="previous").refusal == (404, "leaderboard_period_not_found")
    said = roll(game)
    assert (said["rolledOver"], said["periodEnd"], said["entryCount"], said["nextResetAt"]) == (False, None, 1, None)
    assert not [work for work in rows_of(game, DUE) if work.kind in (ROLL, SETTLE.kind)]
    assert gold(ann) == []


def late(game: World, days: float) -> World:
    """Let time pass in which no process runs."""
    game.now += round(days * DAY)
    return game


def test_a_score_after_the_end_is_one_of_the_next_period() -> None:
    """Whether the due work has run or not; the period that is over keeps what it had."""
    game = shared()
    score("ann", 5, world=game)
    late(game, 1)
    assert shown(game) == []
    assert shown(game, period="previous") == [(1, "ann", 5)]
    assert board_of(game, period="previous")["leaderboard.status"] == "finalized"
    said = score("ann", 3, world=game)
    assert (said["entry.score"], said["previous"]) == (3, None)
    assert shown(game) == [(1, "ann", 3)]
    game.advance()
    assert shown(game) == [(1, "ann", 3)]
    assert shown(game, period="previous") == [(1, "ann", 5)]
    assert rollovers(game) == [("2025-12-29", "2026-01-05", 1)]


def test_a_leaderboard_by_its_id_is_final_once_its_period_is_over() -> None:
    """Also before the due work has run."""
    game = shared()
    score("ann", 5, world=game)
    before = board_of(game)
    same = {"leaderboard_id": before["leaderboard.leaderboardId"]}
    assert ask(game.player("ann"), "leaderboards.getEvent", **same).data == before.data
    late(game, 1)
    after = ask(game.player("ann"), "leaderboards.getEvent", **same)
    assert (after["leaderboard.status"], after["leaderboard.nextResetAt"]) == ("finalized", None)
    game.advance()
    assert ask(game.player("ann"), "leaderboards.getEvent", **same).data == after.data
    assert board_of(game, period="previous").data == after.data


def test_missed_periods_follow_one_another() -> None:
    """In order, the empty ones too, as if each had ended at its time; whoever comes first, a request or the due work."""
    told = []
    for submits in (True, False):
        game = shared(rankRewards=[reward(1, 1, 7)])
        ann = game.player("ann")
        score(ann, 5)
        late(game, 22)
        assert shown(game, period="previous") == []
        if submits:
            score(ann, 1)
        game.advance()
        score(ann, 1)
        assert gold(ann) == [7]
        assert shown(game) == [(1, "ann", 1)]
        told.append(rollovers(game))
    assert told[0] == told[1] == [
        ("2025-12-29", "2026-01-05", 1),
        ("2026-01-05", "2026-01-12", 0),
        ("2026-01-12", "2026-01-19", 0),
        ("2026-01-19", "2026-01-26", 0),
    ]  # fmt: skip


def test_a_very_long_pause_is_not_made_up_to_the_end() -> None:
    """After ten years of weeks the present one follows."""
    game = late(shared(), 30 * 365)
    game.advance()
    said = board_of(game)
    assert (said["leaderboard.status"], said["leaderboard.startsAt"]) == ("open", "2055-12-27T00:00:00.000Z")
    assert len(rows_of(game, PERIODS)) == 521


def test_a_clock_that_is_set_back_ends_no_period_twice() -> None:
    """Scores belong to the period that has begun, and it ends at its own end."""
    game = shared()
    score("ann", 5, world=game)
    game.advance(days=1)
    game.now -= DAY
    score("ann", 2, world=game)
    game.advance(days=1)
    assert shown(game) == [(1, "ann", 2)]
    assert rollovers(game) == [("2025-12-29", "2026-01-05", 1)]
    game.advance(days=7)
    assert rollovers(game)[1:] == [("2026-01-05", "2026-01-12", 1)]


# -- on demand ------------------------------------------------------------------------------------------------------------


def test_a_period_ends_on_demand() -> None:
    """At that moment, with its rewards in the same answer; the next one runs to the regular reset."""
    game = shared(rankRewards=[reward(1, 1, 50)])
    ann = game.player("ann")
    score(ann, 5)
    said = roll(game)
    assert said.data == {
        "leaderboardKey": "weekly", "rolledOver": True, "periodStart": "2025-12-29T00:00:00.000Z",
        "periodEnd": "2026-01-04T12:00:00.000Z", "entryCount": 1, "nextResetAt": "2026-01-05T00:00:00.000Z",
    }  # fmt: skip
    assert gold(ann) == [50]
    assert shown(game, period="previous") == [(1, "ann", 5)]
    again = roll(game)
    assert (again["rolledOver"], again["periodStart"], again["entryCount"]) == (False, "2026-01-04T12:00:00.000Z", 0)
    assert shown(game, period="previous") == [(1, "ann", 5)]
    score(ann, 6)
    assert roll(game)["rolledOver"] is True
    assert (shown(game), shown(game, period="previous")) == ([], [(1, "ann", 6)])
    game.advance(days=1)
    assert [count for _, _, count in rollovers(game)] == [1, 1, 0]


def test_a_period_whose_only_entry_was_removed_has_no_score() -> None:
    """So there is nothing to roll over."""
    game = shared()
    score("ann", 5, world=game)
    ask(game.server, "leaderboards.removeEntry", external_id="ann", key="weekly")
    assert roll(game)["rolledOver"] is False


def test_periods_end_on_demand_in_the_test_environment_alone() -> None:
    """A live key is refused before anything else."""
    live = World({**config(), "leaderboards": [leaderboard()]}, environment="live")
    assert roll(live, "other").refusal == (403, "test_environment_only")
    assert roll(shared(), "other").refusal == (404, "leaderboard_not_found")


def test_a_period_that_is_over_rolls_over_by_itself_first() -> None:
    """What then has begun has no score yet."""
    game = shared()
    score("ann", 5, world=game)
    late(game, 1)
    said = roll(game)
    assert (said["rolledOver"], said["periodStart"]) == (False, "2026-01-05T00:00:00.000Z")
    game.advance()
    assert rollovers(game) == [("2025-12-29", "2026-01-05", 1)]


def test_the_rewards_of_many_ranks_are_paid_after_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each rank once, in steps."""
    monkeypatch.setattr(rollover, "_STEPS_AT_ONCE", 1)
    game = shared(rankRewards=[reward(1, 300, 1)])
    for number in range(250):
        score(f"p{number}", number, world=game)
    assert roll(game)["entryCount"] == 250
    assert 90 < len(game.emitted("grant.created")) < 110
    assert rollovers(game) == []
    game.advance()
    paid = [str(told["playerId"]) for told in game.emitted("grant.created")]
    assert len(set(paid)) == len(paid) == 250
    assert rollovers(game) == [("2025-12-29", "2026-01-04", 250)]


# -- the configuration ----------------------------------------------------------------------------------------------------


def configure(game: World, *boards: JsonObject) -> None:
    """Replace the game's leaderboards."""
    game.configure({**config(), "leaderboards": list(boards)})


def test_a_period_keeps_the_definition_with_which_it_began() -> None:
    """Order, aggregation, rewards and name change with the next one."""
    game = shared(aggregation="sum", rankRewards=[reward(1, 1, 5)])
    ann = game.player("ann")
    score(ann, 5)
    configure(game, leaderboard(name="Another", order="asc", aggregation="lowest", rankRewards=[reward(1, 1, 9)]))
    score(ann, 5)
    assert shown(game) == [(1, "ann", 10)]
    assert (board_of(game)["leaderboard.name"], board_of(game)["leaderboard.order"]) == ("Weekly", "desc")
    game.advance(days=1)
    assert gold(ann) == [5]
    assert (board_of(game)["leaderboard.name"], board_of(game)["leaderboard.order"]) == ("Another", "asc")
    score(ann, 8)
    score(ann, 9)
    assert shown(game) == [(1, "ann", 8)]
    game.advance(days=7)
    assert gold(ann) == [5, 9]


def test_who_may_submit_changes_at_once() -> None:
    """And which validators judge: a hole can be closed in a period that never ends."""
    game = shared(reset="never")
    ann = game.player("ann")
    limit = {"key": "v", "kind": "range", "max": 5, "verdict": "reject"}
    configure(game, leaderboard(reset="never", validators=[limit]))
    assert score(ann, 6).refusal == (422, "anti_cheat_rejected")
    configure(game, leaderboard(reset="never", source="server"))
    assert score(ann, 6).refusal == (403, "score_source_forbidden")


def test_missed_periods_end_by_the_declaration_before_a_change() -> None:
    """A change while no process ran does not reach back."""
    game = shared(rankRewards=[reward(1, 1, 5)])
    ann = game.player("ann")
    score(ann, 5)
    late(game, 9)
    configure(game, leaderboard(reset="monthly", rankRewards=[reward(1, 1, 9)]))
    game.advance()
    assert gold(ann) == [5]
    assert rollovers(game) == [("2025-12-29", "2026-01-05", 1), ("2026-01-05", "2026-01-12", 0)]
    assert board_of(game)["leaderboard.nextResetAt"] == "2026-01-19T00:00:00.000Z"
    game.advance(days=7)
    assert board_of(game)["leaderboard.nextResetAt"] == "2026-02-01T00:00:00.000Z"


def test_a_leaderboard_that_begins_anew_from_now_on_is_given_an_end() -> None:
    """The first period ends with the first regular reset, and the one after it is regular."""
    game = shared(reset="never")
    score("ann", 5, world=game)
    configure(game, leaderboard(reset="weekly"))
    assert board_of(game)["leaderboard.nextResetAt"] == "2026-01-05T00:00:00.000Z"
    assert shown(game) == [(1, "ann", 5)]
    game.advance(days=1)
    assert shown(game) == []
    assert shown(game, period="previous") == [(1, "ann", 5)]
    assert rollovers(game) == [("2026-01-04", "2026-01-05", 1)]
    configure(game, leaderboard(reset="never"))
    game.advance(days=7)
    assert board_of(game)["leaderboard.nextResetAt"] is None


def test_a_leaderboard_that_is_withdrawn_is_not_found() -> None:
    """Until it is declared again and goes on."""
    game = shared(rankRewards=[reward(1, 1, 5)])
    ann = game.player("ann")
    score(ann, 5)
    configure(game)
    assert board_of(game).refusal == (404, "leaderboard_not_found")
    assert score(ann, 5).refusal == (404, "leaderboard_not_found")
    configure(game, leaderboard(rankRewards=[reward(1, 1, 5)]))
    assert shown(game) == [(1, "ann", 5)]
    game.advance(days=1)
    assert gold(ann) == [5]


def test_a_leaderboard_that_is_withdrawn_pays_its_last_period() -> None:
    """At its end, once, and without another after it; declared again, it is in the period of that moment."""
    game = shared(rankRewards=[reward(1, 1, 5)])
    ann = game.player("ann")
    score(ann, 5)
    configure(game)
    assert gold(ann) == []
    game.advance(days=1)
    assert rollovers(game) == [("2025-12-29", "2026-01-05", 1)]
    assert gold(ann) == [5]
    assert board_of(game).refusal == (404, "leaderboard_not_found")
    game.advance(days=21)
    assert not [row for row in rows_of(game, DUE) if row.kind in (ROLL, SETTLE.kind)]
    assert findings_in(game) == []
    configure(game, leaderboard())
    game.advance()
    assert len(rollovers(game)) == 1
    assert board_of(game)["leaderboard.startsAt"] == "2026-01-26T00:00:00.000Z"
    assert shown(game, period="previous") == [(1, "ann", 5)]
    score(ann, 6)
    game.advance(days=7)
    assert shown(game, period="previous") == [(1, "ann", 6)]
    assert findings_in(game) == []


def test_a_leaderboard_that_is_withdrawn_behind_its_end_pays_all() -> None:
    """The periods that are over when it is withdrawn, and the one that is open then, are settled in their order."""
    game = shared(rankRewards=[reward(1, 1, 5)])
    ann = game.player("ann")
    score(ann, 5)
    game.advance(days=1)
    score(ann, 6)
    configure(game)
    assert findings_in(game) == []
    game.advance(days=30)
    assert [bounds[2] for bounds in rollovers(game)] == [1, 1]
    assert gold(ann) == [5, 5]
    assert findings_in(game) == []


def test_players_who_are_merged_after_the_last_period_keep_both_entries() -> None:
    """It is over, although no due work has closed it yet."""
    game = shared(rankRewards=[reward(1, 2, 5)])
    ann, bob = game.player("ann"), game.player("bob")
    score(ann, 5)
    score(bob, 6)
    configure(game)
    game.now = at("2026-01-05T00:00:00")
    assert ask(game.server, "players.merge", external_id="ann", to_external_id="bob").status == 200
    game.advance(days=1)
    assert rollovers(game) == [("2025-12-29", "2026-01-05", 2)]
    assert gold(bob) == [5, 5]


def test_one_declaration_has_one_row() -> None:
    """Preparing a scope again changes nothing."""
    game = shared(rankRewards=[{**reward(1, 1, 5), "entries": [GOLD(5)]}])
    before = (rows_of(game, LEADERBOARDS), rows_of(game, PERIODS), rows_of(game, DUE))
    game.unit_of_work(prepare_scope)
    assert (rows_of(game, LEADERBOARDS), rows_of(game, PERIODS), rows_of(game, DUE)) == before
    assert game.now == int(SUNDAY)
