"""The source of one client method, from one row of the table of operations.

The shape of the arguments gives the parameters. By position comes what a call acts on, wherever the request carries it: the
player, each variable of the path, what a query must have, and each id in the body, of a player or of what the service made,
that must be given. All else comes by name, and so does an id that may be left out or that another one may stand for. A
parameter is as wide as a caller may like it (a `Sequence`, a `datetime`), and is turned into what the shape holds.

The docstring is the row's summary, what it says `about` the operation, and the refusals that the row names; the names of
arguments and of what answers hold are spelled as Python has them. A list that comes in pages has a second method, which goes
through all of them.
"""

from __future__ import annotations

import inspect
import keyword
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator
from datetime import datetime
from types import ModuleType, NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import attrs

from livecore.api.areas import AREAS
from livecore.api.table.operation import Operation
from livecore.kernel.errors import camel, snake
from livecore.kernel.time import Timestamp
from livecore.kernel.wire.shapes import ABSENT, Absent, ExternalPlayerId, Id, ReadLater
from livecore.players.refusals import PlayerNotFound

__all__ = ["Imports", "Method", "iterator", "method", "name_of", "snake"]

WIDTH = 120
"""The longest line."""
_OF_CALLER = {"studio_id", "game_id", "environment"}
"""What an operator's call is about unless it says otherwise: the caller knows it."""
_IDS = (ExternalPlayerId, Id)
"""The types of what a body can name that exists already: a player, and what the service made."""


class Imports:
    """The names that a module needs from elsewhere, gathered while its text is made."""

    def __init__(self) -> None:
        self._names: dict[str, set[str]] = {}

    def name(self, module: str, name: str) -> str:
        """Note a name, and give it."""
        self._names.setdefault(module, set()).add(name)
        return name

    def lines(self) -> list[str]:
        """An import for each module; the formatter sorts them."""
        return [f"from {module} import {', '.join(sorted(names))}" for module, names in self._names.items()]


@attrs.frozen
class Method:
    """A method of a client: its name, its parameters by name and as its signature has them, docstring and statements."""

    name: str
    names: tuple[str, ...]
    parameters: str
    answer: str
    doc: str
    body: tuple[str, ...]

    def lines(self) -> Iterator[str]:
        """The method as it stands in a class."""
        parameters = ", ".join(filter(None, ["self", self.parameters]))
        yield f"    async def {self.name}({parameters}) -> {self.answer}:"
        yield _docstring(self.doc, "        ")
        yield from (f"        {line}" for line in self.body)


@attrs.frozen
class _Parameter:
    name: str
    type: str
    default: str | None
    passed: str
    """What the shape is given."""
    is_positional: bool
    is_path_value: bool = False
    """Whether it says where an operator works, and is no part of the shape."""


def name_of(operation: Operation) -> str:
    """What the method that calls an operation is called."""
    return snake(operation.name.rpartition(".")[2])


def method(operation: Operation, imports: Imports) -> Method:
    """The method that calls an operation. Raises `TypeError` for one that needs a method written by hand."""
    parameters = _parameters(operation, imports)
    names = _names(operation, parameters)
    taken = [name_of(operation), *names]
    if doubled := {name for name in taken if taken.count(name) > 1 or keyword.iskeyword(name)}:
        raise TypeError(f"{operation.id}: {sorted(doubled)} cannot be names of a method and its parameters")
    arguments = _call(operation.args, parameters, imports)
    answer = _answer(operation, imports)
    body: list[str] = []
    if not all(one.is_path_value for one in parameters):
        body.append(f"arguments = {arguments}")
        arguments = "arguments"
    sent = [f'"{operation.method}"', f'"{operation.path}"', arguments, answer]
    if _takes_player(operation):
        sent.append("player=external_player_id")
    sent += [f"{one.name}={one.name}" for one in parameters if one.is_path_value]
    if operation.takes_body and operation.query:
        sent.append(f"query={operation.query!r}")
    if operation.surface == "sdk" and operation.credential != "player":
        sent.append("needs_secret=False")
    if operation.recognises:
        sent.append("offers_secret=True")
    call = f"await self._send({', '.join(sent)})"
    if _mints_secret(operation):
        body += [f"answer = {call}", "self._caller.player_secret = answer.player_secret", "return answer"]
    else:
        body.append(f"return {call}")
    about = _in_python(re.sub("`?\\bnull\\b`?", "`None`", operation.about), operation)
    doc = operation.summary + "\n\n" + " ".join(filter(None, [about, _raises(operation)]))
    return Method(name_of(operation), names, _listed(operation, parameters), answer, doc, tuple(body))


