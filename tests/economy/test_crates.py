"""Crates: what is held, what is drawn, what is published, and what is kept of it (contract, "Crates")."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from livecore.economy.crate_config import CrateDefinition
from livecore.economy.crate_draws import draw, pity_names, probabilities
from livecore.economy.crates import DEFINITIONS, OPENINGS, WAITS
from livecore.economy.grants import GRANTS
from livecore.kernel.errors import JsonObject
from livecore.kernel.storage.records import JsonText, evolve
from livecore.kernel.wire import decode
from livecore.world import World, WorldPlayer
from tests.commerce.shop import found_wrong
from tests.economy.crate_games import GOLD, POTION, entry, rare, roll
from tests.worlds import Since, ask, ban, config, crate, grant, put, rows_of, studio_world, total, world


def rewarded(player: WorldPlayer, *entries: JsonObject, named: str = "r") -> str:
    """A reward of these entries; gives its id."""
    made = ask(
        player.world.server, "grants.create", external_id=player.external_id, idempotency_key=named,
        entries=list(entries), source_ref_id="season-4",
    )  # fmt: skip
    assert made.status == 201, made.body
    return made.text("grant.grantId")


# -- held -----------------------------------------------------------------------------------------------------------------


def test_a_crate_is_a_pending_grant_of_one_entry() -> None:
    """Its id is the id of the grant, which is listed in both lists."""
    anna = world().player("anna")
    held = crate(anna)
    assert (held.status, held["grant.kind"], held["grant.entries"]) == (201, "crate", [entry("chest")])
    (row,) = ask(anna, "crates.list").list("crates")
    assert row == {
        "crateId": held["grant.grantId"],
        "crateKey": "chest",
        "name": "Chest",
        "createdAt": held["grant.createdAt"],
        "expiresAt": None,
    }
    (pending,) = ask(anna, "grants.listPending").list("grants")
    assert pending["grantId"] == row["crateId"]


@pytest.mark.parametrize(
    "entries", [[GOLD], [entry("chest", 2)], [entry("chest"), entry("chest")], [entry("chest"), GOLD]]
)
def test_a_grant_of_kind_crate_holds_one_crate_and_nothing_else(entries: list[JsonObject]) -> None:
    """Anything else is refused with the field."""
    anna = world().player("anna")
    refused = ask(
        anna.world.server, "grants.create", external_id="anna", idempotency_key="k", kind="crate", entries=entries
    )
    assert (refused.status, refused.code, refused.fields) == (400, "validation_failed", ["entries"])


def test_crates_that_a_reward_cannot_hold() -> None:
    """One that the game does not define, one with attributes, and too many."""
    anna = world().player("anna")

    def fields(*entries: JsonObject) -> list[str]:
        asked = ask(anna.world.server, "grants.create", external_id="anna", idempotency_key="k", entries=list(entries))
        assert asked.refusal == (400, "validation_failed")
        return asked.fields

    assert fields(GOLD, entry("box")) == ["entries[1].resourceKey"]
    assert fields({**entry("chest"), "parameters": {"level": 2}}) == ["entries[0].parameters"]
    assert fields(entry("chest", 60), entry("chest", 41)) == ["entries"]


def test_crates_in_a_reward_become_grants_of_their_own_when_it_is_claimed() -> None:
    """As many as the reward holds, beside what it credits."""
    anna = world().player("anna")
    reward = rewarded(anna, GOLD, entry("chest", 3))
    assert ask(anna, "crates.list").list("crates") == []
    since = Since(anna.world)
    assert ask(anna, "grants.claim", grant_id=reward).status == 200
    assert since.kinds == ["grant.claimed", *["grant.created"] * 3, "wallet.changed"]
    crates = [row for row in rows_of(anna.world, GRANTS) if row.kind == "crate"]
    assert {(row.status, row.source_kind, row.source_ref_id, row.crate_key) for row in crates} == {
        ("pending", "api", "season-4", "chest")
    }
    assert len(ask(anna, "crates.list").list("crates")) == 3
    assert total(anna, "gold") == 1


def test_a_crate_is_not_claimed_and_not_acknowledged() -> None:
    """It must be opened, also when it is open already."""
    anna = world().player("anna")
    held = crate(anna).text("grant.grantId")
    must = (409, "crate_must_be_opened")
    for _ in range(2):
        assert ask(anna, "grants.claim", grant_id=held).refusal == must
        assert ask(anna.world.server, "grants.ack", external_id="anna", grant_id=held).refusal == must
        ask(anna, "crates.open", crate_id=held)


def test_the_newest_two_hundred_are_listed() -> None:
    """Those that come later are the first, and opening one shows another."""
    anna = world().player("anna")
    for number in range(3):
        ask(anna, "grants.claim", grant_id=rewarded(anna, entry("chest", 67), named=f"r{number}"))
        anna.world.advance(seconds=1)
    listed = ask(anna, "crates.list").list("crates")
    assert len(listed) == 200
    times = [str(row["createdAt"]) for row in listed]
    assert times == sorted(times, reverse=True)
    ask(anna, "crates.open", crate_id=listed[0]["crateId"])
    again = ask(anna, "crates.list").list("crates")
    assert len(again) == 200
    assert again[:-1] == listed[1:]


# -- opened ---------------------------------------------------------------------------------------------------------------


def test_opening_draws_the_contents_into_a_grant() -> None:
    """The crate is claimed by it; what was drawn waits in a reward that is claimed as usual."""
    anna = world().player("anna")
    held = crate(anna).text("grant.grantId")
    since = Since(anna.world)
    opened = ask(anna, "crates.open", crate_id=held)
    assert opened.status == 200
    assert since.kinds == ["crate.opened", "grant.claimed", "grant.created"]
    (told,) = (event for event in anna.world.events if event.kind == "crate.opened")
    assert (told.data["crateId"], told.data["contentsGrantId"]) == (held, opened["grant.grantId"])
    assert told.data["entries"] == opened["grant.entries"]
    (rolled,) = opened.list("rolls")
    assert rolled["roll"] == 0
    won = ("potion", "sword")[int(str(rolled["row"]))]
    assert opened["grant.entries"] == [
        {"type": "currency", "resourceKey": "gold", "amount": 2},
        {"type": "item", "resourceKey": won, "amount": 1},
    ]
    shown = [opened[f"grant.{name}"] for name in ("kind", "status", "sourceKind", "sourceRefId")]
    assert shown == ["reward", "pending", "crate", held]
    assert (total(anna, "gold"), total(anna, won)) == (0, 0)
    ask(anna, "grants.claim", grant_id=opened["grant.grantId"])
    assert (total(anna, "gold"), total(anna, won)) == (2, 1)
    assert ask(anna, "crates.list").list("crates") == []


def test_a_crate_opens_once() -> None:
    """A repetition under the same key gives the same answer, any other opening is refused."""
    anna = world().player("anna")
    held = crate(anna).text("grant.grantId")
    first = ask(anna, "crates.open", crate_id=held, idempotency_key="k")
    again = ask(anna, "crates.open", crate_id=held, idempotency_key="k")
    assert (again.body, again.header("idempotent-replay")) == (first.body, "true")
    assert ask(anna, "crates.open", crate_id=held).refusal == (409, "grant_already_claimed")
    assert len(rows_of(anna.world, OPENINGS)) == 1


def test_what_cannot_be_opened() -> None:
    """Nothing, something that is no crate, somebody else's, one that is past its time, and one of a banned player."""
    anna = world().player("anna")
    bert = anna.world.player("bert")
    unknown = (404, "crate_not_found")
    assert ask(anna, "crates.open", crate_id="none").refusal == unknown
    assert ask(anna, "crates.open", crate_id=grant(anna).text("grant.grantId")).refusal == unknown
    held = crate(bert).text("grant.grantId")
    assert ask(anna, "crates.open", crate_id=held).refusal == unknown
    opened = crate(anna, named="opened", expires_at="2026-01-01T01:00:00Z").text("grant.grantId")
    ask(anna, "crates.open", crate_id=opened)
    late = crate(anna, named="late", expires_at="2026-01-01T01:00:00Z").text("grant.grantId")
    anna.world.advance(minutes=59)
    assert len(ask(anna, "crates.list").list("crates")) == 1
    anna.world.advance(minutes=1)
    assert ask(anna, "crates.open", crate_id=late).refusal == (410, "grant_expired")
    assert ask(anna, "crates.open", crate_id=opened).refusal == (410, "grant_expired")
    assert ask(anna, "crates.list").list("crates") == []
    ban(bert)
    assert ask(bert, "crates.open", crate_id=held).refusal == (403, "player_banned")


