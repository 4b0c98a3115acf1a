"""What happened to a player, in words: one line for each entry of the timeline."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import attrs

from livecore.api.areas import AREAS
from livecore_server.portal.asking import Data

__all__ = ["KINDS", "KIND_NAMES", "Moment", "entries_in_words", "moment_of"]

KINDS: Final[tuple[str, ...]] = tuple(sorted(AREAS.timeline))
"""The kinds of entries."""
_NAMES: Final[Mapping[str, str]] = {"ledger": "Balance or item", "webhook": "Webhook", "attempt": "Event"}
KIND_NAMES: Final[Mapping[str, str]] = {kind: _NAMES.get(kind, kind.replace("_", " ").capitalize()) for kind in KINDS}
"""How the kinds are called."""
_Words: TypeAlias = Callable[[Data], tuple[str, str]]


@attrs.frozen
class Moment:
    """Something that happened: what, and a name that somebody has chosen."""

    at: str
    kind: str
    says: str
    about: str


def entries_in_words(entries: list[Mapping[str, Any]]) -> str:
    """The entries of a reward: `20 gold, 1 sword`."""
    return ", ".join(f"{one['amount']} {one['resourceKey']}" for one in entries)


def moment_of(entry: Data, members: Mapping[str, str]) -> Moment:
    """An entry of the timeline in words; one of a kind that is not known here is shown by its kind alone.

    `members` are the addresses of members by their ids.
    """
    words = _WORDS.get(entry["kind"])
    says, about = words(entry["summary"]) if words is not None else ("", "")
    about = members.get(about, about) if entry["kind"] == "audit" else about
    return Moment(entry["at"], KIND_NAMES.get(entry["kind"], entry["kind"]), says, about)


def _plain(text: object) -> str:
    return str(text).replace("_", " ")


def _ledger(of: Data) -> tuple[str, str]:
    sign = "+" if of["delta"] > 0 else "\N{MINUS SIGN}"
    return f"{sign}{abs(of['delta'])} {of['resourceKey']}, then {of['balance']}:", str(of["reason"])


def _grant(of: Data) -> tuple[str, str]:
    return f"{entries_in_words(of['entries'])} from {_plain(of['sourceKind'])}, {of['status']}", ""


def _attempt(of: Data) -> tuple[str, str]:
    marks = ", flagged" if of["flagged"] else ""
    return f"attempt {of['attemptCount']} at {of['eventKey']}, {_plain(of['status'])}, score {of['score']}{marks}", ""


def _gift(way: str) -> _Words:
    def words(of: Data) -> tuple[str, str]:
        return f"{of['amount']} {of['resourceKey']}, {of['status']}, {way}", str(of["externalPlayerId"])

    return words


def _membership(of: Data) -> tuple[str, str]:
    left = f", left {of['leftAt'][:10]} ({_plain(of['leftReason'])})" if of.get("leftAt") else ""
    return f"{_plain(of.get('role') or 'member')}{left} of", str(of.get("guildName") or of.get("teamKey") or "")


def _purchase(of: Data) -> tuple[str, str]:
    return f"by {_plain(of['store'])}, {_plain(of['validationStatus'])}:", str(of["productId"])


def _player(says: str) -> _Words:
    return lambda of: (says, str(of.get("externalPlayerId") or ""))


def _request(of: Data) -> tuple[str, str]:
    return ("from" if of["direction"] == "incoming" else "to"), str(of.get("externalPlayerId") or "")


def _audit(of: Data) -> tuple[str, str]:
    actor = of["actor"]
    action = of["action"].partition(":")[2] or of["action"]
    return f"{action} by {_plain(actor['kind'])}", str(actor.get("name") or actor["id"] or "")


def _webhook(of: Data) -> tuple[str, str]:
    return f"{of['eventName']}, {', '.join(one['status'] for one in of['deliveries'])}", ""


def _lobby(of: Data) -> tuple[str, str]:
    return f"of {of.get('eventKey', '')}, {_plain(of.get('status', ''))}", ""


def _crate(of: Data) -> tuple[str, str]:
    return "opened:", str(of["crateKey"])


def _asks_to_join(of: Data) -> tuple[str, str]:
    return "asked to join", str(of["guildName"] or "")


def _help(of: Data) -> tuple[str, str]:
    return f"asked for {of['amount']} {of['resourceKey']}, got {of['received']}", ""


def _donation(of: Data) -> tuple[str, str]:
    way = "from" if of["direction"] == "incoming" else "to"
    return f"{of['amount']} {of['resourceKey']} {way}", str(of["externalPlayerId"] or "")


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
