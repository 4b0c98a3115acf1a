"""Whom the populated game has: ids and names as studios and players choose them, also such as are meant to harm."""

from __future__ import annotations

from typing import Final

import attrs


@attrs.frozen
class People:
    """Ids, names and texts that people in a game and in its studio have chosen."""

    ids: tuple[str, ...]
    """The ids of the first players."""
    names: tuple[str, ...]
    """The names that players choose; who chooses none has one of the service's."""
    texts: tuple[str, ...]
    """Messages and reasons."""
    things: tuple[str, ...]
    """Names of guilds, teams, keys and games."""


_HOSTILE_IDS: Final = (
    "anna <b>&'\" é?#%2F",
    "an id with blanks",
    "100%",
    "..%2f..%2fkeys",
    "'quoted' \"twice\"",
    "key=value&environment=live;x",
    "+49 170 5550100",
    "{{7*7}}{% raw %}",
    "\u05e9\u05dc\u05d5\u05dd-\u0645\u0631\u062d\u0628\u0627",
    "\U0001f30b\U0001f40b",
    "back\\slash",
    "e\u0301 is not \u00e9",
    "user@example.com",
    "-1",
    "x" * 128,
)
"""Ids that are hard to put into an address, into markup or beside other text; the longest has the most characters."""
_HOSTILE_NAMES: Final = (
    "\"'><planted data-planted onclick=x>{{7}}",
    "\u05e9\u05dc\u05d5\u05dd (1) !\u0645\u0631\u062d\u0628\u0627",
    "\U0001f30b" * 20,
    "W" * 40,
    "\U0001f468\U0001f469\U0001f467 family \U0001f1f8\U0001f1ea",
    "</title><script>x</script>",
    "%s %d {name} ${x}",
    "&lt;b&gt; &amp; &nbsp;",
    "i" * 40,
    "Zal\u0335g\u0335o\u0335 n\u0336a\u0336m\u0336e",
)
"""Names with markup, from right to left, of 40 wide or narrow characters, of emoji, with marks upon marks."""
HOSTILE: Final = People(_HOSTILE_IDS, _HOSTILE_NAMES, _HOSTILE_NAMES, _HOSTILE_NAMES)
"""Those that a page must survive, beside ordinary ones."""
ORDINARY: Final = People(
    ids=tuple(f"player-{number}" for number in range(300, 315)),
    names=(
        "Ada Otter", "Bo Heron", "Cem Lynx", "Dea Finch", "Eli Badger", "Fay Marten", "Gus Pike", "Hana Wren",
        "Ivo Stoat", "Juno Teal",
    ),
    texts=(
        "Well played!", "ticket 4711", "See you at the river", "a present from the team", "the game hung",
        "For all who like to fish", "season 2",
    ),
    things=("Tide Callers", "Lantern Hill", "The Last Ferry", "Snow Foxes", "Moss and Stone", "Windward"),
)  # fmt: skip
"""Those that a picture shows."""
PLATFORMS: Final = ("android", "ios", "ios", "android", "web", "console-9", "goggles", "")
"""Those that games report; `goggles` is declared nowhere, and some games report none."""
VERSIONS: Final = ("4.2.0", "4.2.0", "4.1.3", "3.0.0-beta+7", "")


def usual_id(number: int) -> str:
    """The id of an ordinary player."""
    return f"player-{number:03}"