def test_a_crate_in_an_unclaimed_reward_is_told_with_its_grant() -> None:
    """By the id of the reward, or by the key of the crate; what is said is only of one's own grants."""
    anna = world().player("anna")
    bert = anna.world.player("bert")
    unclaimed = (
        "The crate lies in a reward that is not claimed: claim the grant of details.grantId first, then open the crate by "
        "the id that it has from then on."
    )
    reward = rewarded(anna, GOLD, entry("chest"))
    for asked in (reward, "chest"):
        refused = ask(anna, "crates.open", crate_id=asked)
        assert refused.refusal == (404, "crate_not_found")
        assert (refused["message"], refused.details) == (unclaimed, {"grantId": reward})
        other = ask(bert, "crates.open", crate_id=asked)
        assert other.refusal == (404, "crate_not_found")
        assert other.body == {"error": {"code": "crate_not_found", "message": f"There is no crate '{asked}'."}}
    ask(anna, "grants.claim", grant_id=reward)
    (held,) = ask(anna, "crates.list").list("crates")
    claimed = ask(anna, "crates.open", crate_id=reward)
    assert claimed.refusal == (404, "crate_not_found")
    assert claimed["message"] == (
        f"There is no crate '{reward}': this is the reward that held it, and its crates have ids of their own."
    )
    assert "details" not in claimed.body["error"]  # type: ignore[operator] # the error's object
    by_key = ask(anna, "crates.open", crate_id="chest")
    assert by_key["message"] == (
        "There is no crate 'chest': this is the key of a crate that the player holds, which is opened by its id."
    )
    assert ask(anna, "crates.open", crate_id=held["crateId"]).status == 200
    assert ask(anna, "crates.open", crate_id="chest")["message"] == "There is no crate 'chest'."


