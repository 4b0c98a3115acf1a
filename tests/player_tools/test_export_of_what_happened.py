"""What an export shows of a player's past and of what is stored around them, and that it shows nobody else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast

import attrs
import pytest

from livecore import World
from livecore.api.areas import AREAS
from livecore.api.requests.http import Request
from livecore.kernel.errors import Json, JsonObject
from livecore.kernel.time import DAY
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire import encode
from livecore.player_tools import accounts, export
from livecore.player_tools.exported_events import WORDS_OF, without_others
from livecore.players.former_names import FORMER_NAMES, MOST_KEPT, SWEEP
from livecore.players.player import PLAYERS
from livecore.webhooks.dispatch import lease_due, record_attempt
from livecore.webhooks.endpoints import PlainVault, add_endpoint
from livecore.webhooks.outcome import Outcome
from livecore.world import WorldPlayer
from tests.competition.games import leaderboard
from tests.contract.stories import MARK
from tests.player_tools.exported_life import bundle_of, full_life, listed
from tests.player_tools.soundness import faults_of
from tests.samples import sample
from tests.worlds import ask, befriend, give, rows_of, world


def endpoint(here: World, key: str = "all") -> None:
    """An endpoint of the studio that wants every event."""
    here.unit_of_work(
        lambda unit: add_endpoint(unit, PlainVault(), key=key, url="https://studio.example/", events=["*"])
    )


def register_again(here: World, name: str, context: object) -> WorldPlayer:
    """A player states another context."""
    player = here.player(name)
    again = ask(player, "players.register", force=True, player_context=context)
    return attrs.evolve(player, headers={**player.headers, "x-player-secret": again.text("playerSecret")})


# -- the audit trail ------------------------------------------------------------------------------------------------------


def test_bans_are_shown_with_reason_time_and_who() -> None:
    """Also those that were lifted, and a change of the reason; of a member only that it was a member."""
    here = world()
    here.player("anna")
    desk = here.operator("mia.surname@example.com")
    ask(here.server, "players.ban", external_id="anna", reason="spam")
    here.advance(seconds=1)
    ask(desk, "players.ban", external_id="anna", reason="much spam")
    here.advance(seconds=1)
    ask(desk, "players.unban", external_id="anna")
    here.advance(seconds=1)
    ask(here.server, "players.flagDebug", external_id="anna", reason="tester")
    rows = listed(here, "moderation")
    assert [(row["action"], row["reason"], row["by"]["kind"]) for row in reversed(rows)] == [
        ("ban", "spam", "api_key"),
        ("ban", "much spam", "member"),
        ("unban", "much spam", "member"),
        ("flag_debug", "tester", "api_key"),
    ]
    assert [row["at"][-7:] for row in reversed(rows)] == ["00.000Z", "01.000Z", "02.000Z", "03.000Z"]
    assert rows[-1]["by"]["key"].startswith("lc_test_server_")
    assert rows[-2]["by"]["key"] is None
    shown = json.dumps(bundle_of(here))
    assert "mia.surname" not in shown
    assert "mbr_" not in shown


def test_entries_are_shown_with_the_address_of_the_registration_alone() -> None:
    """The studio's people have addresses as well, which are theirs."""
    here = world()
    _from(here, "203.0.113.9", "sdk", "POST", "/sdk/v1/players/anna/register", {})
    _from(here, "198.51.100.7", "server", "POST", "/server/v1/players/anna/ban", {"reason": "spam"})
    entries = {entry["action"]: entry for entry in listed(here, "auditEntries")}
    assert entries["players.register"]["address"] == "203.0.113.9"
    assert entries["players.ban"]["address"] is None
    assert entries["players.ban"]["after"]["reason"] == "spam"
    assert "198.51.100.7" not in json.dumps(bundle_of(here))


def _from(here: World, address: str, surface: str, method: str, path: str, body: JsonObject) -> None:
    key = here.keys["client" if surface == "sdk" else "server"]
    headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
    answer = here.application.handle(Request(method, path, "", headers, json.dumps(body).encode(), address))
    assert answer.status < 300, answer.body


