"""The game configuration: one JSON file that holds what a dashboard would configure, for both environments of a game.

Every section may be left out. Server and simulation use the same file. Each area declares its own part in its `config.py`:
the fields, the checks between fields, and the access for rules. This module combines the parts into one class, from which
the published JSON Schema is generated. `livecore.kernel.wire.config` reads a file.
"""

from __future__ import annotations

from typing import Final, cast

from livecore.access.directory import Game
from livecore.commerce import config as commerce
from livecore.economy import config as economy
from livecore.economy import crate_faults
from livecore.events import config as events
from livecore.guilds import config as guilds
from livecore.kernel.errors import Json, JsonObject
from livecore.kernel.remembered import remembered
from livecore.kernel.wire.config import ConfigReader, section
from livecore.kernel.wire.schema import DIALECT, Schemas
from livecore.leaderboards import config as leaderboards
from livecore.lobbies import config as lobbies
from livecore.players import config as players
from livecore.social import config as social
from livecore.teams import config as teams

# Importing these declares the members that the formats add to an event.
_FORMATS: Final = (lobbies.LOBBY_RULES, lobbies.SESSION_RULES, teams.TEAM_RULES)


# The last base class gives the first fields; the schema and the stored text have this order.
@section
class GameConfig(
    players.PlayersConfig,
    commerce.CommerceConfig,
    leaderboards.LeaderboardsConfig,
    events.EventsConfig,
    guilds.GuildsConfig,
    social.SocialConfig,
    economy.EconomyConfig,
):
    """The whole configuration of a game."""


_READER: Final = ConfigReader(
    GameConfig,
    faults=(
        economy.faults_of,
        crate_faults.faults_of,
        social.faults_of,
        events.faults_of,
        leaderboards.faults_of,
        guilds.faults_of,
        commerce.faults_of,
    ),
    in_words=commerce.in_words,
)


def parse_config(data: Json) -> GameConfig:
    """Read a configuration from JSON data; the member `$schema`, which editors add, is ignored.

    Raises `ValidationFailed`, whose `details.fields` maps the path of each fault to what is wrong, all of them at once.
    """
    return _READER.parse(data)


def load_config(text: str) -> GameConfig:
    """Read a configuration from the text of its file; see `parse_config`."""
    return _READER.load(text)


@remembered(256 * 1024 * 1024)
def stored_config(text: str) -> GameConfig:
    """A configuration from its stored text. It was checked when it was stored, and is not checked again."""
    return _READER.stored(text)


def config_of(game: Game) -> GameConfig:
    """The game's configuration, parsed once for each version."""
    return stored_config(game.config)


def config_schema() -> JsonObject:
    """The complete JSON Schema of a game's configuration file.

    A schema cannot express checks between parts: a gift's resource is declared, a key is not declared twice, a gift costs
    the sender only where the service manages the economy. Loading a file makes these checks.
    """
    schemas = Schemas(closed=True)
    schema = schemas.members(GameConfig)
    properties = cast("JsonObject", schema["properties"])
    properties["exchangeRates"] = commerce.EXCHANGE_RATES_SCHEMA
    # Editors add the schema's address to the file; loading ignores it.
    properties["$schema"] = {"type": "string"}
    return {
        "$schema": DIALECT,
        "title": "Livecore game configuration",
        **schema,
        "$defs": cast("Json", schemas.definitions),
    }