def test_a_reward_that_can_no_longer_be_claimed_is_not_told() -> None:
    """Nor is one without a crate."""
    anna = world().player("anna")
    late = ask(
        anna.world.server, "grants.create", external_id="anna", idempotency_key="late", entries=[entry("chest")],
        expires_at="2026-01-01T01:00:00Z",
    ).text("grant.grantId")  # fmt: skip
    plain = rewarded(anna, GOLD)
    anna.world.advance(hours=2)
    for asked in (late, plain, "chest"):
        refused = ask(anna, "crates.open", crate_id=asked)
        assert refused.body == {"error": {"code": "crate_not_found", "message": f"There is no crate '{asked}'."}}


def test_a_crate_whose_definition_is_gone_is_kept() -> None:
    """It is listed under its key, and opens when the definition is back."""
    anna = world().player("anna")
    held = crate(anna).text("grant.grantId")
    anna.world.configure(config(crates=[]))
    assert ask(anna, "crates.open", crate_id=held).refusal == (409, "crate_undefined")
    (row,) = ask(anna, "crates.list").list("crates")
    assert (row["crateId"], row["name"]) == (held, "chest")
    assert ask(anna, "crates.odds", key="chest").refusal == (404, "crate_not_found")
    anna.world.configure(config())
    assert ask(anna, "crates.open", crate_id=held).status == 200


def test_a_studio_that_keeps_the_economy_has_crates_too() -> None:
    """The service draws; the studio pays when the contents are claimed."""
    anna = studio_world().player("anna")
    opened = ask(anna, "crates.open", crate_id=crate(anna).text("grant.grantId"))
    since = Since(anna.world)
    ask(anna, "grants.claim", grant_id=opened["grant.grantId"])
    assert since.kinds == ["grant.claimed"]


def test_a_grant_of_kind_crate_from_before_there_were_crates_is_claimed() -> None:
    """It holds other entries, and no crate."""
    anna = world().player("anna")
    old = grant(anna).text("grant.grantId")
    (row,) = rows_of(anna.world, GRANTS)
    put(anna.world, GRANTS, evolve(row, kind="crate"))
    assert ask(anna, "crates.open", crate_id=old).refusal == (404, "crate_not_found")
    assert ask(anna, "crates.list").list("crates") == []
    assert ask(anna, "grants.claim", grant_id=old).status == 200


# -- pity -----------------------------------------------------------------------------------------------------------------


