"""Sessions, login streaks, presence and the profile: what requests say about being there."""

from __future__ import annotations

import attrs
import pytest

from livecore.kernel.time import DAY, HOUR, MINUTE, SECOND, Millis, Timestamp
from livecore.kernel.units.ephemeral import EphemeralState
from livecore.players import seen
from livecore.players.player import PLAYERS
from livecore.world import WorldPlayer
from tests.worlds import Since, ask, ban, befriend, http, player_row, rows_of, world


def _at(player: WorldPlayer, moment: Millis) -> None:
    """Let time pass without running due work, so that nothing but the request counts."""
    player.world.now = moment


def _counts(player: WorldPlayer) -> tuple[int, int, int]:
    row = player_row(player)
    return row.sessions, row.streak, row.best_streak


# -- sessions -------------------------------------------------------------------------------------------------------------


def test_the_first_request_opens_a_session() -> None:
    """Registering is the first launch."""
    anna = world().player("anna")
    assert ask(anna, "players.getProfile")["sessions"] == 1
    assert ask(anna, "players.getProfile")["loginStreak"] == {"current": 1, "best": 1}


@pytest.mark.parametrize(("silence", "sessions"), [(30 * MINUTE - 1, 1), (30 * MINUTE, 2), (5 * HOUR, 2)])
def test_thirty_minutes_of_silence_end_a_session(silence: Millis, sessions: int) -> None:
    """Any authenticated request is activity; the gap counts from the last one."""
    anna = world().player("anna")
    _at(anna, anna.world.now + silence)
    assert ask(anna, "wallet.get").status == 200
    assert _counts(anna)[0] == sessions


def test_steady_play_is_one_session() -> None:
    """Requests that are never thirty minutes apart keep one session open, for hours, refused ones included."""
    anna = world().player("anna")
    for number in range(12):
        _at(anna, anna.world.now + 29 * MINUTE)
        ask(anna, "friends.remove", friend_external_id="nobody") if number % 2 else ask(anna, "friends.list")
    assert _counts(anna)[0] == 1


def test_a_wrong_secret_is_no_activity() -> None:
    """Whoever fails to authenticate opens no session, and the studio's requests do not either."""
    anna = world().player("anna")
    _at(anna, anna.world.now + HOUR)
    assert ask(anna, "wallet.get", headers={"x-player-secret": "lcs_guess"}).status == 401
    ask(anna.world.server, "friends.list", external_id="anna")
    assert _counts(anna)[0] == 1


# -- streaks --------------------------------------------------------------------------------------------------------------


def test_a_session_on_each_day_makes_a_streak() -> None:
    """Consecutive UTC days count, however many sessions a day has."""
    anna = world().player("anna")
    midnight = anna.world.now
    for day in range(1, 4):
        for hour in (0, 12):
            _at(anna, midnight + day * DAY + hour * HOUR)
            ask(anna, "friends.list")
    assert _counts(anna) == (7, 4, 4)


def test_a_session_over_midnight_counts_for_both_days() -> None:
    """A day on which a session runs is a day with a session, whether or not the session began on it."""
    anna = world().player("anna")
    midnight = anna.world.now + DAY
    for moment in (midnight - 10 * MINUTE, midnight + 10 * MINUTE, midnight + DAY + HOUR):
        _at(anna, moment)
        ask(anna, "friends.list")
    assert _counts(anna) == (3, 3, 3)


@pytest.mark.parametrize("swept", [False, True])
def test_a_missed_day_resets_the_streak(swept: bool) -> None:
    """Read as 0 once a whole day has passed without a session, swept or not; the next session starts it at 1."""
    anna = world().player("anna")
    midnight = anna.world.now
    bert = anna.world.player("bert")
    befriend(anna, bert)
    _at(anna, midnight + DAY)
    ask(anna, "friends.list")
    assert _counts(anna)[1:] == (2, 2)
    for moment, current in ((midnight + 3 * DAY - 1, 2), (midnight + 3 * DAY, 0)):
        if swept:
            anna.world.advance_to(moment)
        else:
            _at(anna, moment)
        shown = ask(bert, "friends.list", progression=["login_streak"])
        assert shown["friends.0.progression"] == {"login_streak": current}
    ask(anna, "friends.list")
    assert _counts(anna)[1:] == (1, 2)