def iterator(operation: Operation, imports: Imports) -> Method | None:
    """The method that goes through all pages of a list, or `None` for an operation that is no such list."""
    fields = {field.name for field in attrs.fields(operation.args)}
    (kind, *_) = operation.answers.values()
    rows = _rows_of(kind)
    if not {"limit", "cursor"} <= fields or rows is None:
        return None
    name = name_of(operation)
    parameters = [one for one in _parameters(operation, imports) if one.name not in {"limit", "cursor"}]
    passed = [one.name if one.is_positional else f"{one.name}={one.name}" for one in parameters]
    if _takes_player(operation):
        passed.insert(0, "external_player_id")
    fetch = f"lambda at: self.{name}({', '.join([*passed, 'limit=page_size', 'cursor=at'])})"
    paging = imports.name("livecore_client._async.resource", "pages")
    row = _written_type(rows[1], rows[1], imports)
    lists = [f"page.{name}" for name in rows[0]]
    of_page = lists[0] if len(lists) == 1 else f"({', '.join(f'*{one}' for one in lists)})"
    body = (f"async for page in {paging}({fetch}):", f"    for row in {of_page}:", "        yield row")
    listed = _listed(operation, [*parameters, _Parameter("page_size", "int", "100", "", is_positional=False)])
    answer = f"{imports.name('collections.abc', 'AsyncIterator')}[{row}]"
    order = "in its order" if len(lists) == 1 else f"in each page first those of `{rows[0][0]}`"
    doc = (
        f"Go through every row of `{name}`, {order}.\n\n"
        f"Each page of `page_size` rows is fetched when it is reached. Raises what `{name}` raises."
    )
    return Method(_iterating(name), (*_names(operation, parameters), "page_size"), listed, answer, doc, body)


def _iterating(name: str) -> str:
    """`list` becomes `iterate`, `list_blocks` `iterate_blocks`, `inbox` `iterate_inbox`."""
    rest = re.sub(r"^list(_|$)", "", name)
    return f"iterate_{rest}" if rest else "iterate"


def _rows_of(answer: type) -> tuple[tuple[str, ...], type] | None:
    """The lists that an answer is a page of, all with the same shape of rows; `None` where it is no page."""
    hints = get_type_hints(answer)
    lists = {name: get_args(kind)[0] for name, kind in hints.items() if get_origin(kind) is tuple}
    rows = set(lists.values())
    return (tuple(lists), rows.pop()) if "next_cursor" in hints and len(rows) == 1 else None


# -- parameters -----------------------------------------------------------------------------------------------------------


def _takes_player(operation: Operation) -> bool:
    """Whether the caller names the player; a game's client acts for the one that it was made for."""
    return operation.surface != "sdk" and operation.subject != "none"


def _names(operation: Operation, parameters: Iterable[_Parameter]) -> tuple[str, ...]:
    """The names of a method's parameters."""
    return (*(["external_player_id"] if _takes_player(operation) else []), *(one.name for one in parameters))


def _parameters(operation: Operation, imports: Imports) -> list[_Parameter]:
    """The parameters besides the player: the path's variables in its order, then the shape's other fields in theirs."""
    hints = get_type_hints(operation.args, include_extras=True)
    variables = [snake(variable) for variable in operation.variables]
    fields = sorted(attrs.fields(operation.args), key=lambda field: [*variables, field.name].index(field.name))
    found = [_parameter(operation, field, hints[field.name], imports) for field in fields]
    return found + [one for one in _path_values(operation, imports) if one.name not in hints]


def _path_values(operation: Operation, imports: Imports) -> Iterator[_Parameter]:
    """Where an operator works: the studio, the game and the environment, which are the caller's unless they are given."""
    if operation.surface != "admin":
        return
    for variable, name in (("studioId", "studio_id"), ("gameId", "game_id")):
        if f"{{{variable}}}" in operation.path:
            yield _Parameter(name, "str | None", "None", name, is_positional=False, is_path_value=True)
    if operation.takes_environment:
        kind = imports.name("livecore.kernel.scope", "Environment")
        yield _Parameter(
            "environment", f"{kind} | None", "None", "environment", is_positional=False, is_path_value=True
        )


