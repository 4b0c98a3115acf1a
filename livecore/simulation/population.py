"""Who plays a season: behaviours with their shares, and what the studio's backend does beside them, read from a file.

    {"behaviours": [
        {"name": "casual", "share": 0.8},
        {"name": "night-owl", "like": "core", "share": 0.2, "sessionsPerDay": 3, "timeZones": {"Europe/Helsinki": 1}}
    ]}

What a behaviour leaves out is that of the preset with its name, of the preset that `like` names, or of `casual`. Everything
here is an assumption: a report marks each figure that follows from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Final, Literal, TypeAlias, cast, get_args

import attrs

from livecore.api.configuration.game_config import GameConfig
from livecore.commerce.rows import Currency, MinorAmount, ProductId
from livecore.economy.entries import faults_of_entries
from livecore.economy.rows import Entries, RewardEntry
from livecore.kernel.errors import Json, JsonObject, ValidationFailed
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.config import Config, ConfigReader, Fault, Name, section
from livecore.kernel.wire.schema import DIALECT, Schemas
from livecore.kernel.wire.shapes import Amount, Int, Items, Key, Members, Text
from livecore.simulation.presets import PRESETS, SHARES
from livecore.simulation.traits import Activities, Traits
from livecore.simulation.zones import UnknownZone, zone

Preset: TypeAlias = Literal["casual", "core", "collector", "competitor", "spender", "griefer", "lapsed"]
BehaviourName = Annotated[str, Text(1, 64, r"[a-z0-9_.-]+", "must be 1 to 64 characters of a-z, 0-9, '_', '.' and '-'")]
Label = Annotated[str, Text(1, 64, r"[a-z0-9_.-]+", "must be 1 to 64 characters of a-z, 0-9, '_', '.' and '-'")]
SHARE_TOLERANCE: Final = 0.001
"""By how much the sum of the shares may differ from 1."""


@shape
class Arrival:
    """When the players of a behaviour come: a part `atStart`, the others over the days after it."""

    at_start: float = 0.5
    over_days: Annotated[int, Int(1, 3_650)] = 14


@shape
class Inclinations:
    """How inclined a behaviour is to each part of the game, from 0 (never) to 1 (whenever it can)."""

    events: float | None = None
    guilds: float | None = None
    lobbies: float | None = None
    teams: float | None = None
    crates: float | None = None


@shape
class BehaviourShape:
    """A kind of player: its part of the players, and what such a player does in a day, on the mean.

    What is left out is that of the preset with this name, or of the one that `like` names, or of `casual`. `churnPerDay` is
    the chance to leave on a day, `returnPerDay` the chance that one who has left comes back on a day. `friendliness`,
    `generosity`, `skill` and `griefing` go from 0 to 1. `spendPerDay` is in US dollars. `hours` weighs the 24 hours of the
    local day, `weekdays` the seven days from Monday on.
    """

    name: BehaviourName
    share: float
    like: Preset | None = None
    sessions_per_day: float | None = None
    session_minutes: float | None = None
    churn_per_day: float | None = None
    return_per_day: float | None = None
    friendliness: float | None = None
    generosity: float | None = None
    skill: float | None = None
    spend_per_day: float | None = None
    griefing: float | None = None
    time_zones: Annotated[dict[str, float], Members(1, 500)] | None = None
    weekdays: Annotated[tuple[float, ...], Items(7, 7)] | None = None
    hours: Annotated[tuple[float, ...], Items(24, 24)] | None = None
    arrival: Arrival | None = None
    activities: Inclinations | None = None

    example: ClassVar = {"name": "casual", "share": 1.0}


@shape
class DailyGrant:
    """What the studio's backend grants each player with the first session of a UTC day."""

    label: Label
    entries: Annotated[tuple[RewardEntry, ...], Items(1, 50)]


@shape
class ShopOffer:
    """What players pay for in the game: the client takes the cost from the wallet.

    `perSession` is how often a player who can pay does so in a session, on the mean.
    """

    label: Label
    resource_key: Key
    cost: Amount
    per_session: float = 0.2


@shape
class Product:
    """What players pay money for, and what the studio's backend grants for it."""

    id: ProductId
    amount_minor: MinorAmount
    currency: Currency = "USD"
    entries: Entries = ()
    weight: float = 1.0


@shape
class BackendPart:
    """The part of the studio's backend, as an assumption."""

    daily: Annotated[tuple[DailyGrant, ...], Items(0, 50)] = ()


