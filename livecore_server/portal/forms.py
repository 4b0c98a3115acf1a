"""Forms: their fields, how what was typed becomes the body of an operation, and which fault belongs to which field."""

from __future__ import annotations

import json
import secrets
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, Final, TypeAlias
from urllib.parse import parse_qsl

import attrs

from livecore.api.requests.http import Request
from livecore_server.portal.arguments import Argument, Kind, Missing, argument_of
from livecore_server.portal.json_lines import Place, line_of, places_of
from livecore_server.portal.problems import BadForm
from livecore_server.portal.words import plain

Typed: TypeAlias = Mapping[str, Sequence[str]]
_MOST_FIELDS: Final = 2000
_BOXES: Final = ("checkbox", "checkboxes")
_IDEMPOTENCY_KEY: Final = "idempotencyKey"
"""A form carries a key of its own, so that one that is sent twice takes effect once."""
REVIEWED: Final = "reviewed"
"""The field by which a form says that it is the second step, and of what."""


@attrs.frozen(kw_only=True)
class Field:
    """A field of a form, named like the argument of the `operation` that it fills, whose shape says what is not said here.

    A field without an operation is a text that must be filled in.
    """

    operation: str = ""
    name: str
    label: str
    path: str = ""
    """The wire's path of the field, where it is not the name."""
    hint: str = ""
    value: str = ""
    """What stands there at first; for `checkboxes`, values divided by spaces."""
    labels: Mapping[str, str] = attrs.field(factory=dict)
    """How the values are called of which one is chosen, in this order; a value of which nothing is said stands last."""
    nothing: str = ""
    """How it is called that none of the values is chosen, where that may be."""
    choices: tuple[tuple[str, str], ...] = attrs.field()
    """For `select` and `checkboxes`: values with their labels."""
    kind: Kind = attrs.field()
    required: bool = attrs.field()
    most: int | None = attrs.field()
    """The greatest number of characters; a longer value that stands there at first may stay."""
    missing: Missing = attrs.field()
    rows: int = 6
    """How high the field is, for `json`."""
    shown: bool = True
    """Whether people see it; otherwise it carries what an earlier page has shown."""
    group: str = ""
    """Fields that follow each other with the same text here belong together under it."""
    suggests: str = ""
    """The name of a list of the step from which a value may be taken; any other may be typed as well."""
    expects: tuple[str, ...] = ()
    """What must be typed, one of these texts. Such a field confirms what the form does, and is no part of the body."""

    @choices.default
    def _choices(self) -> tuple[tuple[str, str], ...]:
        values = self._argument.values
        known = [value for value in self.labels if value in values]
        rest = [value for value in values if value not in self.labels]
        offered = tuple((value, self.labels.get(value) or plain(value)) for value in (*known, *rest))
        return (("", self.nothing), *offered) if self.nothing else offered

    @kind.default
    def _kind(self) -> Kind:
        kind = self._argument.kind
        return "select" if self.choices and kind != "checkboxes" else kind

    @required.default
    def _required(self) -> bool:
        return self._argument.required or (self.kind == "select" and "" not in dict(self.choices))

    @most.default
    def _most(self) -> int | None:
        most = self._argument.most
        return None if most is None else max(most, len(self.value))

    @missing.default
    def _missing(self) -> Missing:
        return self._argument.missing

    @property
    def _argument(self) -> Argument:
        return argument_of(self.operation, self.path or self.name) if self.operation else Argument()

    @property
    def id(self) -> str:
        """The id of its element."""
        return f"field-{self.name.replace('.', '-')}"

    def parsed(self, typed: Sequence[str]) -> object:
        """The value in the body, or `...` for none. Raises `ValueError` with what is wrong."""
        if self.kind == "checkbox":
            return bool(typed)
        if self.kind == "checkboxes":
            return list(typed) if typed else self._nothing()
        text = typed[0].replace("\r\n", "\n") if typed else ""
        if self.kind not in ("textarea", "json"):
            text = text.strip()
        if not text.strip():
            return self._nothing()
        if self.expects and _same(text) not in map(_same, self.expects):
            raise ValueError("is not the text above")
        if self.kind == "number":
            return _integer(text)
        return _json(text) if self.kind == "json" else text

    def _nothing(self) -> object:
        if self.required and self.missing == "left out":
            raise ValueError("must be filled in")
        return None if self.missing == "null" else ...


def _same(text: str) -> str:
    """A text as it is compared: browsers and keyboards compose characters in different ways."""
    return unicodedata.normalize("NFC", text).strip()


def _integer(text: str) -> int:
    digits = text.removeprefix("-").removeprefix("+")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 20):
        raise ValueError("must be a whole number")
    return int(text)


