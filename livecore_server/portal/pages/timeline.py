"""What happened to a player, in words: one line for each entry of the timeline."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

import attrs

from livecore.api.areas import AREAS
from livecore_server.portal import words
from livecore_server.portal.asking import Data

KINDS: Final[tuple[str, ...]] = tuple(sorted(AREAS.timeline))
"""The kinds of entries."""
_NAMES: Final[Mapping[str, str]] = {"ledger": "Balance or item", "webhook": "Webhook", "attempt": "Event"}
KIND_NAMES: Final[Mapping[str, str]] = {kind: _NAMES.get(kind, kind.replace("_", " ").capitalize()) for kind in KINDS}
"""How the kinds are called."""
_Words: TypeAlias = Callable[[Data], tuple[str, str]]


@attrs.frozen
class Moment:
    """Something that happened: what, and a name that somebody has chosen.

    `action` is what the audit trail calls a change; it is told before all else.
    """

    at: str
    kind: str
    says: str
    about: str
    action: str = ""


def moment_of(entry: Data, members: Mapping[str, str]) -> Moment:
    """An entry of the timeline in words; one of a kind that is not known here is shown by its kind alone.

    `members` are the addresses of members by their ids.
    """
    tell = _WORDS.get(entry["kind"])
    says, about = tell(entry["summary"]) if tell is not None else ("", "")
    action = ""
    if entry["kind"] == "audit":
        about, action = members.get(about, about), entry["summary"]["action"]
    return Moment(entry["at"], KIND_NAMES.get(entry["kind"], entry["kind"]), says, about, action)


def _ledger(of: Data) -> tuple[str, str]:
    says = f"{words.signed(of['delta'])} {of['resourceKey']}, then {words.number(of['balance'])}:"
    return says, words.reason(of["reason"])


def _grant(of: Data) -> tuple[str, str]:
    return f"{words.reward(of['entries'])} from {words.source(of['sourceKind'])}, {of['status']}", ""


def _attempt(of: Data) -> tuple[str, str]:
    marks = ", flagged" if of["flagged"] else ""
    says = f"attempt {of['attemptCount']} at {of['eventKey']}, {words.plain(of['status'])}"
    return f"{says}, score {words.number(of['score'])}{marks}", ""


def _amount(of: Data) -> str:
    return words.reward([of])


def _gift(way: str) -> _Words:
    def in_words(of: Data) -> tuple[str, str]:
        return f"{_amount(of)}, {of['status']}, {way}", str(of["externalPlayerId"])

    return in_words


def _membership(of: Data) -> tuple[str, str]:
    left = f", left {of['leftAt'][:10]} ({words.plain(of['leftReason'])})" if of.get("leftAt") else ""
    return f"{words.plain(of.get('role') or 'member')}{left} of", str(of.get("guildName") or of.get("teamKey") or "")


def _purchase(of: Data) -> tuple[str, str]:
    return f"by {words.plain(of['store'])}, {words.plain(of['validationStatus'])}:", str(of["productId"])


def _player(says: str) -> _Words:
    return lambda of: (says, str(of.get("externalPlayerId") or ""))


def _request(of: Data) -> tuple[str, str]:
    return ("from" if of["direction"] == "incoming" else "to"), str(of.get("externalPlayerId") or "")


def _audit(of: Data) -> tuple[str, str]:
    actor = of["actor"]
    return f"by {words.plain(actor['kind'])}", str(actor.get("name") or actor["id"] or "")


def _webhook(of: Data) -> tuple[str, str]:
    return f"{of['eventName']}, {', '.join(words.delivery(one['status']) for one in of['deliveries'])}", ""


def _lobby(of: Data) -> tuple[str, str]:
    return f"of {of.get('eventKey', '')}, {words.plain(of.get('status', ''))}", ""


def _crate(of: Data) -> tuple[str, str]:
    return "opened:", str(of["crateKey"])


def _asks_to_join(of: Data) -> tuple[str, str]:
    return "asked to join", str(of["guildName"] or "")


def _help(of: Data) -> tuple[str, str]:
    return f"asked for {_amount(of)}, got {words.number(of['received'])}", ""


def _donation(of: Data) -> tuple[str, str]:
    way = "from" if of["direction"] == "incoming" else "to"
    return f"{_amount(of)} {way}", str(of["externalPlayerId"] or "")


def _invite(of: Data) -> tuple[str, str]:
    way = "from" if of["direction"] == "incoming" else "to"
    return f"to play {of['eventKey']} as a pair, {way}", str(of["externalPlayerId"] or "")


_WORDS: Final[Mapping[str, _Words]] = {
    "crate": _crate,
    "guild_request": _asks_to_join,
    "guild_help": _help,
    "guild_donation": _donation,
    "partner_invite": _invite,
    "ledger": _ledger,
    "grant": _grant,
    "attempt": _attempt,
    "gift_sent": _gift("to"),
    "gift_received": _gift("from"),
    "guild": _membership,
    "team": _membership,
    "purchase": _purchase,
    "friendship": _player("with"),
    "block": _player("of"),
    "friend_request": _request,
    "audit": _audit,
    "webhook": _webhook,
    "lobby": _lobby,
}