@section
class Population(Config):
    """Who plays a simulated season, and what the studio's backend gives and sells beside the game's own rules."""

    name: Name = "Untitled population"
    behaviours: Annotated[tuple[BehaviourShape, ...], Items(1, 100)]
    backend: BackendPart = BackendPart()
    shop: Annotated[tuple[ShopOffer, ...], Items(0, 100)] = ()
    products: Annotated[tuple[Product, ...], Items(0, 200)] = ()
    scores: Annotated[dict[str, Amount], Members(1, 500)] | None = None
    """By event: what a player of middling skill scores in an attempt; where it is left out, the middle threshold."""

    def traits(self) -> dict[str, Traits]:
        """What each behaviour is like, by name, in the order of the file."""
        return {behaviour.name: _traits_of(behaviour) for behaviour in self.behaviours}


# -- what a behaviour is like ---------------------------------------------------------------------------------------------

_TAKEN: Final = (
    "sessions_per_day", "session_minutes", "churn_per_day", "return_per_day", "friendliness", "generosity", "skill",
    "spend_per_day", "griefing", "time_zones", "weekdays", "hours",
)  # fmt: skip


def _traits_of(behaviour: BehaviourShape) -> Traits:
    like = behaviour.like or (behaviour.name if behaviour.name in PRESETS else "casual")
    given = {name: value for name in _TAKEN if (value := getattr(behaviour, name)) is not None}
    traits = PRESETS[like].evolved(**given)
    if behaviour.arrival is not None:
        traits = traits.evolved(at_start=behaviour.arrival.at_start, over_days=behaviour.arrival.over_days)
    if behaviour.activities is not None:
        names = [field.name for field in attrs.fields(Activities)]
        asked = {name: value for name in names if (value := getattr(behaviour.activities, name)) is not None}
        traits = traits.evolved(activities=attrs.evolve(traits.activities, **asked))
    return traits


# -- limits ---------------------------------------------------------------------------------------------------------------

_ONE: Final = (0.0, 1.0)
_WEIGHT: Final = (0.0, 1_000_000.0)
_RANGES: Final[Mapping[type, Mapping[str, tuple[float, float]]]] = {
    BehaviourShape: {
        "share": _ONE,
        "sessions_per_day": (0.0, 100.0),
        "session_minutes": (0.1, 1_440.0),
        "churn_per_day": _ONE,
        "return_per_day": _ONE,
        "friendliness": _ONE,
        "generosity": _ONE,
        "skill": _ONE,
        "spend_per_day": (0.0, 100_000.0),
        "griefing": _ONE,
        "time_zones": _WEIGHT,
        "weekdays": _WEIGHT,
        "hours": _WEIGHT,
    },
    Arrival: {"at_start": _ONE},
    Inclinations: {field.name: _ONE for field in attrs.fields(Activities)},
    ShopOffer: {"per_session": (0.0, 100.0)},
    Product: {"weight": _WEIGHT},
}
"""The least and the largest value of each number, by shape and field; the schema and the faults come from here."""


def _out_of_range(shown: object, path: str) -> Iterator[Fault]:
    for name, (least, most) in _RANGES[type(shown)].items():
        value, wire = getattr(shown, name), _camel(name)
        if isinstance(value, dict):
            numbers = {f"{path}.{wire}.{key}": number for key, number in value.items()}
        elif isinstance(value, tuple):
            numbers = {f"{path}.{wire}[{place}]": number for place, number in enumerate(value)}
        else:
            numbers = {} if value is None else {f"{path}.{wire}": value}
        for where, number in numbers.items():
            if not least <= number <= most:
                yield where, f"must be a number from {least:g} to {most:g}"
        if len(numbers) > 1 and not any(numbers.values()):
            yield f"{path}.{wire}", "must have a weight above 0"


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def _faults_of(population: Population) -> Iterator[Fault]:
    seen: set[str] = set()
    for place, behaviour in enumerate(population.behaviours):
        path = f"behaviours[{place}]"
        if behaviour.name in seen:
            yield f"{path}.name", "is declared twice"
        seen.add(behaviour.name)
        yield from _out_of_range(behaviour, path)
        for part, kind in (("arrival", behaviour.arrival), ("activities", behaviour.activities)):
            if kind is not None:
                yield from _out_of_range(kind, f"{path}.{part}")
        yield from _faults_of_zones(behaviour, f"{path}.timeZones")
    for place, offer in enumerate(population.shop):
        yield from _out_of_range(offer, f"shop[{place}]")
    for place, product in enumerate(population.products):
        yield from _out_of_range(product, f"products[{place}]")
    total = sum(behaviour.share for behaviour in population.behaviours)
    if abs(total - 1) > SHARE_TOLERANCE:
        yield (
            "behaviours",
            f"have shares that must sum to 1 (by {SHARE_TOLERANCE} at most they may differ), not {total:g}",
        )


def _faults_of_zones(behaviour: BehaviourShape, path: str) -> Iterator[Fault]:
    for name in behaviour.time_zones or {}:
        try:
            zone(name)
        except UnknownZone:
            yield f"{path}.{name}", "must be a time zone of the IANA database, such as Europe/Berlin"


