"""A sequence for which a law fails, as a script that needs nothing but `livecore`: to be run alone and sent to others.

The sequence is played again in two `World`s, before the same law, and made smaller: whatever can be left out while the law
still fails is left out. What is left is written as calls by name. The script ends with an `AssertionError` as long as the
last answers are those to which the law objected.

Not everything can be done in a World alone. A sequence that only fails with keys that have successors, with operators, or
over another store is written as a program that plays it in this repository.
"""

from __future__ import annotations

import json
import os
import re
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, Final

import attrs

from livecore.kernel.scope import Scope, scope_of
from livecore.kernel.storage.memory import MemoryReader
from livecore.kernel.time import wire_time
from tests.laws.arena import START, Happened
from tests.laws.counterexample_scripts import COMPARED, OWN, Line, SwitchedTo, WaitedFor, script_of
from tests.laws.games import Place
from tests.laws.playing import Answered, Asked, Counterexample, Play, script
from tests.laws.steps import Call, RotateKey, Step
from tests.laws.worlds import Worlds

FOLDER: Final = "LIVECORE_COUNTEREXAMPLES"
"""The environment variable that names another folder than `.counterexamples`."""
_ROOT: Final = Path(__file__).parents[2]
_MOST_PLAYS: Final = 80
"""So often a sequence is played to make it smaller."""


# -- playing it in worlds -------------------------------------------------------------------------------------------------


class _Stores:
    """The rows of both worlds, as the laws read them."""

    def __init__(self, worlds: Worlds) -> None:
        self._worlds = worlds.worlds

    def dump(self) -> dict[str, dict[str, list[Any]]]:
        """Every row of every scope of a game."""
        return {
            scope: rows
            for world in self._worlds
            for scope, rows in world.store.dump().items()
            if scope in {one.id for one in world.scopes}
        }

    def reader(self, scope: Scope) -> MemoryReader:
        """The rows of a scope."""
        (store,) = (world.store for world in self._worlds if scope in world.scopes)
        return store.reader(scope)


class _RecordedWorlds(Worlds):
    """Keeps what is done."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[Line] = []
        self.store = _Stores(self)  # type: ignore[assignment] # what the laws read of a store

    def scope(self, place: Place) -> Scope:
        """The service's own name for a place."""
        return scope_of(self.worlds[place.game].game.game_id, place.environment)

    def switch_gifting(self, number: int, *, enabled: bool) -> None:
        """Switch it, and keep that."""
        self.lines.append(SwitchedTo(number, enabled))
        super().switch_gifting(number, enabled=enabled)

    def advance(self, milliseconds: int) -> list[Happened]:
        """Let time pass, and keep that."""
        self.lines.append(WaitedFor(milliseconds))
        return super().advance(milliseconds)


class _RecordedPlay(Play):
    """Keeps every request, also what a law asks beside the sequence; and where the last step began."""

    def __init__(self, worlds: _RecordedWorlds, laws: Sequence[type]) -> None:
        super().__init__(worlds, [law() for law in laws])
        self.lines = worlds.lines
        self.begun = 0
        self.looks: set[int] = set()
        """Which of the lines only look, for the law."""
        self.failure: AssertionError | None = None

    def run(self, steps: Sequence[Step]) -> None:  # type: ignore[override] # is narrower
        """Play, and keep the failure."""
        try:
            for step in steps:
                self.taken += 1
                self.begun = len(self.lines)
                self.step(step)
            self.begun = len(self.lines)
            for witness in self.witnesses:
                witness.ended(self)
        except AssertionError as failure:
            self.failure = failure

    def send(self, asked: Asked) -> Answered:
        """Send a request, and keep it."""
        self.lines.append(self._with_own_secret(asked))
        return super().send(asked)

    def probe(self, asked: Asked) -> Answered:
        """Send a request beside the sequence, and keep it."""
        if asked.request.method == "GET":
            self.looks.add(len(self.lines))
        self.lines.append(self._with_own_secret(asked))
        return super().probe(asked)

    def _with_own_secret(self, asked: Asked) -> Asked:
        """The script finds a player's newest secret itself."""
        known = self.books[asked.place].secrets[asked.player]
        return attrs.evolve(asked, secret=OWN) if asked.secret == (known[-1] if known else None) else asked


def _failed(steps: Sequence[Step], laws: Sequence[type]) -> _RecordedPlay | None:
    """The sequence as it was played in worlds, if the law fails there as well."""
    run = _RecordedPlay(_RecordedWorlds(), laws)
    try:
        run.run(steps)
    except Exception:  # noqa: BLE001 - what a law looks at may not be there in a world
        return None
    return None if run.failure is None else run


