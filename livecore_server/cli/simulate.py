"""`livecore simulate`: play a season of a configuration before players do, and say what would happen."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Final

import attrs
import click

from livecore.api.areas import AREAS
from livecore.api.configuration.game_config import load_config
from livecore.kernel.errors import ValidationFailed
from livecore.kernel.time import Timestamp
from livecore.simulation.data_files import tables_of
from livecore.simulation.figures import figure_names
from livecore.simulation.gates import Gate, check_gates, read_gate
from livecore.simulation.outcome import About, Outcome
from livecore.simulation.report import page_of
from livecore.simulation.run import Plan, population_of
from livecore.simulation.summary import lines_of, summary_of
from livecore.simulation.zones import zones_version
from livecore.version import VERSION
from livecore.world.game import START
from livecore_server.cli.configurations import CONFIG_FILE, load_named, named_fault, read_text
from livecore_server.cli.moments import parse_moment
from livecore_server.cli.progress import progress
from livecore_server.operations.simulating import run_all

_MOST_PLAYERS: Final = 1_000_000
_MOST_DAYS: Final = 3_650
_MOST_REPLICAS: Final = 1_000
_MOST_SEED: Final = 2**63 - 1
_STARTS: Final = (Timestamp.parse("1970-01-01T00:00:00.000Z"), Timestamp.parse("9000-01-01T00:00:00.000Z"))
"""Between these instants every time zone has dates, also for the days after the start."""
_STDOUT: Final = Path("-")
_OUTPUT: Final = click.Path(path_type=Path, dir_okay=False, allow_dash=True)


@click.command()
@click.argument("config", type=CONFIG_FILE, metavar="FILE")
@click.option("--players", type=click.IntRange(1, _MOST_PLAYERS), default=500, show_default=True, help="How many play.")
@click.option(
    "--days", type=click.IntRange(1, _MOST_DAYS), default=30, show_default=True, help="How many days they play."
)
@click.option(
    "--seed",
    type=click.IntRange(0, _MOST_SEED),
    default=1,
    show_default=True,
    help="The same seed gives the same season.",
)
@click.option(
    "--start", metavar="TIME", default=START.wire, show_default=True, help="The virtual time of the first day."
)
@click.option("--behaviour", type=CONFIG_FILE, metavar="FILE", help="Who plays: behaviours with their shares, as JSON.")
@click.option(
    "--replicas",
    type=click.IntRange(1, _MOST_REPLICAS),
    default=1,
    show_default=True,
    help="Play so many seasons, with this seed and those after it; figures are their means, with their ranges.",
)
@click.option(
    "--against",
    type=CONFIG_FILE,
    metavar="OTHER",
    help="Let the same players play this one too, and say what it would change.",
)
@click.option("--report", type=_OUTPUT, metavar="FILE", help="Write the report: one page of HTML.")
@click.option(
    "--json", "json_file", type=_OUTPUT, metavar="FILE", help="Write all figures as JSON; - is standard output."
)
@click.option("--summary", type=_OUTPUT, metavar="FILE", help="Write a summary in Markdown, as for a pull request.")
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write the data of the first season into this folder: run.json and tables as CSV.",
)
@click.option(
    "--record",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write a journal of the first season for livecore replay; compressed if FILE ends with .gz.",
)
@click.option(
    "--fail-if",
    "conditions",
    metavar="EXPRESSION",
    multiple=True,
    help="End with status 1 if a figure is so, such as 'economy.gold.inflation > 0.02'; may be given several times.",
)
def simulate(
    *,
    config: Path,
    players: int,
    days: int,
    seed: int,
    start: str,
    behaviour: Path | None,
    replicas: int,
    against: Path | None,
    report: Path | None,
    json_file: Path | None,
    summary: Path | None,
    data: Path | None,
    record: Path | None,
    conditions: tuple[str, ...],
) -> int:
    """Let virtual players play a season of the configuration in FILE, under the server's own rules.

    Ends with status 0, with 1 if a condition of --fail-if is met, and with 2 for a wrong call.
    """
    _require_places({"--report": report, "--json": json_file, "--summary": summary}, data)
    with _misuse():
        gates = [read_gate(condition) for condition in conditions]
        plans, others = _plans(config, against, behaviour, _start(start), (players, days, seed, replicas))
        names = figure_names(load_config(plans[0].config))
        check_gates(gates, names, [refusal.code for refusal in AREAS.refusals], days)
        _check_record(record, (config, against, behaviour))
    outcome = _play(plans, others, gates, record)
    _write(outcome, report=report, json_file=json_file, summary=summary, data=data)
    if _STDOUT not in (report, json_file, summary):
        click.echo("\n".join(lines_of(outcome)))
    return int(any(verdict.met for verdict in outcome.verdicts()))


@contextmanager
def _misuse() -> Iterator[None]:
    """Status 1 says that a gate was met, so a file that is not valid ends with 2."""
    try:
        yield
    except ValidationFailed as fault:
        text = "; ".join(f"{path}: {message}" for path, message in fault.fields.items())
        raise click.UsageError(text) from None


@contextmanager
def _of_file(path: Path | None) -> Iterator[None]:
    """Faults of a population name its file. Raises `ValidationFailed`."""
    try:
        yield
    except ValidationFailed as fault:
        raise (fault if path is None else named_fault(path, fault)) from None


def _start(text: str) -> Timestamp:
    try:
        start = Timestamp(parse_moment(text, START))
    except ValueError as fault:
        raise click.UsageError(f"--start: {fault}") from None
    least, most = _STARTS
    if not least <= start <= most:
        raise click.UsageError(f"--start: must be from {least.wire} to {most.wire}")
    return start


def _require_places(files: Mapping[str, Path | None], data: Path | None) -> None:
    """Check that everything can be written, before anything is played. Raises `click.UsageError`."""
    if list(files.values()).count(_STDOUT) > 1:
        raise click.UsageError("only one of --report, --json and --summary can be -")
    for option, path in files.items():
        if path is not None and path != _STDOUT and not path.parent.is_dir():
            raise click.UsageError(f"{option}: there is no folder {path.parent}")
    if data is not None:
        try:
            data.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise click.UsageError(f"--data: {fault}") from None


def _plans(
    config: Path, against: Path | None, behaviour: Path | None, start: Timestamp, size: tuple[int, int, int, int]
) -> tuple[list[Plan], list[Plan]]:
    """The runs of the configuration, and those of the other one with the same population. Raises `ValidationFailed`."""
    players, days, seed, replicas = size
    population = None if behaviour is None else read_text(behaviour)
    plans: list[list[Plan]] = []
    for path in (config, against):
        if path is None:
            plans.append([])
            continue
        text = read_text(path)
        load_named(path, text)
        first = Plan(text, population, players, days, seed, start, usual_of=plans[0][0].config if plans else None)
        with _of_file(behaviour):
            population_of(first)
        plans.append([attrs.evolve(first, seed=seed + number) for number in range(replicas)])
    return plans[0], plans[1]


def _check_record(record: Path | None, read: Sequence[Path | None]) -> None:
    """A journal must not take the place of what is played. Raises `click.UsageError`."""
    if record is None:
        return
    if any(path is not None and path.resolve() == record.resolve() for path in read):
        raise click.UsageError(f"--record: {record} is what is played: give the journal a name of its own")
    if not record.parent.is_dir():
        raise click.UsageError(f"--record: there is no folder {record.parent}")


def _play(plans: Sequence[Plan], others: Sequence[Plan], gates: Sequence[Gate], record: Path | None = None) -> Outcome:
    idle = [attrs.evolve(plans[0], idle=True)] if others else []
    every = [*plans, *others, *idle]
    first = plans[0]
    with progress("Playing", 24 * first.days * len(every)) as advance:
        runs = run_all(every, advance, record)
    about = About(
        version=VERSION,
        time_zones=zones_version() or "of the system",
        seeds=tuple(plan.seed for plan in plans),
        players=first.players,
        days=first.days,
        start=first.start.wire,
        config_digest=_digest(first.config),
        population_digest=_digest(first.population or ""),
        other_digest=_digest(others[0].config) if others else None,
    )
    return Outcome(
        about=about,
        config=load_config(first.config),
        runs=runs[: len(plans)],
        gates=gates,
        other_config=load_config(others[0].config) if others else None,
        others=runs[len(plans) : len(plans) + len(others)],
        idle=runs[-1] if idle else None,
    )


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _write(
    outcome: Outcome, *, report: Path | None, json_file: Path | None, summary: Path | None, data: Path | None
) -> None:
    """Write all that is asked for. Every text is made before the first is written."""
    written = json.dumps(outcome.json(), indent=2) + "\n"
    texts = {
        path: make(outcome)
        for path, make in ((report, page_of), (summary, summary_of), (json_file, lambda _: written))
        if path is not None
    }
    if data is not None:
        texts |= {data / name: text for name, text in {"run.json": written, **tables_of(outcome.runs[0])}.items()}
    for path, text in texts.items():
        _write_file(path, text)


def _write_file(path: Path, text: str) -> None:
    """Write a file whole or not at all; a pipe or a device as it comes."""
    if path == _STDOUT or (path.exists() and not path.is_file()):
        with click.open_file(str(path), "w", encoding="utf-8") as file:
            file.write(text)
        return
    target = path.resolve()
    part = target.with_name(f".{target.name}.part")
    try:
        part.write_text(text, "utf-8", newline="\n")
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