_READER: Final = ConfigReader(Population, faults=(_faults_of,))


# -- reading --------------------------------------------------------------------------------------------------------------


def parse_population(data: Json) -> Population:
    """Read a population from JSON data; the member `$schema`, which editors add, is ignored.

    Raises `ValidationFailed`, whose `details.fields` maps the path of each fault to what is wrong, all of them at once.
    """
    return _READER.parse(data)


def load_population(text: str) -> Population:
    """Read a population from the text of its file; see `parse_population`."""
    return _READER.load(text)


def require_fit(population: Population, config: GameConfig) -> None:
    """Check that the game has what the population's backend and shop are about.

    Raises `ValidationFailed` with the path of each resource that the configuration does not declare.
    """
    faults = dict(_unfit(population, config))
    if faults:
        raise ValidationFailed(faults)


def _unfit(population: Population, config: GameConfig) -> Iterator[Fault]:
    for place, grant in enumerate(population.backend.daily):
        yield from faults_of_entries(config, grant.entries, f"backend.daily[{place}].entries")
    for place, offer in enumerate(population.shop):
        if config.economy_key(offer.resource_key) is None:
            yield f"shop[{place}].resourceKey", "is not declared in the configuration's 'economy'"
        elif not config.platform_managed:
            yield f"shop[{place}]", "takes from a wallet that the studio manages itself: economyMode is not 'platform'"
    for key in population.scores or ():
        if config.event(key) is None:
            yield f"scores.{key}", "is not declared in the configuration's 'events'"
    for place, product in enumerate(population.products):
        yield from faults_of_entries(config, product.entries, f"products[{place}].entries")
        if product.currency != "USD" and product.currency not in config.exchange_rates:
            yield f"products[{place}].currency", "has no rate in the configuration's 'exchangeRates'"


def population_schema() -> JsonObject:
    """The JSON Schema of a population's file.

    A schema cannot say that the shares sum to 1, and that a time zone exists; loading a file checks it.
    """
    schemas = Schemas(closed=True)
    schema = schemas.members(Population)
    for kind, ranges in _RANGES.items():
        members = cast("dict[str, JsonObject]", schemas.definitions[kind.__name__]["properties"])
        for name, (least, most) in ranges.items():
            _bound(members[_camel(name)], {"minimum": least, "maximum": most})
    cast("JsonObject", schema["properties"])["$schema"] = {"type": "string"}
    return {
        "$schema": DIALECT,
        "title": "Livecore population",
        **schema,
        "$defs": cast("Json", schemas.definitions),
    }


def _bound(schema: JsonObject, limits: JsonObject) -> None:
    """Give every number of a schema its limits."""
    if schema.get("type") == "number" or (
        isinstance(schema.get("type"), list) and "number" in cast("list[str]", schema["type"])
    ):
        schema.update(limits)
    for inner in (
        schema.get("items"),
        schema.get("additionalProperties"),
        *cast("list[Json]", schema.get("anyOf", [])),
    ):
        if isinstance(inner, dict):
            _bound(inner, limits)


# -- without a file -------------------------------------------------------------------------------------------------------

_DAYS_FOR_A_GUILD: Final = 10
_DAILY_TIMES: Final = 2


def default_population(config: GameConfig) -> Population:
    """The presets, where no file is given.

    Where the service manages the economy, the backend gives each player every day what the dearest entry costs, twice, and a
    tenth of what founding a guild costs: without any source nobody could begin. A game without such costs gets nothing.
    """
    behaviours = tuple(BehaviourShape(name=name, share=share) for name, share in SHARES.items())
    given: dict[tuple[str, str], int] = {}
    if config.platform_managed:
        for entry in (entry for event in config.events for entry in event.entry_cost):
            key = (entry.type, entry.resource_key)
            given[key] = max(given.get(key, 0), _DAILY_TIMES * entry.amount)
        for entry in config.guilds.create_cost if config.guilds.enabled else ():
            given.setdefault((entry.type, entry.resource_key), max(1, entry.amount // _DAYS_FOR_A_GUILD))
    entries = tuple(
        RewardEntry(type=cast('Literal["item", "currency"]', kind), resource_key=key, amount=amount)
        for (kind, key), amount in given.items()
    )
    daily = (DailyGrant(label="daily-bonus", entries=entries),) if entries else ()
    products = (Product(id="small-pack", amount_minor=199, weight=3.0), Product(id="large-pack", amount_minor=999))
    return Population(behaviours=behaviours, backend=BackendPart(daily=daily), products=products)


assert set(get_args(Preset)) == set(PRESETS)  # noqa: S101 - the file's words are the presets' names
