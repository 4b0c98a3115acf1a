"""Spend, spenders and revenue against what a few lines add up from all purchases, after any history."""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from typing import Any, cast

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from livecore import World
from livecore.kernel.time import DAY, HOUR, Millis, Timestamp, day_number
from livecore.world import WorldPlayer
from tests.commerce.shop import GEMS, found_wrong, report, shop
from tests.worlds import Reply, ask, http

NAMES = ("anna", "bert", "cleo", "dora")
PRODUCTS = ("gems", "pass")


@attrs.frozen
class Bought:
    """What the model keeps of a purchase."""

    who: str
    product: str
    cents: int
    at: Millis
    verified: bool = False

    @property
    def day(self) -> int:
        """The UTC day."""
        return self.at // DAY


@attrs.define
class History:
    """A game and, beside it, a plain list of everything that was bought."""

    game: World
    players: dict[str, WorldPlayer]
    bought: list[Bought] = attrs.Factory(list)
    debug: set[str] = attrs.Factory(set)
    verified: set[int] = attrs.Factory(set)

    @classmethod
    def start(cls) -> History:
        """A game in the middle of a day."""
        game = shop()
        game.advance(hours=13)
        return cls(game, {name: game.player(name) for name in NAMES})

    def buy(self, who: str, product: str, cents: int, hours_ago: int) -> None:
        """Report a purchase that happened some hours ago."""
        at = self.game.now - hours_ago * HOUR
        reply = report(
            self.players[who], f"t{len(self.bought)}", product_id=product, amount_minor=cents,
            purchased_at=str(Timestamp(at)),
        )  # fmt: skip
        assert reply.status == 200
        self.bought.append(Bought(who, product, cents, at))

    def verify(self, place: int, hours_ago: int) -> None:
        """Verify one of the purchases that are not verified yet, by a store that dates it otherwise."""
        waiting = [number for number in range(len(self.bought)) if number not in self.verified]
        if not waiting:
            return
        number = waiting[place % len(waiting)]
        at = self.game.now - hours_ago * HOUR
        one = self.bought[number]
        reply = report(
            self.players[one.who], f"t{number}", product_id=one.product, amount_minor=one.cents,
            purchased_at=str(Timestamp(at)), validation_status="verified",
        )  # fmt: skip
        assert reply["purchase.purchasedAt"] == str(Timestamp(at))
        self.bought[number] = attrs.evolve(one, at=at, verified=True)
        self.verified.add(number)

    def flag(self, who: str) -> None:
        """Make somebody a debug account, or an ordinary one again."""
        operation = "players.unflagDebug" if who in self.debug else "players.flagDebug"
        ask(self.game.server, operation, external_id=who)
        self.debug ^= {who}

    def counted(self) -> list[Bought]:
        """What reports may count."""
        return [one for one in self.bought if one.who not in self.debug]


STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.just("buy"), st.sampled_from(NAMES), st.sampled_from(PRODUCTS),
            st.sampled_from([0, 1, 99, 999]), st.integers(0, 24 * 6),
        ),
        st.tuples(st.just("verify"), st.integers(0, 25), st.integers(0, 24 * 6)),
        st.tuples(st.just("flag"), st.sampled_from(NAMES)),
        st.tuples(st.just("wait"), st.integers(1, 30)),
    ),
    max_size=25,
)  # fmt: skip


def _played(steps: list[tuple[Any, ...]]) -> History:
    history = History.start()
    for step, *arguments in steps:
        if step == "buy":
            history.buy(*arguments)
        elif step == "verify":
            history.verify(*arguments)
        elif step == "flag":
            history.flag(*arguments)
        else:
            history.game.advance(hours=arguments[0])
    return history


@given(STEPS)
@settings(max_examples=60)
def test_everything_adds_up(steps: list[tuple[Any, ...]]) -> None:
    """Spend of each player, spenders ever and of windows, and revenue, whatever came late and whoever was flagged."""
    history = _played(steps)
    _check_spend(history)
    for days in (None, 1, 2, 5):
        _check_spenders(history, days)
    today = history.game.now // DAY
    for first, end in ((today - 29, today + 1), (today - 2, today), (today - 6, today - 3)):
        _check_revenue(history, first, end)
    assert found_wrong(history.game) == []


def _check_spend(history: History) -> None:
    now = history.game.now
    for who in NAMES:
        shown = ask(history.game.server, "spend.get", external_id=who, windows=[1, 2, 5])
        mine = [one for one in history.bought if one.who == who]
        assert shown["lifetimeAmountMinor"] == sum(one.cents for one in mine)
        assert shown["purchaseCount"] == len(mine)
        assert shown["verifiedAmountMinor"] == _verified(mine)
        assert shown["firstPurchaseAt"] == (str(Timestamp(min(one.at for one in mine))) if mine else None)
        assert shown["lastPurchaseAt"] == (str(Timestamp(max(one.at for one in mine))) if mine else None)
        for window in shown.list("windows"):
            days = window["days"]
            assert isinstance(days, int)
            inside = [one for one in mine if one.at >= now - days * DAY]
            assert window == {
                "days": days, "amountMinor": sum(one.cents for one in inside), "purchaseCount": len(inside),
                "verifiedAmountMinor": _verified(inside),
            }  # fmt: skip