def _reduced(failed: _RecordedPlay, steps: Sequence[Step], laws: Sequence[type]) -> tuple[_RecordedPlay, list[Step]]:
    """Leave steps out, half of them and ever fewer at once, while the law fails."""
    kept, plays = list(steps[: failed.taken]), 0
    size = max(1, len(kept) // 2)
    while plays < _MOST_PLAYS:
        at, before = 0, len(kept)
        while at < len(kept) and plays < _MOST_PLAYS:
            fewer = kept[:at] + kept[at + size :]
            plays += 1
            again = _failed(fewer, laws)
            if again is None:
                at += size
            else:
                failed, kept = again, fewer[: again.taken]
        if size == 1 and len(kept) == before:
            break
        size = max(1, size // 2)
    return failed, kept


# -- writing it -----------------------------------------------------------------------------------------------------------


def counterexamples_in(failure: BaseException) -> Iterator[tuple[BaseException, Counterexample]]:
    """Each failure of a law in what was raised; Hypothesis raises several at once as a group."""
    if isinstance(failure, BaseExceptionGroup):
        for one in failure.exceptions:
            yield from counterexamples_in(one)
    found = vars(failure).get("counterexample")
    if isinstance(found, Counterexample):
        yield failure, found


def write_counterexample(failure: BaseException, found: Counterexample, folder: Path | None = None) -> Path:
    """Write a counterexample; returns where it is."""
    folder = folder or Path(os.environ.get(FOLDER, _ROOT / ".counterexamples"))
    folder.mkdir(parents=True, exist_ok=True)
    names = "-".join(law.__name__ for law in found.laws) or "sequence"
    file = folder / (re.sub("(?<=[a-z])(?=[A-Z])", "_", names).lower() + ".py")
    file.write_text(_text(failure, found), "utf-8")
    return file


def _text(failure: BaseException, found: Counterexample) -> str:
    steps = [step for step in found.steps if not _is_beyond(step)]
    failed = _failed(steps, found.laws)
    if failed is not None:
        failed, steps = _reduced(failed, steps, found.laws)
        assert failed.failure is not None
        about = _about(failed.failure, found)
        written = _written(failed, _about(failed.failure, found))
        if written is not None:
            return written
    about = f'"""{_about(failure, found)}\n\nIt needs this repository."""'
    return f"{about}\n\n{script(found.steps, [law() for law in found.laws])}\n"


def _is_beyond(step: Step) -> bool:
    """Whether the step cannot be done by a call in a World."""
    return isinstance(step, RotateKey) or (isinstance(step, Call) and step.name.startswith("admin:"))


def _about(failure: BaseException, found: Counterexample) -> str:
    names = " and ".join(law.__name__ for law in found.laws)
    frame = traceback.extract_tb(failure.__traceback__)[-1]
    file = Path(frame.filename)
    where = file.relative_to(_ROOT) if file.is_relative_to(_ROOT) else file.name
    objected = f"It was objected to in {where}, line {frame.lineno}:\n\n    {frame.line}"
    return f"A counterexample to the law {names}.\n\n{objected}".replace("\\", "/").replace('"""', "'''")


def _written(failed: _RecordedPlay, about: str) -> str | None:
    """The script, if it does what was played: it is run to see the answers, and again to see that it fails.

    At what laws have only looked before the last step is left out, where that changes no other answer.
    """
    tokens = {token: name for world in Worlds().worlds for name, token in world.all_keys.items()}
    kept = [at for at in range(len(failed.lines)) if at not in failed.looks or at >= failed.begun]
    whole = script_of(failed.lines, tokens, wire_time(START), about)
    short = script_of([failed.lines[at] for at in kept], tokens, wire_time(START), about)
    try:
        seen, seen_in_short = _run(whole)["seen"], _run(short)["seen"]
    except (TypeError, ValueError, LookupError):
        return None
    program = short if seen_in_short == [seen[at] for at in kept] else whole
    count = max(1, min(len(failed.lines) - failed.begun, COMPARED))
    written = f"{program}\nFAULTY = json.loads(r'''\n{json.dumps(seen[-count:], indent=2)}\n''')\nshow(FAULTY)\n"
    try:
        _run(written)
    except AssertionError:
        return written
    return None


def _run(program: str) -> dict[str, Any]:
    """What a program has in its variables in the end."""
    variables: dict[str, Any] = {}
    with warnings.catch_warnings(), redirect_stdout(StringIO()):
        exec(program, variables)  # noqa: S102 - the program that was just made
    return variables
