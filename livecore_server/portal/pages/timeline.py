"""What happened to a player, from all lists about them, as one line of time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import attrs

__all__ = ["Moment", "entries_in_words", "timeline_of"]

_MOST: Final = 25


@attrs.frozen(kw_only=True)
class Moment:
    """Something that happened. `about` may be a name that somebody chose."""

    at: str
    kind: str
    says: str
    about: str = ""
    key: str = ""


def entries_in_words(entries: list[Mapping[str, Any]]) -> str:
    """The entries of a reward: `20 gold, 1 sword`."""
    return ", ".join(f"{one['amount']} {one['resourceKey']}" for one in entries)


def timeline_of(shown: Mapping[str, Any]) -> list[Moment]:
    """The newest moments of the lists of a player's page, the newest first."""
    moments = [
        *_of_player(shown["about"]["player"]),
        *_of_attempts(shown["about"]["attempts"]),
        *_of_grants(shown["about"]["grants"]),
        *_of_ledger(shown["ledger"]["entries"]),
        *_of_gifts(shown["gifts"]["gifts"]),
        *_of_purchases(shown["purchases"]["purchases"]),
        *_of_guilds(shown["guild"]["stints"]),
        *_of_audit(shown["audit"]["entries"]),
    ]
    return sorted(moments, key=lambda moment: moment.at, reverse=True)[:_MOST]


def _of_player(player: Mapping[str, Any]) -> Iterator[Moment]:
    yield Moment(at=player["firstSeenAt"], kind="Player", says="was seen for the first time")


def _of_attempts(attempts: list[Mapping[str, Any]]) -> Iterator[Moment]:
    for one in attempts:
        event = one["eventKey"]
        yield Moment(at=one["startedAt"], kind="Event", says=f"started an attempt at {event}")
        if one["completedAt"]:
            yield Moment(at=one["completedAt"], kind="Event", says=f"completed {event} with score {one['score']}")


def _of_grants(grants: list[Mapping[str, Any]]) -> Iterator[Moment]:
    for one in grants:
        what, source = entries_in_words(one["entries"]), one["sourceKind"].replace("_", " ")
        yield Moment(at=one["createdAt"], kind="Grant", says=f"was granted {what} ({source})")
        if one["claimedAt"]:
            yield Moment(at=one["claimedAt"], kind="Grant", says=f"claimed {what}")


def _of_ledger(entries: list[Mapping[str, Any]]) -> Iterator[Moment]:
    for one in entries:
        sign = "+" if one["delta"] > 0 else "\N{MINUS SIGN}"
        says = (
            f"{sign}{abs(one['delta'])} {one['resourceKey']}, now {one['balance']} ({one['reason'].replace('_', ' ')})"
        )
        yield Moment(at=one["at"], kind="Balance" if one["type"] == "currency" else "Item", says=says)


def _of_gifts(gifts: list[Mapping[str, Any]]) -> Iterator[Moment]:
    for one in gifts:
        says = f"{one['amount']} {one['resourceKey']} {'from' if one['direction'] == 'incoming' else 'to'}"
        yield Moment(at=one["sentAt"], kind="Gift", says=says, about=str(one["player"]["externalPlayerId"]))


def _of_purchases(purchases: list[Mapping[str, Any]]) -> Iterator[Moment]:
    for one in purchases:
        yield Moment(at=one["purchasedAt"], kind="Purchase", says="bought", about=str(one["productId"]))


def _of_guilds(stints: list[Mapping[str, Any]]) -> Iterator[Moment]:
    for one in stints:
        yield Moment(at=one["joinedAt"], kind="Guild", says="joined", about=one["guildName"])
        if one["leftAt"]:
            yield Moment(at=one["leftAt"], kind="Guild", says=f"left ({one['leftReason']})", about=one["guildName"])


def _of_audit(entries: list[Mapping[str, Any]]) -> Iterator[Moment]:
    for one in entries:
        actor = one["actor"]["name"] or one["actor"]["id"] or "the service"
        yield Moment(at=one["at"], kind="Audit", says="by", about=actor, key=one["action"])
