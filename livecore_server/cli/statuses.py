"""With which status a command ends, beside what every command has in common; for the reference and for its test."""

from __future__ import annotations

from typing import Final

import attrs


@attrs.frozen
class Statuses:
    """When a command ends with 1, and for which input with 2; empty where there is nothing of its own."""

    failed: str = ""
    wrong: str = ""


_GAME: Final = "the game is unknown"
_ENDPOINT: Final = "the game or the endpoint is unknown"
_MEMBER: Final = "the studio or the member is unknown"

STATUSES: Final = {
    "advise": Statuses("there is advice", "FILE is not a valid configuration"),
    "apply": Statuses(
        "something prevents the change, nobody confirms it, or `--strict` is given and there is advice",
        f"FILE is not a valid configuration; {_GAME}",
    ),
    "backup": Statuses("FILE exists, or cannot be written"),
    "check": Statuses("the database is not sound", _GAME),
    "copy": Statuses("the source is in use, the target holds data, or a row differs"),
    "crates verify": Statuses(
        "the seed does not give these rolls and contents", "the game is unknown, or GRANT is not of an opened crate"
    ),
    "dev": Statuses("the database was not made by `livecore dev`", "`--workers` is given"),
    "games delete": Statuses("the name that is typed is another", "the game is unknown, or nobody can be asked"),
    "games list": Statuses(),
    "games make": Statuses("there is no studio yet", "FILE is not a valid configuration; the studio is unknown"),
    "games purge": Statuses("", "no deleted game has this id"),
    "init": Statuses("there is a game already; the file of `--example` exists", "FILE is not a valid configuration"),
    "keys add": Statuses("there is no game yet", _GAME),
    "keys list": Statuses("there is no game yet", _GAME),
    "keys revoke": Statuses("there is no game yet", "the game or the key is unknown"),
    "keys rotate": Statuses("the key has a successor already, or is revoked", "the game or the key is unknown"),
    "members add": Statuses("the person is a member already", "the studio is unknown; the address is not valid"),
    "members list": Statuses("there is no studio yet", _MEMBER),
    "members remove": Statuses("it is the last owner", _MEMBER),
    "members renew": Statuses("there is no studio yet", _MEMBER),
    "members role": Statuses("it is the last owner", _MEMBER),
    "migrate-in": Statuses(
        "a row fails, another run uses FILE, or an earlier run prevents this one",
        f"FILE is neither JSON Lines nor CSV; {_GAME}",
    ),
    "openapi": Statuses(),
    "players erase": Statuses("an id is of a player who was merged", f"a line of FILE is not an id; {_GAME}"),
    "players inactive": Statuses("there is no game yet", _GAME),
    "rehearse": Statuses(
        "the receiver does something wrong, or nobody answers there; there is no endpoint yet",
        f"`--scenario` is not a valid scenario; no secret is given, or two sources of it; {_ENDPOINT}",
    ),
    "restore": Statuses("FILE is not a backup; the database is in use, or holds data and `--overwrite` is not given"),
    "schema": Statuses(),
    "serve": Statuses(
        "the address is taken, the disk is full, or the server cannot end in time",
        "this account may not use the files of the database; this release cannot serve its schema; a setting is not valid",
    ),
    "simulate": Statuses(
        "a condition of `--fail-if` is met", "FILE is not a valid configuration; a condition is none, or of no figure"
    ),
    "webhooks add": Statuses("the name is taken", "the URL is not valid; a kind of event is unknown"),
    "webhooks deliveries": Statuses("there is no game yet", "the game, the endpoint or the player is unknown"),
    "webhooks list": Statuses("there is no game yet", _GAME),
    "webhooks pause": Statuses("there is no endpoint yet", _ENDPOINT),
    "webhooks remove": Statuses("there is no endpoint yet", _ENDPOINT),
    "webhooks replay": Statuses(
        "the delivery is on its way, or its event is no longer kept",
        "the delivery is unknown; neither it nor an option is given",
    ),
    "webhooks reseal": Statuses("a secret is sealed with a key that is not given"),
    "webhooks rotate-secret": Statuses("there is no endpoint yet", _ENDPOINT),
    "webhooks sample": Statuses("there is no endpoint yet", "the game, the endpoint or the kind of event is unknown"),
    "webhooks unpause": Statuses("there is no endpoint yet", _ENDPOINT),
    "webhooks update": Statuses(
        "the name is taken", "the endpoint is unknown; the URL is not valid; nothing is to change"
    ),
}
"""By command."""
