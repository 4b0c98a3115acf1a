"""`livecore webhooks deliveries` and `replay`: what operators choose, page through, rehearse and send once more."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import closing
from typing import Any, Final

import click
import pytest

from livecore.api.maintenance import system_unit
from livecore.kernel.scope import Scope
from livecore.kernel.storage.records import evolve
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import DAY, HOUR, Timestamp
from livecore.players.registration import first_contact
from livecore.webhooks.outbox import DELIVERIES, DELIVERIES_BY_TIME, EVENTS, Delivery
from livecore_server.cli.moments import parse_moment
from livecore_server.storage.sqlite import SqliteStore
from tests.delivery.operators import Operator

NOW = int(Timestamp.parse("2026-01-31T12:00:00Z"))


def stored(operator: Operator, environment: str = "live") -> list[Delivery]:
    """The deliveries of the first game, oldest first."""
    with closing(SqliteStore(operator.path)) as store:
        scope = Scope(operator.games[0].game_id, environment)
        return store.read(scope, lambda tx: tx.scan(DELIVERIES_BY_TIME))


def happened(
    operator: Operator, count: int, environment: str = "live", *, state: Mapping[str, object] | None = None
) -> list[str]:
    """So many deliveries that are no samples, with these values; gives their ids, oldest first."""
    known = {row.delivery_id for row in stored(operator, environment)}
    for _ in range(count):
        operator.run("sample", "--environment", environment, "--event", "gift.sent")

    def work(tx: Transaction) -> list[str]:
        made = [row for row in tx.scan(DELIVERIES_BY_TIME) if row.delivery_id not in known]
        for row in made:
            tx.put(DELIVERIES, evolve(row, sample=False, **(state or {})))
        return [row.delivery_id for row in made]

    with closing(SqliteStore(operator.path)) as store:
        return store.write(Scope(operator.games[0].game_id, environment), work)


def listed(operator: Operator, *words: str) -> tuple[list[str], str | None]:
    """The ids that a list shows, and its cursor."""
    answer: dict[str, Any] = operator.run("deliveries", "--json", *words).json
    return [row["deliveryId"] for row in answer["deliveries"]], answer["nextCursor"]


FAILED: Final = {"status": "failed", "attempt": 7, "due_at": None}
DELIVERED: Final = {"status": "delivered", "attempt": 1, "due_at": None}


def test_pages_go_over_both_environments(operator: Operator) -> None:
    """Newest first, joined they are the whole list, and the last page has no cursor."""
    operator.add("--key", "l")
    operator.add("--key", "t", environment="test")
    made = [happened(operator, 1, environment)[0] for environment in ("live", "test", "live", "test", "live")]
    first, cursor = listed(operator, "--limit", "2")
    second, next_cursor = listed(operator, "--limit", "2", "--cursor", str(cursor))
    last, end = listed(operator, "--limit", "2", "--cursor", str(next_cursor))
    assert (first + second + last, end) == (made[::-1], None)
    told = operator.run("deliveries", "--limit", "2")
    assert told.err == f"there are more, 5 in all: --cursor {cursor}\n"
    assert made[4] in told.out


def test_a_list_says_how_many_match_on_all_pages(operator: Operator) -> None:
    """In both environments together; not where each delivery would have to be read to be counted."""
    operator.add("--key", "l")
    operator.add("--key", "t", environment="test")
    made = [*happened(operator, 3), *happened(operator, 2, "test"), *happened(operator, 1, state=FAILED)]

    def total(*words: str) -> object:
        return operator.run("deliveries", "--json", "--limit", "1", *words).json["total"]

    assert (total(), len(made)) == (6, 6)
    assert (total("--status", "failed"), total("--environment", "test"), total("--endpoint", "l")) == (1, 2, 4)
    assert total("--endpoint", "l", "--status", "pending", "--since", "1h") == 3
    assert (total("--until", "1h"), total("--status", "held")) == (0, 0)
    assert total("--event", "gift.sent") is None
    told = operator.run("deliveries", "--limit", "1", "--event", "gift.sent").err
    assert told.startswith("there are more: --cursor ")


def test_a_list_is_what_every_option_allows(operator: Operator) -> None:
    """By state, kind, endpoint and time."""
    operator.add("--key", "one")
    made = happened(operator, 2)
    failed = happened(operator, 1, state=FAILED)
    assert listed(operator, "--status", "failed")[0] == failed
    assert listed(operator, "--status", "failed", "--event", "gift.claimed")[0] == []
    assert listed(operator, "--endpoint", "one", "--event", "gift.sent", "--since", "1h")[0] == [*made, *failed][::-1]
    assert listed(operator, "--until", "1h")[0] == []


def test_a_list_for_a_player_shows_what_names_them(operator: Operator) -> None:
    """By the studio's id, in the environment that knows it."""
    operator.add()
    made = happened(operator, 2)
    scope = Scope(operator.games[0].game_id, "live")

    def work(tx: Transaction) -> None:
        unit = system_unit(tx, operator.games[0], NOW, b"seed")
        unit.silent = True
        anna = first_contact(unit, "anna")
        row = tx.get(DELIVERIES, made[0])
        assert row is not None
        event = tx.get(EVENTS, row.event_id)
        assert event is not None
        tx.put(EVENTS, evolve(event, other_player_id=anna.player_id))

    with closing(SqliteStore(operator.path)) as store:
        store.write(scope, work)
    assert listed(operator, "--player", "anna")[0] == [made[0]]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--status", "lost"], "'lost' is not one of"),
        (["--event", "gift.send"], "is gift.sent meant?"),
        (["--since", "yesterday"], "'yesterday' is no moment"),
        (["--cursor", "guess"], "is not a cursor of this list"),
        (["--endpoint", "nobody"], "There is no such webhook endpoint."),
        (["--player", "nobody"], "player"),
    ],
    ids=" ".join,
)
def test_what_cannot_be_meant_is_refused_in_one_line(operator: Operator, words: list[str], told: str) -> None:
    """And is not taken for an empty list."""
    operator.add()
    answer = operator.run("deliveries", *words)
    assert answer.status in {1, 2}
    assert told in answer.err
    assert (answer.out, len(answer.err.splitlines())) == ("", 1)


