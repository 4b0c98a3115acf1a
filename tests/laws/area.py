"""What an area tells the laws about itself: how each of its operations behaves, and what else concerns it.

An area is one file of `tests.laws.areas`. It holds its part of the state, one row for each of its operations with the rule
that predicts the answer, and its *hooks*: what happens to its part when players become one, when one is erased, and when
time passes. The model knows areas only through this file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal, TypeAlias

import attrs

from tests.laws.drawing import Draw, Scenes
from tests.laws.model_state import Call, Player, Reply, Scope
from tests.laws.routes import Body
from tests.laws.steps import Step

Rule: TypeAlias = Callable[[Call], Reply]
"""Predicts the success of a call, or raises `Refused`."""
Due: TypeAlias = tuple[int, str, Callable[[], Reply]]
"""What comes due: when, the id by which ties are broken, and what it does then."""


@attrs.frozen
class Pages:
    """A list that is read page by page: under which name it is in the answer, and with which arguments to try it."""

    rows: str
    arguments: tuple[dict[str, object], ...] = ({},)


@attrs.frozen
class Named:
    """Something that a call names by its id: in which argument, of which kinds, and the code where it is not found."""

    argument: str
    kinds: tuple[str, ...]
    code: str


def _nothing(*_: object) -> None:
    """There is nothing to do."""


@attrs.frozen
class Operation:
    """One operation, as the model needs to know it."""

    name: str
    rule: Rule
    about: Literal["a player", "a player, also a former one", "anybody", "nobody"] = attrs.field(
        default="a player", kw_only=True
    )
    """Whom the path names: a player, one who need not be there, or nobody. The answers of a merge stay those about the
    source, who is gone."""
    shows_secret: bool = attrs.field(default=True, kw_only=True)
    """Whether a client has to show the player's secret."""
    recognises: bool = attrs.field(default=False, kw_only=True)
    """Whether a client that does show the secret sees more, and has to show the right one."""
    faults: Callable[[Call], bool] | None = attrs.field(default=None, kw_only=True)
    """What else than amounts and limits a schema finds wrong (400)."""
    judges_amount: bool = attrs.field(default=False, kw_only=True)
    """Whether a wrong amount is a refusal of its own."""
    key_kept_by: str | None = attrs.field(default=None, kw_only=True)
    """The kind of row that keeps the idempotency key for good, of a write that pays."""
    guards: Callable[[Call], None] = attrs.field(default=_nothing, kw_only=True)
    """Raises what refuses the call even before a key of more than 24 hours ago is looked up."""
    replayed_as: int | None = attrs.field(default=None, kw_only=True)
    """The status of a replay, where it is not the first one's."""
    refuses: str = attrs.field(default="", kw_only=True)
    """The codes with which it has to be seen refusing; what keys, secrets and repetition bring is common to all."""
    seldom: str = attrs.field(default="", kw_only=True)
    """Further codes that it can give, which sequences meet too seldom, or never, to count on."""
    read_with: Callable[[Draw], dict[str, Any]] | None = attrs.field(default=None, kw_only=True)
    """With which arguments the scene of reading calls it for a player, if it does."""
    pages: Pages | None = attrs.field(default=None, kw_only=True)
    """The list that it gives, if that is read page by page."""
    names: Named | None = attrs.field(default=None, kw_only=True)
    """What of the player's it names, if that is an id that an answer has shown."""
    broad: bool = attrs.field(default=False, kw_only=True)
    """Whether only broad sequences read it."""


@attrs.frozen(kw_only=True)
class Area:
    """An area of the model. Hooks that it leaves out do nothing."""

    operations: tuple[Operation, ...]
    transitions: tuple[str, ...] = ()
    """What its rules can do, as `Reply.move` says it, all of which has to happen."""
    on_admitted: Callable[[Call], None] = _nothing
    """A client has shown the secret of the player of the path."""
    cannot_merge: Callable[[Scope, Player, Player], bool] = lambda *_: False
    """Whether what the source has finds no room beside what the target has."""
    on_merge: Callable[[Scope, Player, Player, int], list[str]] = lambda *_: []
    """The source's part becomes the target's, at an instant; gives the kinds of the events. Both are still there."""
    on_erase: Callable[[Scope, Player, int], list[str]] = lambda *_: []
    """A player is about to be erased, at an instant; gives the kinds of the events."""
    after_erase: Callable[[Scope, Player, int], list[str]] = lambda *_: []
    """A player was erased, at an instant; gives the kinds of the events."""
    on_rename: Callable[[Scope, str, str], None] = _nothing
    """What names the first id names the second from now on: a source its target, an erased player a placeholder."""
    is_exported: Callable[[Call, Body], None] = _nothing
    """Demands of a player's export what it must hold of this area."""
    ids: Callable[[str, Body], Iterable[tuple[str, str]]] = lambda *_: ()
    """Kind and id of what an answer about a player shows, by which later steps can name it."""
    scenes: Scenes = ()
    """What is drawn in every sequence."""
    broad_scenes: Scenes = ()
    """What is drawn only in broad sequences, because the laws of single areas do not allow for it."""
    ill_formed: Callable[[Draw], list[Step]] = lambda _: []
    """Calls that no schema lets through."""
    due: Callable[[Scope], Iterable[Due]] = lambda _: ()
    """All that time will do."""


def plainly(_: Draw) -> dict[str, Any]:
    """To read without arguments."""
    return {}