def test_the_hourly_sweep_persists_the_end_of_a_streak() -> None:
    """The row itself reads 0 within an hour after the missed day; the best streak stays."""
    anna = world().player("anna")
    anna.world.advance(days=2, hours=1)
    (row,) = rows_of(anna.world, PLAYERS)
    assert (row.streak, row.best_streak) == (0, 1)


def test_the_sweep_reaches_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many players were last seen at the same instant, and however small a batch is."""
    monkeypatch.setattr(seen, "MOST_ROWS", 2)
    game = world()
    for number in range(7):
        game.player(f"p{number}")
    game.advance(days=2, hours=1)
    assert [row.streak for row in rows_of(game, PLAYERS)] == [0] * 7


def test_the_profile_after_a_missed_day() -> None:
    """Reading one's own profile is itself a session: the new streak is 1, the best one stays."""
    anna = world().player("anna")
    midnight = anna.world.now
    shown = []
    for day in (1, 2, 5):
        _at(anna, midnight + day * DAY)
        shown.append(ask(anna, "players.getProfile")["loginStreak"])
    assert shown == [{"current": 2, "best": 2}, {"current": 3, "best": 3}, {"current": 1, "best": 3}]


# -- presence -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("age", "online"),
    [(0, True), (90 * SECOND, True), (90 * SECOND + 1, False), (-90 * SECOND, True), (-90 * SECOND - 1, False)],
)
def test_online_for_ninety_seconds(age: Millis, online: bool) -> None:
    """Three missed beats: at most 90 seconds after the last heartbeat; nor for a year where a clock was a year ahead."""
    game = world()
    anna, bert = game.player("anna"), game.player("bert")
    befriend(anna, bert)
    ask(bert, "presence.heartbeat", status="In a match")
    beat = game.now
    _at(anna, beat + age)
    row = ask(anna, "friends.list").list("friends")[0]
    assert (row["online"], row["lastActiveAt"]) == (online, Timestamp(beat).wire)


def test_only_heartbeats_set_presence() -> None:
    """Other requests are activity, but nobody looks online by them."""
    game = world()
    anna, bert = game.player("anna"), game.player("bert")
    befriend(anna, bert)
    row = ask(anna, "friends.list").list("friends")[0]
    assert (row["online"], row["lastActiveAt"], row["status"]) == (False, None, None)


def test_a_label_is_kept_or_cleared() -> None:
    """Left out it stays, null clears it and the player stays online, text replaces it."""
    anna = world().player("anna")
    now = Timestamp(anna.world.now).wire
    path = "/sdk/v1/players/anna/presence"
    for body, label in (
        ({"status": "Lobby"}, "Lobby"),
        ({}, "Lobby"),
        (b"", "Lobby"),
        ({"status": None}, None),
        ({}, None),
        ({"status": ""}, ""),
    ):
        reply = http(anna, "POST", path, body)
        assert reply.data == {"online": True, "lastActiveAt": now, "status": label}


@pytest.mark.parametrize("status", ["x" * 101, 5, "a\tb", ["Lobby"]])
def test_a_label_has_at_most_100_characters(status: object) -> None:
    """And is plain text."""
    anna = world().player("anna")
    reply = http(anna, "POST", "/sdk/v1/players/anna/presence", {"status": status})
    assert reply.fields == ["status"]


def test_a_beat_is_no_durable_write() -> None:
    """The store is untouched until the ephemeral state is flushed, and nothing is emitted."""
    anna = world().player("anna")
    anna.world.flush()
    before = anna.world.store.dump()
    told = Since(anna.world)
    ask(anna, "presence.heartbeat", status="Lobby")
    assert anna.world.store.dump() == before
    assert told.kinds == []
    assert player_row(anna).presence_status == "Lobby"


def test_a_banned_player_reads_but_does_not_beat() -> None:
    """Heartbeats are writes of the player: 403; the profile can still be read."""
    anna = world().player("anna")
    ban(anna)
    assert ask(anna, "presence.heartbeat").refusal == (403, "player_banned")
    assert ask(anna, "players.getProfile").status == 200


# -- platform and build ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("platform", "registered"), [("ios", True), ("editor", True), ("steamdeck", True), ("toaster", False)]
)
def test_platforms_are_reported(platform: str, registered: bool) -> None:
    """Known ones, those of the configuration, and undefined ones: shown raw and flagged."""
    anna = world(platforms=["steamdeck"]).player("anna")
    headers = {"x-svc-platform": platform, "x-svc-app-version": "1.2.3"}
    reply = ask(anna, "players.getProfile", headers=headers)
    assert reply["platform"] == {"key": platform, "registered": registered}
    assert reply["appVersion"] == "1.2.3"
    # A request that says nothing leaves what was known.
    again = ask(anna, "players.getProfile")
    assert (again["platform"], again["appVersion"]) == (reply["platform"], "1.2.3")


