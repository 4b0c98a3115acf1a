"""Answer a data-subject request: write all data about a player to one file, and then, if they wish, erase the player.

    $ export LIVECORE_BASE_URL=https://live.example.com LIVECORE_SERVER_KEY=lc_live_server_…
    $ python examples/data_subject_request.py anna anna.json
    $ python examples/data_subject_request.py anna anna.json --erase

The file has all pages of the lists, and is checked against the published schema before anything is erased. Before erasing,
the program asks for the player's id once more. It needs `jsonschema` in addition to the client.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from livecore.kernel.wire import encode
from livecore.player_tools.schema import export_schema
from livecore_client import LivecoreError, ServerClient, errors

WHAT_REMAINS = """\
What remains:
- Amounts in ledgers, purchases and grants, without a name: an internal id that leads to nobody.
- Webhooks that name the player and are still on their way; they are emptied when they arrive, fail, or are 30 days old.
- Backups that were made before today hold everything until you delete them. Keep the id with the date where you keep such
  requests, apart from the game: whoever restores an older backup must erase it again.
- What your own systems know. They are told by the webhook player.deleted, with the id that you use."""


def whole_export(studio: ServerClient, player: str) -> dict[str, Any]:
    """Everything about a player as one document: the first answer, with the rows of the pages after it."""
    first, *more = (encode(page) for page in studio.players.iterate_export(player))
    bundle: Any = first
    for page in more:
        rest: Any = page
        for name in bundle["truncated"]:
            bundle[name] += rest[name]
    bundle["truncated"] = dict.fromkeys(bundle["truncated"], False)
    bundle["cursors"] = dict.fromkeys(bundle["cursors"])
    Draft202012Validator(export_schema()).validate(bundle)
    found: dict[str, Any] = bundle
    return found


def export(studio: ServerClient, player: str, file: Path) -> None:
    """Write the file and say what is in it."""
    bundle = whole_export(studio, player)
    with open(file, "w", encoding="utf-8", opener=_private) as written:
        written.write(json.dumps(bundle, indent=2, ensure_ascii=False) + "\n")
    counts = ", ".join(f"{len(bundle[name])} {name}" for name in bundle["truncated"] if bundle[name])
    print(f"Everything about {player} is in {file}: the player, {counts or 'and nothing else'}.")


def _private(path: str, flags: int) -> int:
    """Open a file that nobody else on this machine can read, also one that was readable before."""
    descriptor = os.open(path, flags, 0o600)
    if os.name == "posix":
        os.fchmod(descriptor, 0o600)
    return descriptor


def erase(studio: ServerClient, player: str) -> None:
    """Erase the player after the id was typed once more, and print what remains."""
    if input(f"Erasing cannot be undone. Type {player} to erase: ") != player:
        sys.exit("\nNothing was erased.")
    erased = studio.players.erase(player, reason="gdpr_erasure")
    if erased.status == "no_op_merged":
        # Between the export and now the player was merged.
        sys.exit(f"\nNothing was erased. {_merged(player, erased.merged_into_external_id)}")
    print(f"\nStatus: {erased.status}. The player is {erased.anonymized_external_id or 'nobody'} from now on.")
    print(WHAT_REMAINS)


def _merged(player: str, into: object) -> str:
    return f"{player!r} was merged into {into!r}, who has the data now: run this again for {into!r}."


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description="Answer a data-subject request.")
    parser.add_argument("player", help="the studio's id of the player")
    parser.add_argument("file", type=Path, help="where the export goes")
    parser.add_argument("--erase", action="store_true", help="erase the player afterwards")
    arguments = parser.parse_args()
    try:
        with ServerClient(timeout_seconds=60) as studio:
            export(studio, arguments.player, arguments.file)
            if arguments.erase:
                erase(studio, arguments.player)
    except errors.PlayerNotFound as refused:
        into = (refused.details or {}).get("mergedIntoExternalId")
        if into is not None:
            sys.exit(_merged(arguments.player, into))
        sys.exit(f"Nothing is held about {arguments.player!r}: there is no such player, or not any more.")
    except LivecoreError as refused:
        sys.exit(str(refused))
    except OSError as fault:
        sys.exit(f"Nothing was erased: {arguments.file} cannot be written: {fault.strerror}.")


if __name__ == "__main__":
    main()
