"""What a page consists of: a view shows something, an action says what it will do, and does it when its form is sent."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeAlias
from urllib.parse import unquote

import attrs

from livecore_server.portal.forms import Field
from livecore_server.portal.here import Here

Crumb: TypeAlias = tuple[str, str]
"""A page further up: its name and its address."""


@attrs.frozen(kw_only=True)
class WebPage:
    """A page that can be made: its template, its title, and what the template shows."""

    template: str
    title: str
    above: Sequence[Crumb] = ()
    """The pages above it, from the outermost."""
    status: int = 200
    live: bool = False
    """Whether it follows a leaderboard, by the portal's one script."""
    shown: Mapping[str, Any] = attrs.field(factory=dict)


@attrs.frozen
class Following:
    """The page after an action: its address, and what it says once, a name of `livecore_server.portal.messages`."""

    address: str
    message: str = ""


@attrs.frozen
class View:
    """A page that only shows something. `area` is the entry of the navigation that it belongs to."""

    path: str
    show: Callable[[Here], Awaitable[WebPage]]
    area: str = ""

    @property
    def variables(self) -> frozenset[str]:
        """The names of the variables in its address."""
        return frozenset(piece[1:-1] for piece in self.path.split("/") if piece.startswith("{"))


@attrs.frozen
class Comparison:
    """Some things side by side: what stands over each column, and the rows, each with what it is about first."""

    about: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@attrs.frozen(kw_only=True)
class PreparedAction:
    """An action for one object, before it is done.

    `says` is the sentence that says what will happen; `{name}` in it is the object's name, which may be anything.
    """

    says: str
    name: str = ""
    fields: tuple[Field, ...] = ()
    """The fields of the form, where they depend on the object; see `Action.fields`."""
    lines: tuple[str, ...] = ()
    """What will change, line by line."""
    compared: Comparison | None = None
    """What it is about, side by side."""
    parts: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """What will happen to what, as lists with headings."""
    lists: Mapping[str, Sequence[tuple[str, str]]] = attrs.field(factory=dict)
    """Values with their labels that fields suggest, by the name of the list."""
    seen: str = "yes"
    """Of a second step: what it is about. If that is something else by the time it is confirmed, it is shown again."""
    objections: tuple[str, ...] = ()
    """What stands against it."""
    advice: tuple[Mapping[str, str], ...] = ()
    """The fields whose values are probably not meant (`path`), each with the reason (`message`); they prevent nothing."""
    taken_away: tuple[str, ...] = ()
    """What players hold of what will not be declared any more, and what becomes of it."""
    blocked: bool = False
    """Whether there is nothing that could be done now."""
    above: Sequence[Crumb] = ()
    """The pages above it, from the outermost, where they are more than the first page of the action's area."""
    body: Mapping[str, Any] = attrs.field(factory=dict)
    """Fields of the operation that the person does not choose."""
    shape: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    """Makes the body of the operation from the fields of the form, where they are not the same."""


@attrs.frozen(kw_only=True)
class Action:
    """Something that a member does, by one operation: first a page that says what will happen, with a form."""

    path: str
    operation: str
    title: str
    button: str
    area: str
    """The entry of the navigation that it belongs to."""
    begin: Callable[[Here], Awaitable[PreparedAction]]
    back: Callable[[Here], str] | None = None
    """The address to which one returns, where it is not the first page of the area."""
    fields: tuple[Field, ...] | None = None
    """The fields of the form, where they are the same for every object: it is done then without reading the object first."""
    review: Callable[[Here, dict[str, Any]], Awaitable[PreparedAction]] | None = None
    """What the form would do, as a second step before it is done; given what was typed."""
    second_button: str = ""
    message: str = ""
    """What the next page says, a name of `livecore_server.portal.messages`."""
    reveals: str = ""
    """The field of the answer that is shown this once, instead of a next page."""
    downloads: str = ""
    """The name of the file that the answer is given as, instead of a next page."""
    then: Callable[[Here, Mapping[str, Any], Mapping[str, Any]], str] | None = None
    """The address of the next page, where it is not the one to return to.

    It is given the fields of the form, and what the operation answered.
    """
    grave: bool = False
    """Whether it cannot be undone, or hits a person."""

    at_once: bool = attrs.field(init=False)
    """Whether the form can be sent on without a page: nothing has to be read or shown before or after it."""

    @at_once.default
    def _needs_no_page(self) -> bool:
        return self.fields is not None and not (self.review or self.reveals or self.downloads)


Route: TypeAlias = View | Action


def _pattern(path: str) -> re.Pattern[str]:
    pieces = [f"(?P<{piece[1:-1]}>[^/]+)" if piece.startswith("{") else re.escape(piece) for piece in path.split("/")]
    return re.compile("/".join(pieces))


def patterns(routes: Sequence[Route]) -> list[tuple[re.Pattern[str], Route]]:
    """The routes with the patterns of their addresses."""
    return [(_pattern(route.path), route) for route in routes]


def find(table: Sequence[tuple[re.Pattern[str], Route]], path: str) -> tuple[Route, dict[str, str]] | None:
    """The route of an address, with the variables in it; the first that matches."""
    for pattern, route in table:
        if (matched := pattern.fullmatch(path)) is not None:
            return route, {name: unquote(text, errors="replace") for name, text in matched.groupdict().items()}
    return None
