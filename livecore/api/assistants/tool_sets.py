"""Sets of tools: an assistant reads the list of tools before it does anything, so an address may ask for some of them.

A set has the tools of some namespaces of operations. A namespace that no set names, such as one of a studio's own area, is a
set of its own. Every list also has the tools by which an assistant finds out who it is and which games there are.

A set decides what is listed, and nothing else. What a call may do is decided by the member's role and by the key, whether
its tool is listed or not: whoever has the key can use any address with it, so a set could not keep anybody from anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import parse_qsl

from livecore.access.member_rows import Role
from livecore.access.principals import Principal
from livecore.access.roles import permissions_of
from livecore.api.assistants.tools import Tool
from livecore.kernel.errors import ValidationFailed

_PARAMETER: Final = "tools"
"""The parameter of the address that names sets."""
ALL: Final = "all"
"""The name that stands for all sets."""
SETS: Final[Mapping[str, tuple[str, ...]]] = {
    "support": ("players", "friends", "gifts", "grants", "wallet", "inventory", "ledger", "purchases"),
    "events": ("events", "leaderboards", "attempts", "lobbies", "teams", "guilds"),
    "webhooks": ("webhooks", "deliveries"),
    "settings": ("settings", "keys", "games"),
    "studio": ("studios", "members", "games", "personalKeys", "audit", "spend"),
}
"""The namespaces of each set."""
_MOST_REPEATED: Final = 100
"""How many characters of a caller's text a message repeats."""
_ALWAYS: Final = frozenset({"session_get", "games_list"})
"""The tools of every list."""
_USUAL: Final[Mapping[Role, tuple[str, ...]]] = {
    "OWNER": ("support",),
    "ADMIN": ("support",),
    "GAME_ADMIN": ("support",),
    "GAME_DEVELOPER": ("webhooks", "settings"),
    "GAME_DEBUGGER": ("support", "events"),
    "VIEWER": ("events",),
}
"""What is listed at an address that names no set: what the member's role uses most."""


def sets_of(tools: Iterable[Tool]) -> Mapping[str, frozenset[str]]:
    """The names of the tools of each set, as far as these tools go."""
    found: dict[str, set[str]] = {name: set() for name in SETS}
    for tool in tools:
        namespace = tool.operation.name.partition(".")[0]
        of = [name for name, spaces in SETS.items() if namespace in spaces]
        # Whoever can list a set can find out who acts, so the session needs no set.
        for name in of or ([] if tool.name in _ALWAYS else [namespace]):
            found.setdefault(name, set()).add(tool.name)
    return {name: frozenset(names) | _ALWAYS for name, names in found.items()}


def asked_sets(query: str, known: Iterable[str]) -> tuple[str, ...] | None:
    """The sets that the query of an address names, `None` if it names none.

    Raises `ValidationFailed` for a set that there is not, naming those that there are, and for any other parameter.
    """
    names = (*known, ALL)
    pairs = parse_qsl(query, keep_blank_values=True)
    faults = {name[:_MOST_REPEATED]: "does not exist" for name, _ in pairs if name != _PARAMETER}
    given = [value for name, value in pairs if name == _PARAMETER]
    asked = tuple(part.strip() for part in given[0].split(",")) if given else ()
    if len(given) > 1 or not set(asked) <= set(names):
        faults[_PARAMETER] = f"must be given once, and name some of {', '.join(names)}, with commas between them"
    if faults:
        raise ValidationFailed(faults)
    return asked or None


def tools_page(tools: Mapping[str, Tool]) -> str:
    """These tools as short Markdown, set by set."""
    how = f"To have other tools listed, add `?{_PARAMETER}=` to the address, with names of sets or with `{ALL}`."
    lines = ["# Tools", "", how, ""]
    for name, names in sets_of(tools.values()).items():
        mine = [tool for tool in tools.values() if tool.name in names]
        lines += [f"## {name}", "", *(f"- `{tool.name}`: {tool.operation.summary}" for tool in mine), ""]
    return "\n".join(lines)


def usual_sets(principal: Principal) -> tuple[str, ...]:
    """What is listed for a member where the address names no set."""
    return next(
        (sets for role, sets in _USUAL.items() if permissions_of(role) == principal.permissions), _USUAL["VIEWER"]
    )


def listed(tools: Mapping[str, Tool], sets: Iterable[str]) -> list[Tool]:
    """Those of these tools that are in one of the sets, in their order."""
    sets = tuple(sets)
    if ALL in sets:
        return list(tools.values())
    of = sets_of(tools.values())
    wanted = _ALWAYS.union(*(of[name] for name in sets if name in of))
    return [tool for name, tool in tools.items() if name in wanted]