def test_pity_gives_its_row_after_so_many_openings_without_it() -> None:
    """Then it counts anew; other players, and other crates, have counts of their own."""
    anna = world(crates=[*rare(2), {**rare(2)[0], "key": "box"}]).player("anna")
    bert = anna.world.player("bert")

    def rows(player: WorldPlayer, key: str, count: int) -> list[object]:
        found: list[object] = []
        for _ in range(count):
            held = crate(player, key, named=f"{player.external_id}{len(rows_of(anna.world, GRANTS))}")
            found.append(ask(player, "crates.open", crate_id=held.text("grant.grantId"))["rolls.0.row"])
        return found

    assert rows(anna, "chest", 2) == [0, 0]
    assert rows(bert, "chest", 2) == [0, 0]
    assert rows(anna, "box", 1) == [0]
    assert rows(anna, "chest", 4) == [1, 0, 0, 1]
    assert rows(anna, "box", 2) == [0, 1]


def test_pity_gives_its_row_in_the_first_roll_and_counts_openings() -> None:
    """However often an opening rolls."""
    definition = decode(CrateDefinition, rare(2, times=3)[0])
    (name,) = pity_names(definition)
    seed = bytes(32)
    assert [rolled.row for rolled in draw(definition, seed, {name: 1}).rolls] == [0, 0, 0]
    assert draw(definition, seed, {name: 1}).waits == {name: 2}
    assert [rolled.row for rolled in draw(definition, seed, {name: 2}).rolls] == [1, 0, 0]
    assert draw(definition, seed, {name: 2}).waits == {name: 0}


def test_pity_counts_what_a_row_gives_and_not_where_it_stands() -> None:
    """A row that moves goes on, and one that gives something else counts anew."""
    before = rare(2)[0]
    rows = before["rolls"][0]["rows"]
    moved = {**before, "rolls": [roll(GOLD), {"rows": rows[::-1], "pity": {"after": 5, "row": 0}}]}
    other = {**before, "rolls": [{"rows": [*rows, {"weight": 1, "entries": []}], "pity": {"after": 5, "row": 2}}]}
    waits = draw(decode(CrateDefinition, before), bytes(32), {}).waits
    assert list(draw(decode(CrateDefinition, moved), bytes(32), waits).waits.values()) == [2]
    assert list(draw(decode(CrateDefinition, other), bytes(32), waits).waits.values()) == [1]


def test_two_rolls_with_the_same_row_of_pity_count_apart() -> None:
    """Each has a wait of its own."""
    crate_of = rare(2)[0]
    definition = decode(CrateDefinition, {**crate_of, "rolls": crate_of["rolls"] * 2})
    one, other = pity_names(definition)
    assert draw(definition, bytes(32), {one: 2}).waits == {one: 0, other: 1}


@pytest.mark.parametrize("into", ["who opened more", "who opened less"])
def test_a_merge_goes_on_with_the_longer_wait(into: str) -> None:
    """Whoever opened how many: a row that is due is not lost."""
    anna = world(crates=rare(3)).player("anna")
    bert = anna.world.player("bert")
    for player, count in ((anna, 5), (bert, 3)):  # anna has got the row with her fourth one
        for number in range(count):
            held = crate(player, named=f"{player.external_id}{number}").text("grant.grantId")
            ask(player, "crates.open", crate_id=held)
    source, target = (bert, anna) if into == "who opened more" else (anna, bert)
    merge = {"external_id": source.external_id, "to_external_id": target.external_id}
    assert ask(anna.world.server, "players.merge", **merge).status == 200
    last = crate(target, named="last").text("grant.grantId")
    assert ask(target, "crates.open", crate_id=last)["rolls.0.row"] == 1
    assert {row.player_id for row in rows_of(anna.world, OPENINGS)} == {target.player_id}
    assert {row.player_id for row in rows_of(anna.world, WAITS)} == {target.player_id}
    assert problems(anna.world) == []


# -- odds -----------------------------------------------------------------------------------------------------------------


@given(st.lists(st.integers(1, 10**9), min_size=1, max_size=100))
def test_published_chances_add_up_to_one_and_are_as_exact_as_they_are_long(weights: list[int]) -> None:
    """None is 0, and each is within a step of its last digit."""
    roll = decode(
        CrateDefinition,
        {"key": "c", "name": "C", "rolls": [{"rows": [{"weight": weight, "entries": []} for weight in weights]}]},
    ).rolls[0]
    shown = [Decimal(text) for text in probabilities(roll)]
    assert sum(shown) == 1
    for row, chance in enumerate(shown):
        assert chance > 0
        assert abs(chance - Decimal(weights[row]) / Decimal(sum(weights))) <= Decimal("1e-12")


