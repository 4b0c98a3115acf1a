"""Grants: something that the studio, or an area, has ready for a player until it is claimed (specification 3.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import Any, Final, Literal

import attrs

from tests.laws.area import Area, Due, Named, Operation, Pages, plainly
from tests.laws.areas.economy import Holdings, change_event, is_kept, is_platform, items_of, kinds_of
from tests.laws.drawing import STRANGER, Draw
from tests.laws.model_state import MOST, SYSTEM_KEYS, Asset, Call, Player, Refused, Reply, Scope, stamp, stamps
from tests.laws.routes import Body
from tests.laws.steps import Step, Wait

# -- state ----------------------------------------------------------------------------------------------------------------


@attrs.frozen
class Delivery:
    """What is special about a grant that an area makes: how it is named, told and ended."""

    name: str
    expired: str
    """The code of claiming it too late."""
    claimed: tuple[str, ...] = ()
    """The kinds of the events when it is claimed, besides the grant's own."""
    expire: Callable[[Scope, Grant, int], Reply] | None = None
    """Ends it when its time has passed, instead of what ends a plain grant."""


_MOST_CRATES: Final = 100
_BY_THE_STUDIO: Final = Delivery("grant", "grant_expired")


@attrs.define(eq=False)
class Grant:
    """A grant."""

    grant_id: str
    player: str
    entries: list[tuple[Asset, int]]
    created_at: int
    expires_at: int | None
    delivery: Delivery = _BY_THE_STUDIO
    crate: str | None = None
    """The crate that it holds, which is opened and not claimed."""
    status: Literal["pending", "claimed", "expired"] = "pending"
    claimed_at: int | None = None
    acked_by: str | None = None
    retry_at: int | None = None
    """When what its end needs and did not find is tried again."""

    def past(self, now: int) -> bool:
        """Whether its time has passed, swept or not."""
        return self.expires_at is not None and now >= self.expires_at


@attrs.define
class Grants:
    """The grants of a scope."""

    by_id: dict[str, Grant] = attrs.field(factory=dict)
    unnamed: list[Grant] = attrs.field(factory=list)
    """Those that no answer has shown yet."""

    def of(self, name: str) -> dict[str, Grant]:
        """A player's grants, as far as answers have shown them."""
        return {id_: grant for id_, grant in self.by_id.items() if grant.player == name}

    def all_of(self, name: str) -> list[Grant]:
        """A player's grants."""
        return [grant for grant in (*self.by_id.values(), *self.unnamed) if grant.player == name]

    def award(self, name: str, entries: list[Body], now: int) -> Grant:
        """A grant that some area makes, and whose id is learnt later."""
        made = Grant(
            "", name, [((entry["type"], entry["resourceKey"]), entry["amount"]) for entry in entries], now, None
        )
        self.unnamed.append(made)
        return made

    def hand_over(self, name: str, crate: str, now: int) -> None:
        """Give a crate, whose id is learnt later."""
        self.unnamed.append(Grant("", name, [(("crate", crate), 1)], now, None, crate=crate))

    def name(self, grant: Grant, grant_id: str) -> None:
        """Learn the id of a grant."""
        self.unnamed.remove(grant)
        grant.grant_id = grant_id
        self.by_id[grant_id] = grant

    def recognise(self, name: str, rows: list[Body]) -> None:
        """Learn from a list of a player's grants which of them are those without an id."""
        for row in rows:
            if row["grantId"] in self.by_id:
                continue
            found = [grant for grant in self.unnamed if grant.player == name and _contents(row) == grant.entries]
            found = [grant for grant in found if stamp(row["createdAt"]) == grant.created_at]
            assert found, row
            self.name(found[0], row["grantId"])


# -- making ---------------------------------------------------------------------------------------------------------------


def _create(call: Call) -> Reply:
    """A pending grant; the player is made on first contact."""
    entries: list[tuple[Asset, int]] = []
    for entry in call["entries"]:
        if entry["resourceKey"] in SYSTEM_KEYS:
            raise Refused(409, "system_resource_locked")
        entries.append(((entry["type"], entry["resourceKey"]), entry["amount"]))
    for kind, key in (asset for asset, _ in entries):
        if key not in _declared(call.scope, kind):
            raise Refused(400, "validation_failed")
    is_crate = call["kind"] == "crate"
    if is_crate and [(asset[0], amount) for asset, amount in entries] != [("crate", 1)]:
        raise Refused(400, "validation_failed")
    if sum(amount for asset, amount in entries if asset[0] == "crate") > _MOST_CRATES:
        raise Refused(400, "validation_failed")
    expires_at = None if call["expiresAt"] is None else stamp(call["expiresAt"])
    if expires_at is not None and expires_at <= call.now:
        raise Refused(400, "validation_failed")
    events = ("grant.created",) if call.player in call.scope.players else ("grant.created", "player.registered")
    call.scope.players.setdefault(call.player, Player(call.player, call.now, last_seen=call.now))
    grant = Grant("", call.player, entries, call.now, expires_at, crate=entries[0][0][1] if is_crate else None)

    def learn(data: Body) -> None:
        grant.grant_id = data["grant"]["grantId"]
        call.scope.part(Grants).by_id[grant.grant_id] = grant
        is_grant(data["grant"], grant)
        assert data["grant"]["kind"] == (call["kind"] or "reward")
        assert data["grant"]["metadata"] == call["metadata"]
        assert (data["grant"]["sourceKind"], data["grant"]["sourceRefId"]) == ("api", call["sourceRefId"])

    return Reply(201, events, learn, "grant: created")