def test_the_texts_of_a_guild_are_not_shown_with_what_was_done_about_a_member() -> None:
    """They are others' words; the role is the player's."""
    here = world()
    leader, anna = here.player("leader"), here.player("anna")
    made = ask(leader, "guilds.create", name="Larks", description="Words of the leader")
    guild_id = made.text("guild.guildId")
    ask(anna, "guilds.join", guild_id=guild_id)
    ask(here.server, "guilds.transfer", guild_id=guild_id, external_player_id="anna")
    here.advance(seconds=1)
    ask(here.server, "guilds.removeMember", guild_id=guild_id, member_external_id="anna")
    shown = [entry for entry in listed(here, "auditEntries") if entry["action"].startswith("guilds.")]
    assert [entry["action"] for entry in shown] == ["guilds.removeMember", "guilds.transfer"]
    assert (shown[1]["before"]["role"], shown[1]["after"]["role"]) == ("member", "leader")
    assert "Words of the leader" not in json.dumps(shown)


def test_entries_of_accounts_that_were_merged_are_shown() -> None:
    """First the player's own, then those of the others, on as many pages as it takes."""
    here = world()
    for name in ("anna", "guest", "other"):
        here.player(name)
        ask(here.server, "players.ban", external_id=name, reason=f"as {name}")
        ask(here.server, "players.unban", external_id=name)
    before = {name: here.player(name).player_id for name in ("anna", "guest", "other")}
    for name in ("guest", "other"):
        ask(here.server, "players.merge", external_id=name, to_external_id="anna")
    entries = listed(here, "auditEntries")
    assert {entry["playerId"] for entry in entries} == set(before.values())
    assert entries[0]["playerId"] == before["anna"]
    assert {row["reason"] for row in listed(here, "moderation")} == {"as anna", "as guest", "as other"}


# -- names, countries, contexts -------------------------------------------------------------------------------------------


def test_former_names_are_shown_the_latest_first() -> None:
    """Those that were chosen, by the player or by the studio; neither the anonymised one nor the same one again."""
    here = world()
    anna = here.player("anna")
    for name, avatar in (("One", None), ("One", None), ("One", "cat"), ("Two", "cat")):
        ask(anna, "players.setIdentity", name=name, avatar=avatar)
        here.advance(seconds=1)
    ask(here.server, "players.setIdentity", external_id="anna", name=None, avatar=None)
    ask(here.server, "players.setIdentity", external_id="anna", country="NO")
    rows = listed(here, "formerNames")
    assert [(row["name"], row["avatar"], row["until"][-7:]) for row in rows] == [
        ("Two", "cat", "04.000Z"),
        ("One", "cat", "03.000Z"),
        ("One", None, "02.000Z"),
    ]


def test_the_last_fifty_former_names_are_kept() -> None:
    """Of one player, and of two who are merged: then the name that the source had until now is one of them."""
    here = world()
    anna, guest = here.player("anna"), here.player("guest")
    for number in range(MOST_KEPT + 3):
        ask(anna, "players.setIdentity", name=f"Anna {number}")
        here.advance(seconds=1)
    assert [row["name"] for row in listed(here, "formerNames")] == [
        f"Anna {number}" for number in reversed(range(2, MOST_KEPT + 2))
    ]
    for name in ("Guest", "Late guest"):
        ask(guest, "players.setIdentity", name=name)
        here.advance(seconds=1)
    ask(here.server, "players.merge", external_id="guest", to_external_id="anna")
    names = [row["name"] for row in listed(here, "formerNames")]
    assert len(names) == MOST_KEPT
    assert names[:3] == ["Late guest", "Guest", f"Anna {MOST_KEPT + 1}"]
    assert faults_of(here) == []


