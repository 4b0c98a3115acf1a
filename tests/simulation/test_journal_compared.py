"""The same commands under another configuration: what it says is what counting the journal by hand says as well."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from livecore.api.configuration.game_config import parse_config
from livecore.journal.comparing import Compared, compare
from livecore.journal.reading import read_journal
from livecore.journal.report import json_of, lines_of
from livecore.journal.translation import Ids
from tests.simulation.journals import busy, demo_data, demo_text

SEED = 3
"""A season with gifts, crates and entries."""


def changed_game() -> Any:  # noqa: ANN401 - JSON
    """The game of the season, to be changed."""
    return demo_data()


def under(change: Callable[[Any], object]) -> Compared:
    """The busy season under a configuration with a change."""
    data = changed_game()
    change(data)
    return compare(read_journal(busy(SEED)), parse_config(data))


def calls(operation: str, status: int = 200) -> Iterator[Any]:
    """The recorded calls of an operation that ended so."""
    for line in busy(SEED)[1:-1]:
        command = json.loads(line)
        if command["operation"] == operation and command["status"] == status:
            yield command


def changes(compared: Compared) -> Counter[tuple[str, str]]:
    """By how much each balance differs."""
    found = Counter[tuple[str, str]]()
    for player, changed in compared.differences().items():
        for resource, (was, now) in changed.items():
            found[player, resource] = now - was
    return found


def test_the_same_configuration_changes_nothing() -> None:
    compared = under(lambda _: None)
    assert compared.commands == len(busy(SEED)) - 2
    assert (compared.unlike, compared.otherwise, compared.differences()) == (0, {}, {})
    assert compared.events[0] == compared.events[1]
    assert compared.events[0].total() > 500
    assert sum(compared.balances[0].values()) > 500
    assert lines_of(compared)[1:] == ["Nothing differs."]


def test_an_entry_that_costs_more_costs_whoever_entered() -> None:
    """One gold more for each attempt at the daily dash; everybody has it."""
    starts = Counter(
        command["places"]["externalId"]
        for command in calls("sdk:events.start", 201)
        if command["places"]["key"] == "daily-dash"
    )
    compared = under(lambda data: data["events"][0]["entryCost"][0].update(amount=6))
    assert not compared.otherwise
    assert sum(starts.values()) > 10
    assert changes(compared) == {(player, "currency:gold"): -count for player, count in starts.items()}
    said = "\n".join(lines_of(compared))
    assert f"({-sum(starts.values()):+}); 0 players have more, {len(starts)} less" in said


def test_an_entry_that_nobody_can_pay_is_refused() -> None:
    """Each start that was granted is refused, as is what followed from it."""
    starts = [command for command in calls("sdk:events.start", 201) if command["places"]["key"] == "daily-dash"]
    compared = under(lambda data: data["events"][0]["entryCost"][0].update(amount=100_000))
    found: Any = json_of(compared, read_journal(busy(SEED)).header)
    by_code = {(one["operation"], one["recorded"]["status"], one["other"]["code"]): one for one in found["calls"]}
    refused = by_code["sdk:events.start", 201, "insufficient_entry_cost"]
    assert refused["count"] == len(starts)
    assert refused["examples"][0]["caller"] == starts[0]["places"]["externalId"]
    assert ("sdk:events.progress", 200, "attempt_not_found") in by_code
    assert found["events"]["event.attempt_started"]["difference"] < 0


def test_a_gift_that_costs_nothing_leaves_its_sender_the_gift() -> None:
    """What each has sent of gold stays with the sender, and nobody else has less."""
    sent = Counter[tuple[str, str]]()
    for command in calls("sdk:gifts.send", 201):
        if command["arguments"]["resourceKey"] == "gold":
            sent[command["places"]["externalId"], "currency:gold"] += command["arguments"]["amount"]
    compared = under(lambda data: data["gifting"]["resources"][0].update(costsSender=False))
    assert sum(sent.values()) > 10
    assert changes(compared) == sent
    assert not compared.otherwise


def test_a_crate_with_other_odds_gives_its_openers_what_those_give() -> None:
    """Where only the sword can be rolled, every content that was claimed is one sword in place of what was rolled."""
    sword, claimed = 2, {command["places"]["grantId"] for command in calls("sdk:grants.claim")}
    rows = changed_game()["crates"][0]["rolls"][0]["rows"]
    expected = Counter[tuple[str, str]]()
    for command in calls("sdk:crates.open"):
        data, player = command["answer"]["data"], command["places"]["externalId"]
        if data["grant"]["grantId"] in claimed:
            for row, sign in ((data["rolls"][0]["row"], -1), (sword, 1)):
                [entry] = rows[row]["entries"]
                expected[player, f"{entry['type']}:{entry['resourceKey']}"] += sign * entry["amount"]

    def only_swords(data: Any) -> None:  # noqa: ANN401 - JSON
        for place, row in enumerate(data["crates"][0]["rolls"][0]["rows"]):
            row["weight"] = 1_000_000_000 if place == sword else 1

    compared = under(only_swords)
    assert sum(amount for (_, resource), amount in expected.items() if resource == "item:sword") > 5
    assert changes(compared) == {key: amount for key, amount in expected.items() if amount}


def test_a_claim_means_the_grant_that_the_recorded_answer_named() -> None:
    """A milestone more before the others makes the ids of their grants other ones, and theirs that of another grant.

    Its grants are made, and nobody claims them, because nobody knew of them.
    """
    first = {"key": "first", "threshold": 1, "entries": [{"type": "currency", "resourceKey": "xp", "amount": 1000}]}
    claims = {command["places"]["grantId"] for command in calls("sdk:grants.claim")}
    shifted = [
        reached["grantId"]
        for command in calls("sdk:events.progress")
        for reached in command["answer"]["data"]["milestones"]
        if reached["key"] == "warm" and reached["grantId"] in claims
    ]
    assert len(shifted) > 3
    compared = under(lambda data: data["events"][0]["milestones"].insert(0, first))
    assert not compared.otherwise
    assert not compared.differences()
    was, now = compared.events
    assert now["event.milestone_granted"] > was["event.milestone_granted"]
    assert now["grant.claimed"] == was["grant.claimed"]


def test_an_event_that_there_is_not_any_more_ends_what_was_about_it() -> None:
    compared = under(lambda data: data["events"].pop(1))
    endings = {(one.operation, str(one.now)) for one in compared.otherwise.values()}
    assert ("sdk:events.start", "404 event_not_found") in endings
    assert not [ending for ending in endings if ending[1] == "0"]


def test_it_is_the_same_each_time() -> None:
    """Also with a change from which much follows."""
    texts = [
        json.dumps(json_of(under(lambda data: data["events"].pop(1)), read_journal(busy(SEED)).header))
        for _ in range(2)
    ]
    assert texts[0] == texts[1]


def test_what_differs_by_the_version_alone_is_told_apart() -> None:
    """Both sides are played by this version, and it says so where it does not answer as recorded."""
    lines = list(busy(SEED))
    place = next(place for place, line in enumerate(lines) if b'"operation":"sdk:wallet.get"' in line)
    command = json.loads(lines[place])
    command["answer"]["data"]["balances"] = []
    lines[place] = json.dumps(command).encode()
    compared = compare(read_journal(lines), parse_config(json.loads(demo_text())))
    assert (compared.unlike, compared.otherwise, compared.differences()) == (1, {}, {})
    assert "this version answers 1 of them otherwise than recorded" in "\n".join(lines_of(compared))


# -- ids ------------------------------------------------------------------------------------------------------------------


def grant(number: int, key: str = "gold", amount: int = 1) -> dict[str, Any]:
    """A grant in a list."""
    return {"grantId": f"019b76f7-82b8-7dc5-849a-{number:012}", "entries": [{"resourceKey": key, "amount": amount}]}


def test_new_things_in_a_list_belong_together_by_what_they_are() -> None:
    """Alike first, then what differs in its amount only; what nothing is like keeps its id."""
    ids = Ids()
    recorded: list[Any] = [grant(1, "gold"), grant(2, "xp"), grant(3, "gems", 5), grant(4, "none")]
    now: list[Any] = [
        grant(1, "potion"),
        grant(11, "gold", 7),
        grant(12, "gems", 6),
        grant(13, "xp"),
        grant(14, "gold"),
    ]
    ids.learn({"data": {"grants": recorded}}, {"data": {"grants": now}})
    translated = [ids.translated(one["grantId"]) for one in recorded]
    assert translated == [grant(number)["grantId"] for number in (14, 13, 12, 4)]


def test_what_was_seen_before_belongs_together_whatever_became_of_it() -> None:
    """A later list cannot say otherwise, and two ids are never the same one."""
    ids = Ids()
    ids.learn({"data": grant(1)}, {"data": grant(11)})
    ids.learn({"data": [grant(2), grant(1, "xp")]}, {"data": [grant(11), grant(12)]})
    assert [ids.translated(grant(number)["grantId"]) for number in (1, 2)] == [
        grant(number)["grantId"] for number in (11, 12)
    ]
    assert ids.translated({"a": [grant(1)["grantId"], 5]}) == {"a": [grant(11)["grantId"], 5]}