def _verified(bought: list[Bought]) -> int:
    return sum(one.cents for one in bought if one.verified)


def _check_spenders(history: History, days: int | None) -> None:
    since = 0 if days is None else history.game.now - days * DAY
    spent: Counter[str] = Counter()
    verified: Counter[str] = Counter()
    for one in history.counted():
        if one.at >= since:
            spent[one.who] += one.cents
            verified[one.who] += one.cents * one.verified
    for least in (1, 100):
        right = sorted(
            ((cents, history.players[who].player_id, verified[who]) for who, cents in spent.items() if cents >= least),
            reverse=True,
        )
        window = {} if days is None else {"window_days": days}
        seen: list[tuple[object, object, object]] = []
        for offset in range(len(right) + 1):
            arguments = {**window, "min_amount_minor": least, "limit": 1, "offset": offset}
            page = ask(history.game.server, "spend.listPlayers", **arguments)
            assert (page["total"], page["limit"], page["offset"]) == (len(right), 1, offset)
            rows = page.list("players")
            seen += [(row["amountMinor"], row["playerId"], row["verifiedAmountMinor"]) for row in rows]
        assert seen == right


def _check_revenue(history: History, first: int, end: int) -> None:
    shown = http(history.game.server, "GET", "/server/v1/spend/summary", query=f"from={_date(first)}&to={_date(end)}")
    inside = [one for one in history.counted() if first <= one.day < end]
    paid = {one.who for one in inside if one.cents}
    gross = sum(one.cents for one in inside)
    assert (shown["grossAmountMinor"], shown["purchaseCount"], shown["payingPlayers"]) == (
        gross,
        len(inside),
        len(paid),
    )
    assert shown["verifiedAmountMinor"] == _verified(inside)
    assert shown["arppuMinor"] == (int(gross / len(paid) + 0.5) if paid else None)
    by_product: dict[str, list[Bought]] = defaultdict(list)
    for one in inside:
        by_product[one.product].append(one)
    products = [
        {
            "productId": product,
            "amountMinor": sum(one.cents for one in sold),
            "purchaseCount": len(sold),
            "verifiedAmountMinor": _verified(sold),
        }
        for product, sold in by_product.items()
    ]
    assert shown["products"] == sorted(products, key=lambda row: (-cast(int, row["amountMinor"]), row["productId"]))
    days = []
    for day in range(first, end):
        sold = [one for one in inside if one.day == day]
        days.append(
            {
                "date": _date(day),
                "amountMinor": sum(one.cents for one in sold),
                "purchaseCount": len(sold),
                "payingPlayers": len({one.who for one in sold if one.cents}),
                "verifiedAmountMinor": _verified(sold),
            }
        )
    assert shown["days"] == days


def _date(day: int) -> str:
    return (dt.date(1970, 1, 1) + dt.timedelta(days=day)).isoformat()


def _summary(game: World, query: str = "") -> Reply:
    return http(game.server, "GET", "/server/v1/spend/summary", query=query)


def test_by_default_the_thirty_days_that_end_today() -> None:
    """`to` is the day after today, because it is exclusive."""
    game = shop()
    shown = _summary(game)
    assert (shown["from"], shown["to"]) == ("2025-12-03", "2026-01-02")
    assert len(shown.list("days")) == 30
    assert shown["arppuMinor"] is None
    assert shown["products"] == []


@pytest.mark.parametrize(
    ("query", "field"),
    [("from=2026-01-01&to=2026-01-01", "from"), ("from=2026-02-30", "from"), ("to=tomorrow", "to"),
     ("from=2020-01-01&to=2026-01-01", "from"), ("from=2026-1-1", "from"), ("to=2026-01-01T00:00:00Z", "to")],
)  # fmt: skip
def test_days_that_are_none_are_named(query: str, field: str) -> None:
    """400; three years are the most."""
    reply = _summary(shop(), query)
    assert reply.refusal == (400, "validation_failed")
    assert reply.fields == [field]


@pytest.mark.parametrize(
    ("query", "first", "end"),
    [("to=0001-01-15", "0001-01-01", "0001-01-15"), ("to=1970-01-02", "1969-12-03", "1970-01-02"),
     ("from=0001-01-01&to=0001-01-02", "0001-01-01", "0001-01-02"), ("to=9999-12-31", "9999-12-01", "9999-12-31")],
)  # fmt: skip
def test_the_calendar_has_ends(query: str, first: str, end: str) -> None:
    """The thirty days before `to` begin with the first day that there is, where there are not as many."""
    shown = _summary(shop(), query)
    assert (shown["from"], shown["to"], shown["grossAmountMinor"]) == (first, end, 0)