def test_former_names_go_with_the_audit_trail_and_with_an_erasure() -> None:
    """After 400 days by default; and at once."""
    here = world()
    for name in ("anna", "bert"):
        for chosen in ("First", "Second"):
            ask(here.player(name), "players.setIdentity", name=chosen)
    ask(here.server, "players.erase", external_id="bert")
    assert [row.player_id for row in rows_of(here, FORMER_NAMES)] == [here.player("anna").player_id]
    here.now += 399 * DAY
    here.unit_of_work(SWEEP.start_now)
    assert len(listed(here, "formerNames")) == 1
    here.now += 2 * DAY
    here.unit_of_work(SWEEP.start_now)
    assert listed(here, "formerNames") == []


def test_a_name_that_moved_in_over_another_is_kept_too() -> None:
    """A row of a migration replaces name and context like any other change."""
    here = world()
    ask(here.player("anna"), "players.setIdentity", name="Of here")
    register_again(here, "anna", {"level": 1})
    row = {"idempotencyKey": "r", "externalPlayerId": "anna", "name": "From there", "playerContext": {"level": 2}}
    assert ask(here.server, "migrate.players", rows=[row])["applied"] == 1
    assert [one["name"] for one in listed(here, "formerNames")] == ["Of here"]
    assert [one["context"] for one in listed(here, "contexts")] == [{"level": 1}, {"level": 2}]


def test_every_country_is_shown_with_where_it_is_from() -> None:
    """What the studio has set, what the client states, and what a trusted proxy saw."""
    here = world()
    here.player("anna", **{"x-country": "DK"})
    assert listed(here, "countries") == []
    register_again(here, "anna", {"country": "no"})
    ask(here.server, "players.setIdentity", external_id="anna", country="SE")
    assert listed(here, "countries") == [
        {"source": "override", "country": "SE"},
        {"source": "stated", "country": "NO"},
    ]
    assert {row["country"] for row in listed(full_life(), "countries", MARK)} == {"SE", "NO", "DK"}


def test_the_first_context_and_the_last_are_shown() -> None:
    """One that is stated alone is both; those between are not stored."""
    here = world()
    here.player("anna")
    assert listed(here, "contexts") == []
    register_again(here, "anna", {"level": 1})
    assert [(row["which"], row["context"]) for row in listed(here, "contexts")] == [
        ("first", {"level": 1}),
        ("last", {"level": 1}),
    ]
    for level in (2, 3):
        register_again(here, "anna", {"level": level})
    assert [row["context"] for row in listed(here, "contexts")] == [{"level": 1}, {"level": 3}]
    here.advance(seconds=1)
    register_again(here, "guest", {"level": 7})
    ask(here.server, "players.merge", external_id="anna", to_external_id="guest")
    assert [row["context"] for row in listed(here, "contexts", "guest")] == [{"level": 1}, {"level": 7}]
    ask(here.server, "players.erase", external_id="guest")
    assert {(row.context, row.first_context) for row in rows_of(here, PLAYERS)} == {(None, None)}


# -- competition ----------------------------------------------------------------------------------------------------------


def test_divisions_and_rejected_scores_are_shown() -> None:
    """The board of the last period with a score, and what a validator did not take."""
    divisions: list[Json] = [{"key": "low", "promote": 1, "relegate": 0}, {"key": "high", "promote": 0, "relegate": 1}]
    validators: list[Json] = [{"key": "step", "kind": "max_step", "limit": 5, "verdict": "reject"}]
    here = world(leaderboards=[leaderboard(divisions=divisions, validators=validators)])
    anna = here.player("anna")
    ask(anna, "leaderboards.submit", key="weekly", score=2)
    assert ask(anna, "leaderboards.submit", key="weekly", score=90).code == "anti_cheat_rejected"
    (row,) = listed(here, "divisions")
    assert (row["leaderboardKey"], row["periodNumber"], row["division"], row["cohort"]) == ("weekly", 1, "low", None)
    assert row["leaderboardId"] == bundle_of(here)["leaderboardEntries"][0]["leaderboardId"]
    (rejected,) = listed(here, "rejectedScores")
    assert (rejected["leaderboardKey"], rejected["periodNumber"]) == ("weekly", 1)
    assert [(one["validatorKey"], one["value"]) for one in rejected["rejections"]] == [("step", 90)]


