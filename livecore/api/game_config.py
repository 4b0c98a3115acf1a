"""The game configuration: one JSON file that declares what a dashboard would, for both environments of a game.

Every section may be left out. The same file feeds the server and the simulation. Each area declares its own part in its
`config.py`: the fields, what they demand of each other, and how rules reach them; here the parts become one class, from
which the published JSON Schema is made. How a file is read is in `livecore.kernel.config`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, cast

from livecore.access.directory import Game
from livecore.commerce import config as commerce
from livecore.economy import config as economy
from livecore.kernel.config import ConfigReader, section
from livecore.kernel.errors import Json, JsonObject
from livecore.kernel.schema import DIALECT, Schemas
from livecore.players import config as players
from livecore.social import config as social

__all__ = ["GameConfig", "config_of", "config_schema", "load_config", "parse_config", "stored_config"]


# The last class gives the first fields; the schema and the stored text show them in this order.
@section
class GameConfig(players.PlayersConfig, commerce.CommerceConfig, social.SocialConfig, economy.EconomyConfig):
    """Everything a game declares."""


_READER: Final = ConfigReader(
    GameConfig,
    faults=(economy.faults_of, social.faults_of, commerce.faults_of),
    in_words=commerce.in_words,
)


def parse_config(data: Json) -> GameConfig:
    """Read a configuration from JSON data; the name of its schema, which editors put there, is passed over.

    Raises `ValidationFailed`, whose `details.fields` maps the path of each fault to what is wrong, all of them at once.
    """
    return _READER.parse(data)


def load_config(text: str) -> GameConfig:
    """Read a configuration from the text of its file; see `parse_config`."""
    return _READER.load(text)


@lru_cache(maxsize=256)
def stored_config(text: str) -> GameConfig:
    """A configuration that was read before, from the text that was kept of it: it held then, and is not judged again."""
    return _READER.stored(text)


def config_of(game: Game) -> GameConfig:
    """The game's configuration, parsed once for each version."""
    return stored_config(game.config)


def config_schema() -> JsonObject:
    """The JSON Schema of a game's configuration file, complete in itself.

    What one part demands of another (a gift's resource is declared, a key is not declared twice, a gift costs the sender
    only where the service manages the economy) is checked when a file is loaded; a schema cannot say it.
    """
    schemas = Schemas(closed=True)
    schema = schemas.members(GameConfig)
    properties = cast("JsonObject", schema["properties"])
    properties["exchangeRates"] = commerce.EXCHANGE_RATES_SCHEMA
    # Editors put the schema's address into the file; loading ignores it.
    properties["$schema"] = {"type": "string"}
    return {
        "$schema": DIALECT,
        "title": "Livecore game configuration",
        **schema,
        "$defs": cast("Json", schemas.definitions),
    }