def test_a_long_span_misses_no_day() -> None:
    """However the days are read, each counts once, and once less where a tester bought."""
    game = shop()
    game.now += 1_200 * DAY
    first = day_number(game.now) - 1_099
    for number in range(0, 1_100, 7):
        at = Timestamp((first + number) * DAY).wire
        for who in ("anna", "tester"):
            assert report(game.player(who), f"{who}-{number}", purchased_at=at).status == 200
    query = f"from={_date(first)}&to={_date(first + 1_100)}"
    whole = _summary(game, query)
    assert ask(game.server, "players.flagDebug", external_id="tester")["applied"] is True
    half = _summary(game, query)
    for name in ("grossAmountMinor", "purchaseCount", "payingPlayers"):
        assert whole[name] == 2 * cast(int, half[name])
    assert half["purchaseCount"] == half["products.0.purchaseCount"] == 158
    assert [row["purchaseCount"] for row in half.list("days")] == [int(at % 7 == 0) for at in range(1_100)]


def test_nothing_lies_before_the_first_day() -> None:
    """400, as for any other span without a day."""
    assert _summary(shop(), "to=0001-01-01").fields == ["from"]


@pytest.mark.parametrize(
    ("query", "fields"),
    [("windows=0", ["windows[0]"]), ("windows=7,7", ["windows"]), ("windows=7,x", ["windows[1]"]),
     ("windows=3651", ["windows[0]"]), ("windows=" + ",".join(map(str, range(1, 22))), ["windows"])],
)  # fmt: skip
def test_windows_are_whole_days(query: str, fields: list[str]) -> None:
    """Up to twenty of them, none twice, each one day to ten years."""
    game = shop()
    game.player("anna")
    reply = http(game.server, "GET", "/server/v1/players/anna/spend", query=query)
    assert reply.refusal == (400, "validation_failed")
    assert reply.fields == fields


@pytest.mark.parametrize("window", [{}, {"window_days": 30}], ids=["ever", "in a window"])
def test_pages_of_equal_spenders_join_to_the_list(window: dict[str, int]) -> None:
    """Of two who spent the same the greater id, the younger account, comes first; beyond the last page is nobody."""
    history = History.start()
    for who, cents in zip(NAMES, (300, 500, 300, 300), strict=True):
        history.buy(who, "gems", cents, 48)

    def page(limit: int, offset: int) -> tuple[list[Any], Any]:
        found = ask(history.game.server, "spend.listPlayers", limit=limit, offset=offset, **window)
        return [row["externalPlayerId"] for row in found.list("players")], found["total"]

    others = sorted((history.players[who].player_id, who) for who in NAMES if who != "bert")
    order = ["bert", *(who for _, who in reversed(others))]
    assert page(4, 0) == (order, 4)
    for limit in (1, 2, 3):
        assert [who for offset in range(0, 5, limit) for who in page(limit, offset)[0]] == order
    assert page(2, 7) == ([], 4)


def test_another_environment_has_sums_of_its_own() -> None:
    """What test players buy is no revenue of the live game."""
    game = shop()
    report(game.player("anna"), "t1")
    live = {"authorization": f"Bearer {game.all_keys['live_server']}"}
    shown = http(game, "GET", "/server/v1/spend/summary", headers=live)
    assert shown["grossAmountMinor"] == 0
    assert _summary(game)["grossAmountMinor"] == 999


@pytest.mark.parametrize(
    ("flagged", "gross"),
    [((), 300), (("anna",), 300), (("bert",), 0), (("anna", "bert"), 0)],
    ids=["neither", "the source", "the target", "both"],
)
def test_after_a_merge_the_flag_of_the_target_holds_for_all_purchases(flagged: tuple[str, ...], gross: int) -> None:
    """What a debug account had bought that is merged becomes revenue, and what is merged into one is revenue no longer."""
    history = History.start()
    history.buy("anna", "gems", 100, 30)
    history.buy("bert", "pass", 200, 2)
    for who in flagged:
        history.flag(who)
    server = history.game.server
    assert ask(server, "players.merge", external_id="anna", to_external_id="bert").status == 200
    summary = ask(server, "spend.summary")
    assert (summary["grossAmountMinor"], summary["payingPlayers"]) == (gross, int(gross > 0))
    assert len(summary.list("products")) == (2 if gross else 0)
    assert ask(server, "spend.listPlayers")["total"] == int(gross > 0)
    assert ask(server, "spend.get", external_id="bert")["lifetimeAmountMinor"] == 300
    ask(server, "players.unflagDebug", external_id="bert")
    assert ask(server, "spend.summary")["grossAmountMinor"] == 300


def test_members_read_what_the_backend_reads() -> None:
    """Revenue and spenders, the same answers; of the environment that the request names."""
    here = shop()
    ask(here.server, "purchases.track", external_id=here.player("anna").external_id, transaction_id="t1", **GEMS)
    desk = here.operator("viewer@example.com", "VIEWER")
    for operation in ("spend.summary", "spend.listPlayers"):
        assert ask(desk, operation).data == ask(here.server, operation).data
        assert ask(desk, operation).data != ask(desk, operation, environment="live").data
    assert ask(desk, "spend.summary")["grossAmountMinor"] == 999