def test_opened_crates_are_shown_with_their_rolls() -> None:
    """As the answer to the opening had them."""
    here = world()
    anna = here.player("anna")
    entry = {"type": "crate", "resourceKey": "chest", "amount": 1}
    made = ask(here.server, "grants.create", external_id="anna", kind="crate", entries=[entry], idempotency_key="c")
    crate_id = made.text("grant.grantId")
    opened = ask(anna, "crates.open", crate_id=crate_id)
    (row,) = listed(here, "crateOpenings")
    assert row["crateId"] == crate_id
    assert row["rolls"] == opened["rolls"]
    assert row["contentsGrantId"] == opened["grant.grantId"]
    assert (row["waits"], list(row["waitsAfter"].values())) in [({}, [1]), ({}, [])]


# -- webhooks -------------------------------------------------------------------------------------------------------------


def _deliver(here: World, most: int) -> int:
    """Deliver so many events that are due."""

    def work(unit: Unit) -> int:
        attempts = lease_due(unit, most)
        for attempt in attempts:
            outcome = Outcome(delivered=True, status=200)
            record_attempt(unit, attempt.delivery_id, attempt.number, outcome, threshold=10_000)
        return len(attempts)

    return here.unit_of_work(work)


def test_bodies_that_wait_are_shown_until_they_are_delivered() -> None:
    """At every endpoint that has not had it, by its key; a URL is the studio's."""
    here = world()
    endpoint(here)
    endpoint(here, "second")
    anna = here.player("anna")
    give(anna, "gold", 5)
    rows = listed(here, "waitingWebhooks")
    assert {row["eventName"] for row in rows} >= {"player.registered", "wallet.changed"}
    assert all({one["endpointKey"] for one in row["deliveries"]} == {"all", "second"} for row in rows)
    (changed,) = (row for row in rows if row["eventName"] == "wallet.changed")
    assert (changed["data"]["externalPlayerId"], changed["data"]["delta"]) == ("anna", 5)
    assert "studio.example" not in json.dumps(rows)
    assert _deliver(here, 1) == 1
    assert sum(len(row["deliveries"]) for row in listed(here, "waitingWebhooks")) == 2 * len(rows) - 1
    while _deliver(here, 100):
        pass
    assert listed(here, "waitingWebhooks") == []


def test_a_body_that_waits_shows_of_another_player_only_the_id() -> None:
    """Neither their id at the studio nor what they wrote; what the player wrote stays."""
    here = world(social={"maxFriends": 50})
    endpoint(here)
    anna, bert = here.player("anna"), here.player("bert")
    befriend(anna, bert)
    for sender, recipient in ((anna, "bert"), (bert, "anna")):
        ask(
            sender, "gifts.send", external_player_id=recipient, type="currency", resource_key="xp", amount=1,
            message=f"words to {recipient}",
        )  # fmt: skip
    for name, other in (("anna", "bert"), ("bert", "anna")):
        gifts = [row["data"] for row in listed(here, "waitingWebhooks", name) if row["eventName"] == "gift.sent"]
        (sent,) = (gift for gift in gifts if gift["senderExternalPlayerId"] == name)
        (received,) = (gift for gift in gifts if gift["senderExternalPlayerId"] is None)
        assert (sent["message"], sent["recipientExternalPlayerId"]) == (f"words to {other}", None)
        assert (received["message"], received["recipientExternalPlayerId"]) == (None, name)
        assert received["senderPlayerId"] == here.player(other).player_id


