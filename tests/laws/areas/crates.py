"""Crates: what a player opens, and what the answer's rolls must give (contract, "Crates")."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

import attrs

from tests.laws.area import Area, Named, Operation, plainly
from tests.laws.areas.grants import Grant, Grants, crates_of, require_open
from tests.laws.drawing import NOBODY, Draw
from tests.laws.model_state import Asset, Call, Player, Refused, Reply, Scope, stamps
from tests.laws.routes import Body
from tests.laws.steps import Step, Wait

# -- state ----------------------------------------------------------------------------------------------------------------


@attrs.define
class Waits:
    """For each kind of crate, how many openings in a row have not given what a row of pity gives."""

    of: dict[str, dict[str, int]] = attrs.field(factory=dict)


# -- opening --------------------------------------------------------------------------------------------------------------


def _open(call: Call) -> Reply:
    """Draw the contents; which row a roll gives is learnt from the answer."""
    crate = call.scope.part(Grants).by_id.get(call["crateId"])
    if crate is None or crate.player != call.player or crate.crate is None:
        raise Refused(404, "crate_not_found")
    if crate.past(call.now):
        raise Refused(410, "grant_expired")
    require_open(call, crate)
    crate.status, crate.claimed_at, crate.acked_by = "claimed", call.now, "player"
    key, definition = crate.crate, crates_of(call.scope)[crate.crate]

    def learn(data: Body) -> None:
        assert {**data["crate"], "openedAt": None} == {"crateId": crate.grant_id, "crateKey": key, "openedAt": None}
        assert stamps(data["crate"], "openedAt") == [call.now]
        rows = _rows(data["rolls"], definition)
        waits = call.me.part(Waits).of.setdefault(key, {})
        for declared, of_roll in zip(definition["rolls"], rows, strict=True):
            _count(waits, declared, of_roll)
        contents = _contents(definition, rows)
        row = data["grant"]
        assert [((entry["type"], entry["resourceKey"]), entry["amount"]) for entry in row["entries"]] == contents
        assert (row["kind"], row["status"], row["sourceKind"]) == ("reward", "pending", "crate")
        assert row["sourceRefId"] == crate.grant_id
        made = Grant(row["grantId"], call.player, contents, call.now, None)
        call.scope.part(Grants).by_id[made.grant_id] = made

    return Reply(200, ("crate.opened", "grant.claimed", "grant.created"), learn, "crate: held -open-> opened")


def _rows(rolls: list[Body], definition: Body) -> list[list[int]]:
    """The rows of each roll, of which there are as many as the definition says, in its order."""
    expected = [number for number, roll in enumerate(definition["rolls"]) for _ in range(roll.get("times", 1))]
    assert [rolled["roll"] for rolled in rolls] == expected
    return [
        [rolled["row"] for rolled in rolls if rolled["roll"] == number] for number in range(len(definition["rolls"]))
    ]


def _count(waits: dict[str, int], declared: Body, rows: list[int]) -> None:
    """Demand the row of pity where it is due, and count on."""
    assert all(0 <= row < len(declared["rows"]) for row in rows)
    pity = declared.get("pity")
    if pity is None:
        return
    given = json.dumps(declared["rows"][pity["row"]]["entries"])
    if waits.get(given, 0) >= pity["after"]:
        assert rows[0] == pity["row"]
    waits[given] = 0 if pity["row"] in rows else waits.get(given, 0) + 1


def _contents(definition: Body, rows: list[list[int]]) -> list[tuple[Asset, int]]:
    found: dict[Asset, int] = {}
    won = [
        roll["rows"][row]["entries"] for roll, of_roll in zip(definition["rolls"], rows, strict=True) for row in of_roll
    ]
    for entry in [*definition.get("guaranteed", []), *(entry for entries in won for entry in entries)]:
        asset: Asset = (entry["type"], entry["resourceKey"])
        found[asset] = found.get(asset, 0) + entry["amount"]
    return list(found.items())


# -- reading --------------------------------------------------------------------------------------------------------------


def _list(call: Call) -> Reply:
    """What can be opened."""

    def check(data: Body) -> None:
        grants = call.scope.part(Grants)
        _recognise(grants, call, data["crates"])
        held = {
            grant.grant_id: grant
            for grant in grants.all_of(call.player)
            if grant.crate is not None and grant.status == "pending" and not grant.past(call.now)
        }
        assert {row["crateId"] for row in data["crates"]} == set(held)
        for row in data["crates"]:
            grant = held[row["crateId"]]
            assert (row["crateKey"], row["name"]) == (grant.crate, "Chest")
            assert stamps(row, "createdAt", "expiresAt") == [grant.created_at, grant.expires_at]

    return Reply(check=check)


def _recognise(grants: Grants, call: Call, rows: list[Body]) -> None:
    """Learn the ids of the crates that came out of rewards."""
    grants.recognise(
        call.player,
        [
            {
                "grantId": row["crateId"],
                "createdAt": row["createdAt"],
                "entries": [{"type": "crate", "resourceKey": row["crateKey"], "amount": 1}],
            }
            for row in rows
        ],
    )


def _odds(call: Call) -> Reply:
    """The chances of every row, which add up to 1."""
    definition = crates_of(call.scope).get(call["key"])
    if definition is None:
        raise Refused(404, "crate_not_found")

    def check(data: Body) -> None:
        assert data["crateKey"] == definition["key"]
        assert data["guaranteed"] == definition.get("guaranteed", [])
        for row, roll in zip(data["rolls"], definition["rolls"], strict=True):
            assert (row["times"], row["pity"]) == (roll.get("times", 1), roll.get("pity"))
            assert [each["entries"] for each in row["rows"]] == [each["entries"] for each in roll["rows"]]
            weights = [each["weight"] for each in roll["rows"]]
            for shown, weight in zip(row["rows"], weights, strict=True):
                assert abs(float(shown["probability"]) - weight / sum(weights)) < 1e-9

    return Reply(check=check)


# -- scenes ---------------------------------------------------------------------------------------------------------------


def _give(d: Draw) -> Iterator[Step]:
    player = d.one()
    entry = {"type": "crate", "resourceKey": "box" if d.one_in(25) else "chest", "amount": 2 if d.one_in(25) else 1}
    extra: dict[str, Any] = {"expiresAt": f"@in:{d.of(1_000, 3_600_000)}"} if d.one_in(5) else {}
    for _ in range(1 + d.chance.below(3)):
        name = f"g{d.chance.below(2**40)}"
        yield d.call("server:grants.create", player, key=name, kind="crate", entries=[entry], **extra)
        if "expiresAt" in extra and d.one_in(2):
            yield Wait(3_600_000)
        if d.one_in(6):
            yield d.call(d.of("sdk:grants.claim", "server:grants.ack"), player, key=d.key(), grantId="@grant:-1")
        yield d.call("sdk:crates.open", player, key=d.key(), crateId="@grant:-1")
        if d.one_in(3):
            yield d.call("sdk:crates.open", player, crateId="@crate:-1")
    if d.one_in(2):
        yield d.call("sdk:grants.claim", player, key=d.key(), grantId="@grant:-1")
        yield d.call("sdk:crates.list", player)
        yield d.call("sdk:crates.open", player, key=d.key(), crateId=d.ref("crate"))


def _read(d: Draw) -> Iterator[Step]:
    call = d.call("sdk:crates.odds", NOBODY)
    yield attrs.evolve(call, arguments={"key": d.of("chest", "chest", "box")})


def _ids(_: str, data: Body) -> list[tuple[str, str]]:
    return [("crate", row["crateId"]) for row in data.get("crates", [])]


# -- the area -------------------------------------------------------------------------------------------------------------


def _on_merge(_: Scope, source: Player, target: Player, __: int) -> list[str]:
    """The longer wait goes on."""
    for key, theirs in source.part(Waits).of.items():
        own = target.part(Waits).of.setdefault(key, {})
        for given, waited in theirs.items():
            own[given] = max(waited, own.get(given, 0))
    return []


AREA: Final = Area(
    operations=(
        Operation("sdk:crates.list", _list, read_with=plainly),
        Operation(
            "sdk:crates.open",
            _open,
            refuses="crate_not_found grant_already_claimed grant_expired",
            seldom="crate_undefined",
            names=Named("crateId", ("grant", "crate"), "crate_not_found"),
        ),
        Operation(
            "sdk:crates.odds",
            _odds,
            about="nobody",
            shows_secret=False,
            refuses="crate_not_found",
        ),
    ),
    transitions=("crate: held -open-> opened",),
    on_merge=_on_merge,
    scenes=((4, _give), (1, _read)),
    ids=_ids,
)
