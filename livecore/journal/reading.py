"""Reads journals, of which nothing is taken on trust: each fault names its line and its member."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from livecore.api.configuration.game_config import GameConfig, parse_config
from livecore.api.requests.strict_json import read_json
from livecore.journal.lines import DEFAULTS, END_MEMBER, FORMAT, FORMAT_MEMBER, LONGEST_LINE, MOST_DAYS, Header
from livecore.kernel.errors import Json, JsonObject, MalformedJson, ValidationFailed
from livecore.kernel.quoting import quoted
from livecore.kernel.scope import ENVIRONMENTS
from livecore.kernel.time import DAY, Timestamp
from livecore.kernel.values import keyword_value
from livecore.world.checks import MOST_FLUSH_SECONDS, require_seed

_MOST_VALUES: Final = 500_000
_SEED_DIGITS: Final = 64
_DRAWN: Final = re.compile(rf"(?:[0-9a-f]{{2}}){{0,{_SEED_DIGITS // 2}}}")
_STATUSES: Final = range(100, 600)


class JournalFault(Exception):
    """What is wrong with a journal, and where: `line` counts from 1, `member` is the path within it, if it is one."""

    def __init__(self, line: int, member: str, text: str) -> None:
        super().__init__(f"line {line}: {f'{member}: ' if member else ''}{text}")
        self.line = line
        self.member = member
        self.text = text


@keyword_value
class Recorded:
    """One command of a journal."""

    line: int
    at: Timestamp
    data: JsonObject
    """All of it, as `Playback.play` takes it."""

    @property
    def operation(self) -> str:
        """The operation, such as `sdk:gifts.send`."""
        return str(self.data["operation"])

    @property
    def status(self) -> int:
        """The status of the answer."""
        status = self.data["status"]
        assert isinstance(status, int)  # noqa: S101 - it was checked when it was read
        return status

    @property
    def answer(self) -> Json:
        """The body of the answer."""
        return self.data["answer"]

    @property
    def player(self) -> str | None:
        """The player whom it is about, by the studio's id."""
        places = self.data["places"]
        player = places.get("externalId") if isinstance(places, dict) else None
        return player if isinstance(player, str) else None

    @property
    def caller(self) -> str:
        """Who asked, in words."""
        if self.operation.startswith("sdk:"):
            return self.player or "a client"
        member = self.data["member"]
        about = "" if self.player is None else f" about {self.player}"
        return f"{member if isinstance(member, str) else 'the backend'}{about}"


class Journal:
    """A journal that is being read: its header, and its commands one after the other.

    `ends_at` is known once all commands were read; it is the start before that.
    """

    def __init__(self, header: Header, config: GameConfig, lines: Iterator[bytes]) -> None:
        self.header = header
        self.config = config
        self.ends_at = header.start
        self._lines = lines

    def commands(self) -> Iterator[Recorded]:
        """The commands, once. Raises `JournalFault`."""
        number = 1
        last = self.header.start
        latest = self.header.start + MOST_DAYS * DAY
        for number, raw in enumerate(self._lines, 2):
            data = _object(number, raw)
            if END_MEMBER in data:
                self.ends_at = _end(number, data, last, latest, number - 2)
                self._nothing_follows(number + 1)
                return
            recorded = _command(number, data)
            last = _in_order(recorded, last, latest)
            yield recorded
        raise JournalFault(number + 1, "", "the journal ends without its last line: its recording was interrupted")

    def _nothing_follows(self, number: int) -> None:
        if next(self._lines, b""):
            raise JournalFault(number, "", "nothing may follow the end of a journal")


def read_journal(lines: Iterable[bytes]) -> Journal:
    """The journal in these lines, of which the first is read at once. Raises `JournalFault`.

    Whoever reads the lines from a file needs to read of each no more than one byte beyond `LONGEST_LINE`.
    """
    rest = iter(lines)
    data = _object(1, next(rest, b""))
    form = data.get(FORMAT_MEMBER)
    if form is None:
        raise JournalFault(1, FORMAT_MEMBER, "is missing: this is no journal of Livecore")
    if type(form) is not int or form != FORMAT:
        raise JournalFault(1, FORMAT_MEMBER, f"is {quoted(form)}, and this version of Livecore reads {FORMAT}")
    _check(1, data, _HEADER, {})
    header = Header(
        version=_text(data["version"]),
        seed=data["seed"],
        start=Timestamp.parse(data["start"]),
        environment=data["environment"],
        flush_seconds=data["flushSeconds"],
        population_digest=data["populationDigest"],
        config=data["config"],
    )
    try:
        config = parse_config(header.config)
    except ValidationFailed as fault:
        path, text = next(iter(fault.fields.items()))
        raise JournalFault(1, f"config.{path}" if path else "config", text) from None
    return Journal(header, config, rest)


def _object(number: int, raw: bytes) -> dict[str, Any]:
    if len(raw) > LONGEST_LINE:
        raise JournalFault(number, "", f"has more than {LONGEST_LINE} bytes")
    if not raw:
        raise JournalFault(number, "", "the journal is empty" if number == 1 else "is missing")
    try:
        data = read_json(raw, most_values=_MOST_VALUES)
    except MalformedJson as fault:
        raise JournalFault(number, "", fault.message.replace("The body", "it")) from None
    if not isinstance(data, dict):
        raise JournalFault(number, "", "must be an object")
    return data


