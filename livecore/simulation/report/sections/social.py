"""Gifts, friends and guilds."""

from __future__ import annotations

from collections import Counter
from statistics import median

from livecore.simulation.outcome import Outcome
from livecore.simulation.report.charts import bars, lines
from livecore.simulation.report.markup import EMPTY, Markup, figure, section, table, text
from livecore.simulation.report.words import count, daily, day_labels, facts, names_of, percent


def gifts(outcome: Outcome) -> Markup:
    """Who gives what to whom, and what expires."""
    run, names = outcome.runs[0], names_of(outcome.config)
    if not run.gifts_by_day:
        return EMPTY
    rows = [
        (
            text(names.get(key, key)),
            text(count(one.sent)),
            text(count(one.claimed)),
            text(count(one.expired)),
            text(percent(one.expired / (one.claimed + one.expired)) if one.claimed + one.expired else "-"),
            text(count(one.amount_sent)),
            text(percent(one.free / one.sent) if one.sent else "-"),
        )
        for key, one in run.gifts.items()
    ]
    header = ("Resource", "Sent", "Claimed", "Expired", "Share that expired", "Amount", "Cost the sender nothing")
    senders = run.gift_senders
    tenth = senders[: max(1, len(senders) // 10)]
    return section(
        "gifts",
        "Gifts",
        facts(
            [
                ("senders", count(len(senders))),
                ("gifts by a sender, median", count(median(senders)) if senders else "-"),
                ("by the tenth that gives most", percent(sum(tenth) / sum(senders)) if senders else "-"),
            ]
        ),
        figure(
            "Gifts by day", lines("Gifts sent, claimed and expired", day_labels(run), daily(run.gifts_by_day, run.days))
        ),
        table(header, rows, numbers=range(1, 7)),
        _pairs(outcome),
    )


def _pairs(outcome: Outcome) -> Markup:
    """Who gives to whom, by behaviour."""
    pairs, behaviours = outcome.runs[0].gift_pairs, list(outcome.runs[0].behaviours)
    rows = [
        (text(giver), *(text(count(pairs[giver, taker]) if pairs[giver, taker] else "") for taker in behaviours))
        for giver in behaviours
        if any(pairs[giver, taker] for taker in behaviours)
    ]
    if not rows:
        return EMPTY
    return table(("From \\ to", *behaviours), rows, numbers=range(1, len(behaviours) + 1))


def friends(outcome: Outcome) -> Markup:
    """How many friends players have."""
    many = outcome.runs[0].friends
    if not many or not many[-1]:
        return EMPTY
    counted = Counter(min(number, 30) for number in many)
    labels = [f"{number}+" if number == 30 else str(number) for number in range(min(many[-1], 30) + 1)]
    return section(
        "friends",
        "Friends",
        facts([("median", count(median(many))), ("most", count(many[-1])), ("without any", count(counted[0]))]),
        figure(
            "Players by their number of friends", bars("Players", labels, [counted[at] for at in range(len(labels))])
        ),
    )


def guilds(outcome: Outcome) -> Markup:
    """How large guilds are, and how they go on."""
    run = outcome.runs[0]
    if not run.guilds_founded:
        return EMPTY
    sizes = Counter(run.guild_sizes)
    largest = run.guild_sizes[-1] if run.guild_sizes else 0
    labels = [str(size) for size in range(1, largest + 1)]
    return section(
        "guilds",
        "Guilds",
        facts(
            [
                ("founded", count(sum(run.guilds_founded.values()))),
                ("ended", count(sum(run.guilds_ended.values()))),
                ("members, median", count(median(run.guild_sizes)) if run.guild_sizes else "-"),
                ("leaders who were succeeded", count(run.guild_successions)),
                ("help asked for", count(run.guild_help["requested"])),
                ("donations", count(run.guild_help["donated"])),
                ("requests filled", count(run.guild_help["filled"])),
            ]
        ),
        figure("Guilds by their members", bars("Guilds", labels, [sizes[size] for size in range(1, largest + 1)]))
        if largest
        else EMPTY,
    )