def _declared(scope: Scope, kind: str) -> Collection[str]:
    """The keys of a kind that the game has."""
    if kind == "crate":
        return crates_of(scope)
    return items_of(scope) if kind == "item" else kinds_of(scope)


def crates_of(scope: Scope) -> dict[str, Body]:
    """The crates that the game declares."""
    return {crate["key"]: crate for crate in scope.config["crates"]}


def is_grant(row: Body, grant: Grant) -> None:
    """A row shows a grant."""
    assert (row["grantId"], row["status"], row["ackedBy"]) == (grant.grant_id, grant.status, grant.acked_by)
    assert _contents(row) == grant.entries
    assert stamps(row, "createdAt", "expiresAt", "claimedAt") == [grant.created_at, grant.expires_at, grant.claimed_at]


def _contents(row: Body) -> list[tuple[Asset, int]]:
    return [((entry["type"], entry["resourceKey"]), entry["amount"]) for entry in row["entries"]]


def _list_pending(call: Call) -> Reply:
    """What can still be claimed."""

    def check(data: Body) -> None:
        grants = call.scope.part(Grants)
        grants.recognise(call.player, data["grants"])
        pending = {
            grant.grant_id: grant
            for grant in grants.all_of(call.player)
            if grant.status == "pending" and not grant.past(call.now)
        }
        if data["nextCursor"] is None:
            assert {row["grantId"] for row in data["grants"]} == set(pending)
        for row in data["grants"]:
            is_grant(row, pending[row["grantId"]])

    return Reply(check=check)


# -- claiming -------------------------------------------------------------------------------------------------------------


def require_open(call: Call, grant: Grant) -> None:
    """The grant has been claimed before, or too late."""
    if grant.status == "claimed":
        raise Refused(409, "grant_already_claimed")
    if grant.status == "expired" or grant.past(call.now):
        raise Refused(410, grant.delivery.expired)


def pay(call: Call, grant: Grant, acked_by: str, *, forced: bool = False) -> list[str]:
    """Move a grant to claimed and credit what the service keeps; gives the kinds of the events. Forced, it may be late."""
    if not forced:
        require_open(call, grant)
    holdings = call.me.part(Holdings)
    kept = [(asset, amount) for asset, amount in grant.entries if is_kept(call.scope, asset)]
    total: Counter[Asset] = Counter()
    for asset, amount in kept:
        total[asset] += amount
    if any(holdings.amount(asset) + amount > MOST for asset, amount in total.items()):
        raise Refused(409, "balance_overflow")
    for asset, amount in total.items():
        holdings.add(asset, amount)
    grant.status, grant.claimed_at, grant.acked_by = "claimed", call.now, acked_by
    events = [change_event(asset) for asset, _ in kept] if is_platform(call.scope) else []
    for (kind, key), amount in grant.entries:
        if kind == "crate":
            events += ["grant.created"] * amount
            for _ in range(amount):
                call.scope.part(Grants).hand_over(grant.player, key, call.now)
    return [*events, "grant.claimed", *grant.delivery.claimed]


def _own(call: Call) -> Grant:
    grant = call.scope.part(Grants).by_id.get(call["grantId"])
    if grant is None or grant.player != call.player:
        raise Refused(404, "grant_not_found")
    return grant


def _own_reward(call: Call) -> Grant:
    grant = _own(call)
    if grant.crate is not None:
        raise Refused(409, "crate_must_be_opened")
    return grant


def _claim(call: Call) -> Reply:
    """Claim as the player."""
    grant = _own_reward(call)
    events = pay(call, grant, "player")
    return Reply(200, tuple(events), lambda data: is_grant(data["grant"], grant), _claimed(grant, "claim"))