def test_chances_are_written_without_needless_zeros() -> None:
    thirds = decode(
        CrateDefinition, {"key": "c", "name": "C", "rolls": [{"rows": [{"weight": 1, "entries": []}] * 3}]}
    ).rolls[0]
    assert probabilities(thirds) == ("0.333333333334", "0.333333333333", "0.333333333333")
    anna = world().player("anna")
    assert ask(anna, "crates.odds", key="chest").data == {
        "crateKey": "chest",
        "guaranteed": [{"type": "currency", "resourceKey": "gold", "amount": 2}],
        "rolls": [
            {
                "times": 1,
                "rows": [
                    {"entries": [POTION], "probability": "0.75"},
                    {"entries": [{**POTION, "resourceKey": "sword"}], "probability": "0.25"},
                ],
                "pity": {"after": 4, "row": 1},
            }
        ],
    }


def test_rolls_come_as_often_as_their_chances_say() -> None:
    """Chi-square over 60,000 rolls of fixed seeds, far below what one correct draw in 10^9 exceeds."""
    weights = (1, 2, 3, 10, 84)
    definition = decode(
        CrateDefinition,
        {
            "key": "c",
            "name": "C",
            "rolls": [{"times": 100, "rows": [{"weight": weight, "entries": []} for weight in weights]}],
        },
    )
    seen = [0] * len(weights)
    for number in range(600):
        for rolled in draw(definition, number.to_bytes(32, "big"), {}).rolls:
            seen[rolled.row] += 1
    expected = [60_000 * weight / sum(weights) for weight in weights]
    distance = sum((found - wanted) ** 2 / wanted for found, wanted in zip(seen, expected, strict=True))
    assert distance < 49  # four degrees of freedom: exceeded with a chance of less than 10^-9


# -- kept -----------------------------------------------------------------------------------------------------------------


def opened_world() -> World:
    """A world in which one crate was opened."""
    anna = world().player("anna")
    ask(anna, "crates.open", crate_id=crate(anna).text("grant.grantId"))
    return anna.world


def problems(changed: World) -> list[str]:
    """What the checker finds."""
    return [f"{found.table}: {found.problem}" for found in found_wrong(changed)]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"seed": "00" * 32, "rolls": JsonText("[[0,7]]")}, "has other rolls than its seed gives"),
        ({"waits_after": JsonText("{}")}, "has other counts for pity than its rolls give"),
        ({"seed": "zz"}, "cannot be read"),
        ({"rolls": JsonText("[[0]]")}, "cannot be read"),
        ({"crate_key": "box"}, "was drawn by the definition of another crate"),
        ({"player_id": "plr_x"}, "has contents that another player was granted"),
        ({"definition": "gone"}, "was drawn by a definition that is not stored"),
        ({"contents_id": "gone"}, "has contents that were never granted"),
        ({"opened_at": 1}, "is not of a crate that its player opened at that time"),
    ],
)
def test_the_checker_derives_each_opening_again(changes: dict[str, object], problem: str) -> None:
    """And says what does not agree."""
    changed = opened_world()
    assert problems(changed) == []
    (opening,) = rows_of(changed, OPENINGS)
    put(changed, OPENINGS, evolve(opening, **changes))
    assert f"crate_openings: {problem}" in problems(changed)


def test_the_checker_compares_contents_and_definitions() -> None:
    """What was granted is what was drawn, and a definition is the one that its digest names."""
    changed = opened_world()
    (opening,) = rows_of(changed, OPENINGS)
    contents = next(row for row in rows_of(changed, GRANTS) if row.grant_id == opening.contents_id)
    put(changed, GRANTS, evolve(contents, entries=JsonText(json.dumps([GOLD]))))
    assert problems(changed) == ["crate_openings: has other contents than its seed gives"]
    put(changed, GRANTS, evolve(contents, parameters=JsonText('{"0":{"level":99}}')))
    assert problems(changed) == ["crate_openings: has contents of other attributes than its seed gives"]
    (stored,) = rows_of(changed, DEFINITIONS)
    put(changed, DEFINITIONS, evolve(stored, definition=JsonText(stored.definition.replace("Chest", "Crate"))))
    assert "crate_definitions: is not the definition that its digest names" in problems(changed)


def test_one_definition_is_stored_once() -> None:
    """However many crates were opened by it; another one when it changes."""
    anna = world().player("anna")
    for number in range(3):
        if number == 2:
            anna.world.configure(config(crates=rare(4)))
        ask(anna, "crates.open", crate_id=crate(anna, named=f"c{number}").text("grant.grantId"))
    assert len(rows_of(anna.world, DEFINITIONS)) == 2
    assert problems(anna.world) == []