def test_a_profile_without_reports() -> None:
    """Platform and build are null until a client reports them; the times are there."""
    game = world()
    anna = game.player("anna")
    game.advance(hours=2)
    reply = ask(anna, "players.getProfile")
    assert (reply["platform"], reply["appVersion"], reply["country"]) == (None, None, None)
    assert reply["firstSeenAt"] == Timestamp(game.now - 2 * HOUR).wire
    assert reply["lastSeenAt"] == Timestamp(game.now).wire


# -- what belongs to the service alone ------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["sessions", "login_streak"])
def test_system_progression_is_locked(key: str) -> None:
    """No credit, no debit, no grant, no gift: 409 `system_resource_locked`, or not on the list."""
    game = world()
    anna, bert = game.player("anna"), game.player("bert")
    befriend(anna, bert)
    locked = (409, "system_resource_locked")
    for operation in ("wallet.credit", "wallet.debit"):
        assert ask(game.server, operation, external_id="anna", economy_key=key, amount=1).refusal == locked
    assert ask(anna, "wallet.debit", economy_key=key, amount=1).refusal == locked
    entries = [{"type": "currency", "resourceKey": key, "amount": 1}]
    made = ask(game.server, "grants.create", external_id="anna", idempotency_key="g", entries=entries)
    assert made.refusal == locked
    sent = ask(anna, "gifts.send", external_player_id="bert", type="currency", resource_key=key, amount=1)
    assert sent.refusal == (403, "gift_not_allowed")


def test_a_crash_before_the_flush_costs_no_session() -> None:
    """What was only remembered is gone with the process; the player's next request opens the session again."""
    game = world()
    anna = game.player("anna")
    game.flush()
    _at(anna, game.now + HOUR)
    ask(anna, "friends.list")
    game.application.deployment = attrs.evolve(game.application.deployment, ephemeral=EphemeralState())
    assert rows_of(game, PLAYERS)[0].sessions == 1
    ask(anna, "friends.list")
    assert _counts(anna)[0] == 2


def test_nothing_changes_when_flushed_values_are_dropped() -> None:
    """Profile, presence and the counts of sessions are the same from the rows."""
    game = world()
    anna, bert = game.player("anna"), game.player("bert")
    befriend(anna, bert)
    _at(anna, game.now + DAY)
    ask(bert, "presence.heartbeat", status="Lobby")
    ask(anna, "friends.list")
    game.flush()

    def shown() -> list[object]:
        return [ask(anna, "players.getProfile").data, ask(anna, "friends.list").data]

    values = game.ephemeral.values(seen.SEEN)
    before, held = shown(), len(values)
    game.flush()
    for _ in range(31):
        game.ephemeral.tidy(game.now)
    assert (held, len(values)) == (2, 0)
    assert shown() == before


def test_a_label_is_hidden_while_offline() -> None:
    """And shown again with the next beat that says nothing of it."""
    game = world()
    anna, bert = game.player("anna"), game.player("bert")
    befriend(anna, bert)
    ask(bert, "presence.heartbeat", status="Lobby")
    _at(anna, game.now + 5 * MINUTE)
    row = ask(anna, "friends.list").list("friends")[0]
    assert (row["online"], row["status"]) == (False, None)
    assert ask(bert, "presence.heartbeat")["status"] == "Lobby"
    assert ask(anna, "friends.list")["friends.0.status"] == "Lobby"


def test_a_beat_follows_the_one_before_though_clocks_differ() -> None:
    """Another process, whose clock is ahead, had the last one: the newer label holds. A clock far ahead was wrong."""
    game = world()
    anna, bert = game.player("anna"), game.player("bert")
    befriend(anna, bert)
    noon = game.now
    beats: list[object] = []
    for moment in (noon + 2 * SECOND, noon, noon + HOUR, noon):
        _at(bert, moment)
        beat = ask(bert, "presence.heartbeat", status=f"{moment - noon} {len(beats)}")
        row = ask(anna, "friends.list").list("friends")[0]
        beats.append(beat["lastActiveAt"])
        assert (row["online"], row["status"]) == (True, beat["status"])
    assert beats == [Timestamp(at).wire for at in (noon + 2_000, noon + 2_001, noon + HOUR, noon)]
