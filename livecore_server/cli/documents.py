"""`livecore openapi` and `livecore schema`: the machine-readable descriptions, on standard output."""

from __future__ import annotations

import json
import sys
from typing import Literal, cast

import click

from livecore.api.configuration.game_config import config_schema
from livecore.api.openapi import document
from livecore.kernel.errors import JsonObject
from livecore.simulation.population import population_schema


@click.command()
@click.argument("surface", type=click.Choice(["sdk", "server", "admin"]))
def openapi(surface: str) -> None:
    """Print the OpenAPI 3.1 document of the surface for games, for backends or for operators."""
    _print(document(cast(Literal["sdk", "server", "admin"], surface)))


@click.command()
@click.option("--population", is_flag=True, help="Print that of a file that says who plays a simulated season instead.")
def schema(*, population: bool) -> None:
    """Print the JSON Schema of the game configuration."""
    _print(population_schema() if population else config_schema())


def _print(value: JsonObject) -> None:
    # JSON in another encoding than UTF-8 would be none, so there it is written in ASCII.
    utf8 = sys.stdout.encoding.lower().replace("-", "") == "utf8"
    click.echo(json.dumps(value, ensure_ascii=not utf8, indent=2))