def _parameter(operation: Operation, field: attrs.Attribute[Any], kind: object, imports: Imports) -> _Parameter:
    location = operation.location_of(field.name)
    is_required = field.default is attrs.NOTHING
    default = None if is_required else _literal(field.default, imports)
    name, passed = field.name, field.name
    kinds = list(_alternatives(kind))
    (main, *others) = [one for one in kinds if one is not NoneType and one != Absent] or [NoneType]
    if others:
        raise TypeError(f"{operation.id}: a parameter of several types, {name}, needs a method written by hand")
    written = _written_type(main, operation.args, imports)
    may_be_none = NoneType in kinds
    may_be_absent = Absent in kinds
    plain = _plain(main)
    if get_origin(plain) is tuple:
        written = f"{imports.name('collections.abc', 'Sequence')}[{_member(plain, operation.args, imports)}]"
        is_left_out = may_be_absent and location == "query"
        passed = _sequence(name, plain, imports, is_left_out=is_left_out)
        if is_left_out:
            default, may_be_absent = "()", False
    elif get_origin(plain) is dict:
        of_integers = _plain(get_args(plain)[1]) is int
        written = f"{imports.name('collections.abc', 'Mapping')}[str, {'int' if of_integers else 'object'}]"
        helper = "integers" if of_integers else "json_object"
        passed = f"{imports.name('livecore.surfaces.arguments', helper)}({name})"
    elif plain is Timestamp:
        written = f"{imports.name('datetime', datetime.__name__)} | {written}"
        passed = f"{imports.name('livecore.surfaces.arguments', 'instant')}({name})"
    if operation.surface == "admin" and is_required and name in _OF_CALLER:
        default, may_be_none, passed = "None", True, f"{name} or self._own_{name}"
    if name == "idempotency_key" and is_required:
        default, may_be_none, passed = "None", True, f"{name} or self._new_idempotency_key()"
    if may_be_none:
        written += " | None"
    if may_be_absent:
        written += f" | {imports.name('livecore.kernel.wire.shapes', 'Absent')}"
    is_positional = is_required and default is None and (location != "body" or main in _IDS)
    return _Parameter(name, written, default, passed, is_positional=is_positional)


def _sequence(name: str, kind: object, imports: Imports, *, is_left_out: bool) -> str:
    """What turns the caller's sequence into the shape's tuple; an empty one in a query `is_left_out`."""
    by_itself = _read_later(get_args(kind)[0]) is not None
    helper = "tuple_or_absent" if is_left_out else "written" if by_itself else "listed"
    return f"{imports.name('livecore.surfaces.arguments', helper)}({name})"


def _listed(operation: Operation, parameters: Iterable[_Parameter]) -> str:
    """The parameters as a signature has them."""
    parameters = list(parameters)
    texts = ["external_player_id: str"] if _takes_player(operation) else []
    texts += [f"{one.name}: {one.type}" for one in parameters if one.is_positional]
    named = [one for one in parameters if not one.is_positional]
    named.sort(key=lambda one: one.name == "idempotency_key" and one.default is not None)
    texts += ["*"] if named else []
    texts += [f"{one.name}: {one.type}" + (f" = {one.default}" if one.default else "") for one in named]
    return ", ".join(texts)


def _call(shape: type, parameters: Iterable[_Parameter], imports: Imports) -> str:
    given = ", ".join(f"{one.name}={one.passed}" for one in parameters if not one.is_path_value)
    return f"{imports.name(shape.__module__, shape.__name__)}({given})"


def _literal(value: object, imports: Imports) -> str:
    if value is ABSENT:
        return imports.name("livecore.kernel.wire.shapes", "ABSENT")
    return f'"{value}"' if isinstance(value, str) else repr(value)


# -- types ----------------------------------------------------------------------------------------------------------------


def _alternatives(kind: object) -> Iterator[object]:
    """The members of a union, `Annotated` ones too."""
    if get_origin(kind) in {Union, UnionType}:
        for member in get_args(kind):
            yield from _alternatives(member)
    else:
        yield kind


def _plain(kind: object) -> Any:  # noqa: ANN401 - a type, of which Python has no type
    """A type without its constraints."""
    return get_args(kind)[0] if get_origin(kind) is Annotated else kind


