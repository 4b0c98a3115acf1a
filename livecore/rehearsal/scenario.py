"""The scenario of a rehearsal: which steps, how often, with which kinds of events.

Every part has a default, and the empty scenario `{}` is the one that is built in. A scenario's file is JSON:

    {"steps": [{"step": "concurrent_duplicates", "times": 20}], "events": ["gift.claimed"]}
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import Annotated, Final, Literal, TypeAlias, cast, get_args

from livecore.api.areas import AREAS
from livecore.kernel.errors import Json, JsonObject, ValidationFailed
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire import decode
from livecore.kernel.wire.config_text import named_twice, read_text
from livecore.kernel.wire.schema import DIALECT, Schemas
from livecore.kernel.wire.shapes import ExternalPlayerId, Int, Items
from livecore.webhooks.outcome import TIMEOUT_SECONDS

StepName: TypeAlias = Literal[
    "deliver",
    "duplicates",
    "concurrent_duplicates",
    "disorder",
    "late",
    "retry_after_timeout",
    "unknown_events",
    "unknown_members",
    "large_bodies",
    "samples",
    "rotation",
    "wrong_signatures",
    "wrong_times",
]
"""The steps, in the order of the scenario that is built in."""
STEPS: Final[tuple[StepName, ...]] = get_args(StepName)


@shape
class ScenarioStep:
    """One step, made `times` times. By default `concurrent_duplicates` is made three times and every other step once."""

    step: StepName
    times: Annotated[int, Int(1, 100)] | None = None


@shape
class Scenario:
    """A rehearsal: its steps in their order, and what its deliveries are about.

    `events` are the kinds of events that are sent, by default those that the players of the rehearsal cause. Events of
    kinds that they do not cause have placeholders as values, like samples. `players` are the external ids of these two
    players, by default new ones. `copies` is how many deliveries of one event are sent at the same moment, `largeBytes`
    the size of a large body. `timeoutSeconds` is how long an answer may take; the service waits for ten seconds.
    """

    steps: Annotated[tuple[ScenarioStep, ...], Items(1, 100)] = tuple(ScenarioStep(step=name) for name in STEPS)
    events: Annotated[tuple[str, ...], Items(1, 200, unique=True)] | None = None
    players: Annotated[tuple[ExternalPlayerId, ...], Items(2, 2, unique=True)] | None = None
    copies: Annotated[int, Int(2, 16)] = 2
    large_bytes: Annotated[int, Int(1_000, 1_000_000)] = 65_536
    timeout_seconds: Annotated[int, Int(1, TIMEOUT_SECONDS)] = TIMEOUT_SECONDS


def parse_scenario(data: Json) -> Scenario:
    """The scenario of a file's JSON. Raises `ValidationFailed` with the path of each fault."""
    if not isinstance(data, dict):
        raise ValidationFailed({"": "must be an object"})
    # Editors add the schema's address.
    scenario = decode(Scenario, {name: member for name, member in data.items() if name != "$schema"})
    faults = {
        f"events[{place}]": _no_kind(kind)
        for place, kind in enumerate(scenario.events or ())
        if kind not in AREAS.events
    }
    if faults:
        raise ValidationFailed(faults)
    return scenario


def load_scenario(text: str) -> Scenario:
    """The scenario of a file's text. Raises `ValidationFailed`."""
    data = read_text(text)
    if twice := named_twice(data):
        raise ValidationFailed(twice)
    return parse_scenario(data)


def scenario_schema() -> JsonObject:
    """The JSON Schema of a scenario's file."""
    schemas = Schemas(closed=True)
    schema = schemas.members(Scenario)
    properties = cast("JsonObject", schema["properties"])
    kinds = cast("JsonObject", properties["events"])
    kinds["items"] = {"type": "string", "enum": [*sorted(AREAS.events)]}
    properties["$schema"] = {"type": "string"}
    return {
        "$schema": DIALECT,
        "title": "Livecore rehearsal scenario",
        **schema,
        "$defs": cast("Json", schemas.definitions),
    }


def _no_kind(kind: str) -> str:
    meant = get_close_matches(kind, AREAS.events, n=1)
    return f"{kind!r} is no kind of event" + (f"; is {meant[0]} meant?" if meant else "")