def test_replaying_many_takes_what_has_failed_unless_told(operator: Operator) -> None:
    """A rehearsal changes nothing, `--yes` queues them, each step is noted, and a second run finds nothing more."""
    operator.add()
    failed = happened(operator, 3, state=FAILED)
    delivered = happened(operator, 1, state=DELIVERED)
    before, trail = stored(operator), operator.noted()
    rehearsed = operator.run("replay", "--event", "gift.sent", "--dry-run")
    assert (rehearsed.status, rehearsed.out) == (0, "3 deliveries would be sent once more\n")
    counted = operator.run("replay", "--event", "gift.sent", "--dry-run", "--json").json
    assert (counted["matched"], counted["queued"]) == (3, 0)
    assert (stored(operator), operator.noted()) == (before, trail)
    sent = operator.run("replay", "--event", "gift.sent", "--yes", "--json").json
    assert (sent["matched"], sent["queued"]) == (3, 3)
    rows = {row.delivery_id: (row.status, row.attempt, row.automatic) for row in stored(operator)}
    assert {rows[delivery_id] for delivery_id in failed} == {("pending", 7, False)}
    assert rows[delivered[0]][:2] == ("delivered", 1)
    assert operator.noted() == [*trail, "deliveries.replayMany"]
    again = operator.run("replay", "--event", "gift.sent", "--yes")
    assert again.out == "0 deliveries queued; `livecore webhooks deliveries` shows how it went\n"


def test_an_interrupted_replay_goes_on_with_its_bound(operator: Operator) -> None:
    """What was sent again after the bound is not sent a third time, even where it has been delivered again."""
    operator.add()
    happened(operator, 2, state=DELIVERED)
    sent = operator.run("replay", "--status", "delivered", "--yes")
    assert "2 deliveries queued" in sent.out
    bound = sent.err.split("--until ")[1].split()[0]
    with closing(SqliteStore(operator.path)) as store:
        scope = Scope(operator.games[0].game_id, "live")
        store.write(
            scope,
            lambda tx: [
                tx.put(DELIVERIES, evolve(row, status="delivered", due_at=None)) for row in tx.scan(DELIVERIES_BY_TIME)
            ],
        )
    assert "0 deliveries queued" in operator.run("replay", "--status", "delivered", "--until", bound, "--yes").out


def test_many_are_not_sent_without_somebody_who_agrees(operator: Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody can be asked `--yes` is wanted; who says no has sent nothing, and who says yes has."""
    operator.add()
    happened(operator, 2, state=FAILED)
    before = stored(operator)
    refused = operator.run("replay", "--status", "failed")
    assert (refused.status, refused.out) == (2, "")
    assert "2 deliveries would be sent once more: say --yes" in refused.err
    assert operator.run("replay", "--status", "failed", "--json").status == 2
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(click, "confirm", _answering(yes=False))
    assert operator.run("replay", "--status", "failed").status == 130
    assert stored(operator) == before
    monkeypatch.setattr(click, "confirm", _answering(yes=True))
    assert "2 deliveries queued" in operator.run("replay", "--status", "failed").out


def _answering(*, yes: bool) -> Any:  # noqa: ANN401 - in the place of click's own
    def confirm(question: str, **_: object) -> bool:
        assert question == "send 2 deliveries once more?"
        if not yes:
            raise click.Abort
        return True

    return confirm


def test_one_or_many_but_not_both(operator: Operator) -> None:
    """A delivery beside options would leave open which of the two is meant."""
    operator.add()
    (failed,) = happened(operator, 1, state=FAILED)
    both = operator.run("replay", failed, "--status", "failed", "--yes")
    assert (both.status, both.out) == (2, "")
    assert operator.run("replay", failed, "--dry-run").out == f"{failed} would be sent once more\n"
    assert stored(operator)[0].status == "failed"
    assert operator.run("replay", failed, "--json").json["deliveryId"] == failed
    assert stored(operator)[0].status == "pending"


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("24h", NOW - DAY), ("7d", NOW - 7 * DAY), ("90m", NOW - 90 * 60_000), ("30s", NOW - 30_000), ("999999d", 0),
        ("2026-01-31", NOW - 12 * HOUR), ("2026-01-31T12:00:00Z", NOW), ("2026-01-31T13:00:00.000+01:00", NOW),
    ],
)  # fmt: skip
def test_a_moment_is_an_instant_a_day_or_a_span(text: str, moment: int) -> None:
    """Spans count back from now, days begin in UTC."""
    assert parse_moment(text, NOW) == moment


@pytest.mark.parametrize("text", ["", "now", "24", "h", "-1h", "1w", "2026-13-01", "2026-01-31T12:00:00", "12:00"])
def test_what_is_no_moment_is_said_to_be_none(text: str) -> None:
    """With examples of what is."""
    with pytest.raises(ValueError, match="is no moment; give one such as"):
        parse_moment(text, NOW)