def _acknowledge(call: Call) -> Reply:
    """Mark claimed as the studio; one that is claimed already is shown."""
    grant = _own_reward(call)
    again = grant.status == "claimed"
    events = [] if again else pay(call, grant, "server_api")
    move = "grant: claimed -acknowledge-> claimed" if again else _claimed(grant, "acknowledge")
    return Reply(200, tuple(events), lambda data: is_grant(data["grant"], grant), move)


def _claimed(grant: Grant, route: str) -> str:
    return f"{grant.delivery.name}: pending -{route}-> claimed"


# -- time -----------------------------------------------------------------------------------------------------------------


def _due(scope: Scope) -> Iterator[Due]:
    for id_, grant in scope.part(Grants).by_id.items():
        if grant.status == "pending" and grant.expires_at is not None:
            at = grant.expires_at if grant.retry_at is None else grant.retry_at
            yield at, id_, partial(grant.delivery.expire or _expire, scope, grant, at)


def _expire(_scope: Scope, grant: Grant, _now: int) -> Reply:
    """The sweep: a pending grant past its time expires."""
    grant.status = "expired"
    return Reply(events=("grant.expired",), move="grant: pending -time-> expired")


# -- scenes ---------------------------------------------------------------------------------------------------------------


def _give(d: Draw) -> Iterator[Step]:
    player = STRANGER if d.one_in(20) else d.one()
    entries = [_entry(d) for _ in range(1 + d.chance.below(3))]
    extra: dict[str, Any] = {}
    if d.one_in(3):
        extra["expiresAt"] = f"@in:{d.of(0, 1_000, 3_600_000, 172_800_000)}"
    if d.one_in(4):
        extra |= {"metadata": {"season": 4}, "sourceRefId": "season-4"}
    yield d.call("server:grants.create", player, key=d.key() or f"g{d.chance.below(2**40)}", entries=entries, **extra)
    if "expiresAt" in extra and d.one_in(3):
        yield Wait(172_800_000)
    if d.one_in(3):
        yield d.call("sdk:grants.claim", player, key=d.key(), grantId="@grant:-1")
    if d.one_in(2):
        yield d.call("server:grants.ack", player, key=d.key(), grantId="@grant:-1")


def _entry(d: Draw) -> dict[str, object]:
    if d.one_in(25):
        return {"type": "currency", "resourceKey": d.of("doubloons", "sessions"), "amount": 1}
    if d.one_in(12):
        return {"type": "crate", "resourceKey": d.of("chest", "chest", "chest", "box"), "amount": 1 + d.chance.below(2)}
    kind, key = d.of(("currency", "gold"), ("currency", "xp"), ("item", "potion"), ("item", "sword"))
    return {"type": kind, "resourceKey": key, "amount": d.amount()}


# -- the area -------------------------------------------------------------------------------------------------------------


def _on_rename(scope: Scope, old: str, new: str) -> None:
    for grant in scope.part(Grants).all_of(old):
        grant.player = new


def _ids(_: str, data: Body) -> list[tuple[str, str]]:
    if "grant" in data:
        return [("grant", data["grant"]["grantId"])]
    # What events have paid is only seen in lists.
    won = [row for row in data.get("grants", []) if str(row["sourceKind"]).startswith("event_")]
    return [("grant", row["grantId"]) for row in won]


def _is_exported(call: Call, data: Body) -> None:
    call.scope.part(Grants).recognise(call.player, data["grants"])
    assert {row["grantId"] for row in data["grants"]} == set(call.scope.part(Grants).of(call.player))


AREA: Final = Area(
    operations=(
        Operation(
            "server:grants.create",
            _create,
            about="anybody",
            key_kept_by="grants",
            replayed_as=200,
            refuses="system_resource_locked validation_failed",
        ),
        Operation(
            "server:grants.ack",
            _acknowledge,
            refuses="crate_must_be_opened gift_expired grant_expired grant_not_found",
            seldom="balance_overflow",
            names=Named("grantId", ("grant", "grant-of-gift"), "grant_not_found"),
        ),
        Operation(
            "sdk:grants.claim",
            _claim,
            refuses="crate_must_be_opened gift_expired grant_already_claimed grant_expired grant_not_found",
            seldom="balance_overflow",
            names=Named("grantId", ("grant", "grant-of-gift"), "grant_not_found"),
        ),
        Operation("sdk:grants.listPending", _list_pending, read_with=plainly, pages=Pages("grants")),
    ),
    transitions=(
        "grant: created",
        "grant: pending -claim-> claimed",
        "grant: pending -acknowledge-> claimed",
        "grant: claimed -acknowledge-> claimed",
        "grant: pending -time-> expired",
    ),
    on_rename=_on_rename,
    is_exported=_is_exported,
    due=_due,
    scenes=((7, _give),),
    ids=_ids,
)
