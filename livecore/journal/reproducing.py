"""Plays a journal again in a world like the one that it was recorded in, as far as every answer is the recorded one."""

from __future__ import annotations

import json
from collections.abc import Callable

from livecore.api.configuration.game_config import GameConfig
from livecore.journal.differences import differences
from livecore.journal.lines import Header
from livecore.journal.reading import Journal, Recorded
from livecore.kernel.errors import Json, JsonObject, ValidationFailed
from livecore.kernel.values import keyword_value
from livecore.world import Emitted, Playback, World


@keyword_value
class FirstDifference:
    """The first command that is answered otherwise than it was."""

    recorded: Recorded
    status: int
    """The status now; 0 where it could not be asked."""
    answer: Json
    """The body of the answer now."""

    def lines(self) -> list[str]:
        """For people."""
        recorded = self.recorded
        first = f"line {recorded.line}, {recorded.at.wire}: {recorded.operation} by {recorded.caller}"
        found = [] if self.status == recorded.status else [f"status: {recorded.status} → {self.status}"]
        return [first, *(f"  {line}" for line in [*found, *differences(recorded.answer, self.answer)])]

    def json(self) -> JsonObject:
        """For scripts."""
        recorded = self.recorded
        return {
            "line": recorded.line,
            "at": recorded.at.wire,
            "operation": recorded.operation,
            "caller": recorded.caller,
            "recorded": {"status": recorded.status, "answer": recorded.answer},
            "now": {"status": self.status, "answer": self.answer},
            "differences": [*differences(recorded.answer, self.answer)],
        }


@keyword_value
class Reproduced:
    """How far a journal was reproduced."""

    commands: int
    """How many were played, the one that differs included."""
    difference: FirstDifference | None


def world_of(header: Header, config: GameConfig, on_event: Callable[[Emitted], None] | None = None) -> World:
    """A world to play a journal in."""
    return World(
        config,
        seed=header.seed,
        start=header.start,
        environment=header.environment,
        keep_events=False,
        on_event=on_event,
        flush_seconds=header.flush_seconds,
    )


def answered(playback: Playback, recorded: Recorded, data: JsonObject | None = None) -> tuple[int, Json]:
    """Play a command, or `data` in place of its own; returns status and body.

    The status is 0 where it cannot be asked: there is no such operation, or nobody can have this address.
    """
    try:
        response = playback.play(recorded.data if data is None else data)
    except LookupError as fault:
        return 0, {"error": {"code": "operation_unknown", "message": str(fault)}}
    except ValidationFailed as fault:
        return 0, {"error": {"code": "member_unknown", "message": fault.message}}
    return response.status, _body(response.body)


def _body(raw: bytes) -> Json:
    try:
        body: Json = json.loads(raw)
    except ValueError:
        return raw.decode("utf-8", "replace")
    return body


def reproduce(journal: Journal, told: Callable[[], object] = lambda: None) -> Reproduced:
    """Play a journal again, to its first difference; `told` is called after each command. Raises `JournalFault`."""
    playback = Playback(world_of(journal.header, journal.config))
    count = 0
    for count, recorded in enumerate(journal.commands(), 1):
        status, answer = answered(playback, recorded)
        if status != recorded.status or answer != recorded.answer:
            return Reproduced(
                commands=count, difference=FirstDifference(recorded=recorded, status=status, answer=answer)
            )
        told()
    return Reproduced(commands=count, difference=None)
