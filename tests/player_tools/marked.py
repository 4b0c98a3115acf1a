"""A marker in every place where the API takes free text or an identity, and the search for it afterwards.

What is done with the marker each area says in `tests/contract/operations`. It has what encodings change; where only ASCII is
taken its core stands alone, and is searched for as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import attrs

from livecore import World
from tests.contract.oracle import AREAS
from tests.contract.stories import CORE, MARK, Life, in_order
from tests.worlds import GUILDS, RACES, config


def spellings() -> set[str]:
    """The marker as it may have been written down, folded: plain, in a URL, and in JSON; and its core."""
    spelled = {
        MARK,
        quote(MARK),
        quote(MARK, safe=""),
        json.dumps(MARK)[1:-1],
        json.dumps(MARK, ensure_ascii=False)[1:-1],
    }
    return {text.casefold() for text in (*spelled, CORE)}


def traces(value: object) -> Iterator[str]:
    """Every spelling of the marker that is found in the text of a value."""
    text = repr(value).casefold().replace("\\\\", "\\")
    return (spelling for spelling in spellings() if spelling in text)


def game(**changes: object) -> dict[str, Any]:
    """A game in which everything can be done."""
    guilds: dict[str, Any] = {
        **GUILDS,
        "createCooldownSeconds": None,
    }  # where time goes on by itself nobody waits a minute
    return {**config(exchangeRates={"EUR": "1.08"}, events=RACES, guilds=guilds), **changes}


def lived(world: World, *, operated: bool = False) -> Life:
    """A player who is the marker all over, and a friend; the marker has done everything, and everything was done to them.

    With `operated` a member of the studio does to them what the backend would do, where members may do it.
    """
    headers = {"x-svc-app-version": CORE, "x-svc-platform": CORE, "x-request-id": CORE, "x-svc-sdk": f"{CORE}/1"}
    marked = world.player(MARK, **headers)
    life = Life(world, marked, world.player("friend"), operator=world.operator() if operated else None)
    life.ask(marked, "players.register", force=True, player_context={"first": [MARK]})
    again = life.ask(marked, "players.register", force=True, player_context={MARK: [MARK]})
    known = {**marked.headers, "x-player-secret": again.text("playerSecret")}
    life = attrs.evolve(life, marked=attrs.evolve(marked, headers=known))
    for step in in_order({name: area.marked for name, area in AREAS.items()}).values():
        step.story(life)
    return life