def _command(number: int, data: dict[str, Any]) -> Recorded:
    _check(number, data, _COMMAND, DEFAULTS)
    return Recorded(line=number, at=Timestamp.parse(data["at"]), data={**DEFAULTS, **data})


def _end(number: int, data: dict[str, Any], last: Timestamp, latest: int, count: int) -> Timestamp:
    _check(number, data, {END_MEMBER: _is_object}, {})
    _check(number, data[END_MEMBER], {"at": _is_instant, "commands": _is_count}, {}, f"{END_MEMBER}.")
    if data[END_MEMBER]["commands"] != count:
        said = data[END_MEMBER]["commands"]
        raise JournalFault(number, f"{END_MEMBER}.commands", f"is {said}, and there are {count}: lines are missing")
    at = Timestamp.parse(data[END_MEMBER]["at"])
    _within(number, f"{END_MEMBER}.at", at, last, latest)
    return at


def _in_order(recorded: Recorded, last: Timestamp, latest: int) -> Timestamp:
    """The time of a command, which is not before `last` and not before time was let pass."""
    for moment in map(Timestamp.parse, recorded.data["passed"]):  # type: ignore[arg-type] # it was checked
        _within(recorded.line, "passed", moment, last, latest)
        last = moment
    _within(recorded.line, "at", recorded.at, last, latest)
    return recorded.at


def _within(number: int, member: str, at: Timestamp, last: Timestamp, latest: int) -> None:
    if at < last:
        raise JournalFault(number, member, f"must not be before {last.wire}, the time before it")
    if at > latest:
        raise JournalFault(number, member, f"must be at most {MOST_DAYS} days after the start")


# -- members --------------------------------------------------------------------------------------------------------------

_Check = Callable[[Any], str | None]
"""What is wrong with a member; `None` where nothing is."""


def _check(
    number: int, data: Mapping[str, Any], members: Mapping[str, _Check], defaults: Mapping[str, Json], within: str = ""
) -> None:
    for name in data:
        if name not in members:
            raise JournalFault(number, f"{within}{name}", "does not belong in this line")
    for name, check in members.items():
        if name in data:
            wrong = check(data[name])
            if wrong is not None:
                raise JournalFault(number, f"{within}{name}", wrong)
        elif name not in defaults:
            raise JournalFault(number, f"{within}{name}", "is missing")


def _text(value: object) -> str:
    assert isinstance(value, str)  # noqa: S101 - it was checked
    return value


def _is_text(value: object) -> str | None:
    return None if isinstance(value, str) else "must be a string"


def _is_text_or_null(value: object) -> str | None:
    return None if value is None or isinstance(value, str) else "must be a string or null"


def _is_bool(value: object) -> str | None:
    return None if isinstance(value, bool) else "must be true or false"


def _is_count(value: object) -> str | None:
    return None if type(value) is int and value >= 0 else "must be an integer of at least 0"


def _is_object(value: object) -> str | None:
    return None if isinstance(value, dict) else "must be an object"


def _is_texts(value: object) -> str | None:
    if isinstance(value, dict) and all(isinstance(text, str) for text in value.values()):
        return None
    return "must be an object with strings"


def _is_instant(value: object) -> str | None:
    if not isinstance(value, str):
        return "must be a timestamp"
    try:
        Timestamp.parse(value)
    except ValueError as fault:
        return str(fault)
    return None


def _is_environment(value: object) -> str | None:
    return None if value in ENVIRONMENTS else "must be test or live"


def _is_seed_of_world(value: object) -> str | None:
    try:
        require_seed(value)
    except (TypeError, ValueError) as fault:
        return str(fault)
    return None


def _is_flush_seconds(value: object) -> str | None:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST_FLUSH_SECONDS:
        return None
    return f"must be a number from 0 to {MOST_FLUSH_SECONDS}"


def _is_instants(value: object) -> str | None:
    if isinstance(value, list) and all(_is_instant(instant) is None for instant in value):
        return None
    return "must be a list of timestamps"


def _is_drawn(value: object) -> str | None:
    if isinstance(value, str) and _DRAWN.fullmatch(value):
        return None
    return f"must be at most {_SEED_DIGITS} hexadecimal digits, an even number of them"


def _is_status(value: object) -> str | None:
    return None if type(value) is int and value in _STATUSES else "must be a status of HTTP"


def _is_anything(_: object) -> str | None:
    return None


_HEADER: Final[Mapping[str, _Check]] = {
    FORMAT_MEMBER: _is_count,
    "version": _is_text,
    "seed": _is_seed_of_world,
    "start": _is_instant,
    "environment": _is_environment,
    "flushSeconds": _is_flush_seconds,
    "populationDigest": _is_text_or_null,
    "config": _is_object,
}
_COMMAND: Final[Mapping[str, _Check]] = {
    "at": _is_instant,
    "seed": _is_drawn,
    "passed": _is_instants,
    "operation": _is_text,
    "environment": _is_text,
    "places": _is_texts,
    "query": _is_texts,
    "headers": _is_texts,
    "member": _is_text_or_null,
    "proves": _is_bool,
    "arguments": _is_anything,
    "status": _is_status,
    "answer": _is_anything,
}