def test_what_others_wrote_about_a_guild_is_not_shown_to_its_leader() -> None:
    """The event about it is the leader's as well, because it has the guild's texts; whoever wrote them is shown them."""
    here = world()
    endpoint(here)
    anna, bert = here.player("anna"), here.player("bert")
    guild_id = ask(anna, "guilds.create", name="Owls", join_type="open").text("guild.guildId")
    ask(bert, "guilds.join", guild_id=guild_id)
    ask(anna, "guilds.promote", member_external_id="bert")
    ask(bert, "guilds.update", description="by bert")
    ask(anna, "guilds.update", badge="by anna")
    ask(here.server, "guilds.update", guild_id=guild_id, country="NO")

    def changes(name: str) -> list[str]:
        rows = (row["data"] for row in listed(here, "waitingWebhooks", name) if row["eventName"] == "guild.updated")
        return sorted(json.dumps(row["changes"]) for row in rows)

    assert changes("anna") == ["null", "null", '{"badge": {"before": null, "after": "by anna"}}']
    assert changes("bert") == ['{"description": {"before": null, "after": "by bert"}}']


def test_events_of_an_account_that_was_merged_are_shown_once() -> None:
    """Also one that names both; the former id is the same person's, so it stays in the body."""
    here = world()
    endpoint(here)
    for name in ("anna", "guest"):
        give(here.player(name), "gold", 1)
    ask(here.server, "players.merge", external_id="guest", to_external_id="anna")
    rows = listed(here, "waitingWebhooks")
    ids = [row["eventId"] for row in rows]
    assert len(ids) == len(set(ids))
    registered = [row["data"]["externalPlayerId"] for row in rows if row["eventName"] == "player.registered"]
    assert sorted(registered) == ["anna", "guest"]
    (merged,) = (row["data"] for row in rows if row["eventName"] == "player.merged")
    assert (merged["fromExternalPlayerId"], merged["toExternalPlayerId"]) == ("guest", "anna")


def test_no_kind_of_event_shows_another_player() -> None:
    """Whoever of the players of a sample it is: of the others the ids alone, and no text that any of them wrote."""
    several = 0
    for kind, payload in AREAS.events.items():
        whole = cast(JsonObject, encode(sample(kind)))
        people = dict(_people(whole))
        for me in people or {"": ""}:
            shown = without_others(payload, whole, lambda other, me=me: other == me)  # type: ignore[misc] # bound
            assert set(shown) == set(whole)
            others = {external for player, external in people.items() if player != me}
            assert not others & set(_texts(shown)), kind
            assert not {text for text in _texts(shown) if text.startswith("mbr_")}, kind
            several += bool(others)
        if len(people) > 1:
            written = {field.name for field in attrs.fields(cast(Any, payload))} & {"message", "reason", "text", "name"}
            assert written <= {"reason"} | WORDS_OF.get(kind, {}).keys(), kind
    assert several >= 2 * 7


def _people(value: object) -> Iterator[tuple[str, str]]:
    """Both ids of everybody in a payload."""
    if isinstance(value, dict):
        for name, one in value.items():
            other = name.replace("ExternalPlayerId", "PlayerId").replace("externalPlayerId", "playerId")
            if other != name and one is not None and other in value:
                yield str(value[other]), str(one)
            yield from _people(one)
    elif isinstance(value, list):
        for one in value:
            yield from _people(one)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)
    elif isinstance(value, str):
        yield value


# -- all lists ------------------------------------------------------------------------------------------------------------


def test_nothing_of_another_player_is_in_the_whole_of_it() -> None:
    """A friend's export after everything, without any of the marker; it has the friend's own events."""
    here = full_life()
    theirs = bundle_of(here, "friend")
    assert theirs["waitingWebhooks"]
    assert theirs["auditEntries"]
    shown = {name: rows for name, rows in theirs.items() if name not in {"guilds", "gifts"}}
    # What the friend has written to the marked player is the friend's.
    assert MARK not in json.dumps(shown, ensure_ascii=False).replace('\\"', '"').replace(f"For {MARK}", "")
    assert '"friend"' not in json.dumps(bundle_of(here, MARK))


@pytest.mark.parametrize("most", [1, 2, 7])
def test_pages_joined_are_each_whole_list(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However few rows a page may have, and however few it may look at."""
    here = full_life()
    whole = bundle_of(here, MARK)
    monkeypatch.setattr(export, "MOST_ROWS", most)
    monkeypatch.setattr(accounts, "MOST_READ", most + 1)
    for name in export.LISTS:
        assert listed(here, name, MARK) == whole[name], name