def _json(text: str) -> Any:  # noqa: ANN401 - JSON
    try:
        # Some editors begin a file with a byte order mark, which is pasted with the text.
        return json.loads(text.removeprefix("\ufeff"))
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    except ValueError as fault:
        raise ValueError(f"is not JSON: {fault}") from None


@attrs.frozen(kw_only=True)
class _Fault:
    """One thing that is wrong, as the top of the page says it."""

    field: Field | None = None
    """The field that it concerns, if the form shows one."""
    place: str
    """Where it is, inside the field or among what the form does not show."""
    line: int | None = None
    """The line of the text in the field."""
    text: str


@attrs.frozen
class Form:
    """A form as it is shown: what was typed and what is wrong with it."""

    fields: tuple[Field, ...]
    typed: Typed | None = None
    faults: Mapping[str, str] = attrs.field(factory=dict)
    problem: str | None = None
    """What is wrong with the whole."""
    key: str = attrs.field(factory=lambda: secrets.token_urlsafe(18))
    _read: dict[str, Place] = attrs.field(factory=dict, init=False, eq=False, repr=False)

    def value(self, field: Field) -> str:
        """What stands in a field."""
        if self.typed is None:
            return field.value
        return next(iter(self.typed.get(field.name, ())), "")

    def chosen(self, field: Field) -> frozenset[str]:
        """The boxes of a field that are ticked."""
        if self.typed is None:
            return frozenset(field.value.split())
        return frozenset(self.typed.get(field.name, ()))

    def fault(self, field: Field) -> str | None:
        """What is wrong with a field; a fault inside it counts as well."""
        return next((text for path, text in self.faults.items() if _concerns(field, path)), None)

    def faults_inside(self, field: Field) -> tuple[tuple[str, str], ...]:
        """What is wrong inside a field, with its places."""
        place = field.path or field.name
        return tuple((path, text) for path, text in self.faults.items() if _concerns(field, path) and path != place)

    @property
    def groups(self) -> tuple[tuple[str, tuple[Field, ...]], ...]:
        """The fields that people see, as they belong together; the text over them is empty for those that stand alone."""
        shown = (field for field in self.fields if field.shown)
        return tuple((text, tuple(fields)) for text, fields in groupby(shown, key=lambda field: field.group))

    @property
    def says_optional(self) -> bool:
        """Whether some of its fields must be filled in, and some need not."""
        return len({field.required for field in self.fields if field.shown and field.kind not in _BOXES}) == 2

    @property
    def listed_faults(self) -> tuple[_Fault, ...]:
        """Everything that is wrong, each with its field, for the top of the page."""
        listed: list[_Fault] = []
        for path, text in self.faults.items():
            field = next((field for field in self.fields if _concerns(field, path)), None)
            if field is None or not field.shown:
                listed.append(_Fault(place=path, text=text))
            else:
                place = path.removeprefix(field.path or field.name).removeprefix(".") if path != field.name else ""
                line = line_of(place, self._places(field)) if place and field.kind == "json" else None
                listed.append(_Fault(field=field, place=place, line=line, text=text))
        return tuple(listed)

    @property
    def unplaced(self) -> tuple[str, ...]:
        """Faults of fields that the form does not show."""
        return tuple(f"{one.place} {one.text}".lstrip() for one in self.listed_faults if one.field is None)

    def _places(self, field: Field) -> Place:
        """The places of the JSON text in a field."""
        if field.name not in self._read:
            self._read[field.name] = places_of(self.value(field))
        return self._read[field.name]

    @property
    def faulty(self) -> bool:
        """Whether anything is wrong."""
        return bool(self.faults or self.problem)


def _concerns(field: Field, path: str) -> bool:
    """Whether a path of the wire is that of a field, or inside it."""
    place = field.path or field.name
    return path in (place, field.name) or path.startswith((f"{place}.", f"{place}["))


def read_form(request: Request) -> Typed:
    """What a form carries. Raises `BadForm`."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if request.body and kind != "application/x-www-form-urlencoded":
        raise BadForm
    try:
        pairs = parse_qsl(
            request.body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS
        )
    except ValueError:
        raise BadForm from None
    typed: dict[str, list[str]] = {}
    for name, value in pairs:
        typed.setdefault(name, []).append(value)
    return typed


def body_of(fields: Iterable[Field], typed: Typed) -> tuple[dict[str, Any], dict[str, str]]:
    """The body of the operation, and what is wrong with which field."""
    body: dict[str, Any] = {}
    faults: dict[str, str] = {}
    for field in fields:
        try:
            value = field.parsed(typed.get(field.name, ()))
        except ValueError as fault:
            faults[field.name] = str(fault)
            continue
        if value is not ... and not field.expects:
            body[field.name] = value
    key = next(iter(typed.get(_IDEMPOTENCY_KEY, ())), "")
    if key:
        body[_IDEMPOTENCY_KEY] = key
    return body, faults