def _read_later(kind: object) -> type | None:
    """The shape as which a value is read later, where it is."""
    found = [rule.kind for rule in getattr(kind, "__metadata__", ()) if isinstance(rule, ReadLater)]
    return found[0] if found else None


def _member(sequence: object, shape: type, imports: Imports) -> str:
    return _written_type(get_args(sequence)[0], shape, imports)


def _written_type(kind: object, shape: type, imports: Imports) -> str:
    """A type as a signature in a module of its own writes it, by the alias of the shape's module where it has one."""
    later = _read_later(kind)
    plain = later or _plain(kind)
    if get_origin(plain) is Literal:
        if alias := _alias(plain, sys.modules[shape.__module__]):
            return imports.name(shape.__module__, alias)
        values = ", ".join(_literal(value, imports) for value in get_args(plain))
        return f"{imports.name('typing', 'Literal')}[{values}]"
    if get_origin(plain) is tuple:
        return f"tuple[{_member(plain, shape, imports)}, ...]"
    if isinstance(plain, type) and get_origin(plain) is None:
        return plain.__name__ if plain.__module__ == "builtins" else imports.name(_home(plain), plain.__name__)
    return str(plain)


def _alias(kind: object, home: ModuleType) -> str | None:
    """The public name that a module gives to a type, where it gives one."""
    names = (name for name, value in vars(home).items() if value == kind and not name.startswith("_"))
    return next((name for name in names if re.search(rf"^{name}\b.* = ", inspect.getsource(home), re.MULTILINE)), None)


def _home(kind: type) -> str:
    """The module from which a type is imported."""
    return kind.__module__


def _answer(operation: Operation, imports: Imports) -> str:
    kind, *others = dict.fromkeys(operation.answers.values())
    if others:
        raise TypeError(f"{operation.id}: several shapes of answers need a method written by hand")
    return imports.name(kind.__module__, kind.__name__)


def _mints_secret(operation: Operation) -> bool:
    """Whether the answer has the secret of the player that the client acts for, which it uses from then on."""
    return operation.surface == "sdk" and any(
        field.name == "player_secret" for kind in operation.answers.values() for field in attrs.fields(kind)
    )


# -- documentation --------------------------------------------------------------------------------------------------------


def _in_python(text: str, operation: Operation) -> str:
    """A text with the names of arguments and of what answers hold, spelled as Python has them: `team_key` for `teamKey`.

    Other names, such as those in the game's configuration, are of JSON, and stay.
    """
    kinds = (operation.args, *operation.answers.values())
    names = {camel(name): name for kind in kinds for name in _fields_in(kind, set())}
    return re.sub(r"`(\w+)`", lambda quoted: f"`{names.get(quoted[1], quoted[1])}`", text)


def _fields_in(kind: object, seen: set[object]) -> Iterator[str]:
    """The names of the fields of a shape and of all that it is made of."""
    for part in get_args(kind):
        yield from _fields_in(part, seen)
    if isinstance(kind, type) and attrs.has(kind) and kind not in seen:
        seen.add(kind)
        for name, hint in get_type_hints(kind, include_extras=True).items():
            yield name
            yield from _fields_in(hint, seen)


def _raises(operation: Operation) -> str:
    whole = operation if operation.over is None else operation.over(operation, AREAS)
    kinds = list(whole.errors)
    if _takes_player(operation) and operation.subject == "existing" and PlayerNotFound not in kinds:
        kinds.insert(0, PlayerNotFound)
    names = [f"`{kind.__name__}`" for kind in kinds]
    if not names:
        return ""
    listed = ", ".join(names[:-1]) + " or " + names[-1] if names[1:] else names[0]
    return f"Raises {listed}."


def _docstring(text: str, indent: str) -> str:
    """A docstring, on one line where it fits."""
    summary, _, rest = (part.strip() for part in text.partition("\n\n"))
    short = " ".join(filter(None, [summary, rest]))
    if len(short) <= WIDTH - len(indent) - 6:
        return f'{indent}"""{short}"""'
    lines = textwrap.wrap(rest, WIDTH - len(indent), break_long_words=False, break_on_hyphens=False)
    return "\n".join([f'{indent}"""{summary}', "", *(indent + line for line in lines), f'{indent}"""'])
