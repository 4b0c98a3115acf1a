"""A live leaderboard in the browser: a server, a page beside it, and players who climb until you stop the program.

$ python -m examples.live_board             # prints the address to open; Ctrl-C ends it
$ python -m examples.live_board --rounds 3  # ends the window after three rounds, and then itself
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, Final
from urllib.parse import urlencode

from examples.own_server import OwnServer, own_server
from livecore.demo import DEMO
from livecore_client import SdkClient, ServerClient
from livecore_client.errors import AttemptNotInProgress

NAMES: Final = ("Ada", "Bo", "Cleo", "Dara", "Eli", "Fay", "Gus", "Hana", "Ivo", "June", "Kim", "Liv")


class _Quiet(SimpleHTTPRequestHandler):
    """Serves the page, without a line for each request."""

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002, ANN401 - as in the class above
        """Print nothing."""


def page_server() -> ThreadingHTTPServer:
    """The page on a free port of this machine."""
    served = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(Path(__file__).parent)))
    threading.Thread(target=served.serve_forever, daemon=True).start()
    return served


class Runners:
    """The players, each with an attempt at the demo game's event."""

    def __init__(self, server: OwnServer) -> None:
        self.studio = ServerClient(base_url=server.base_url, api_key=server.server_key)
        self.attempts: dict[str, str] = {}
        self.clients = {
            name: SdkClient(base_url=server.base_url, api_key=server.client_key, external_player_id=name)
            for name in NAMES
        }
        for name, client in self.clients.items():
            client.players.register()
            client.players.set_identity(name=name)
            self.studio.wallet.credit(name, "gold", amount=5, reason="entry")
            attempt = client.events.start("daily-dash").attempt
            self.attempts[name], self.board_id = attempt.attempt_id, attempt.leaderboard_id or ""

    def run(self, chance: Random) -> None:
        """One of them makes progress."""
        name = chance.choice(NAMES)
        points = {"points": chance.randint(1, 30)}
        with suppress(AttemptNotInProgress):  # whoever has reached the target is done
            self.clients[name].events.progress("daily-dash", self.attempts[name], metrics=points)

    def end(self) -> None:
        """End the window: the leaderboard becomes final."""
        self.studio.dev.end_window("daily-dash")

    def close(self) -> None:
        """Close the connections."""
        self.studio.close()
        for client in self.clients.values():
            client.close()


def main(rounds: int | None) -> None:
    """Serve the page and let the players run."""
    page = page_server()
    origin = f"http://127.0.0.1:{page.server_port}"
    with own_server(DEMO, settings={"LIVECORE_CORS_ORIGINS": origin, "LIVECORE_RATE_LIMITS": "off"}) as server:
        runners = Runners(server)
        shown = {"server": server.base_url, "key": server.client_key, "board": runners.board_id}
        print(f"open {origin}/#{urlencode(shown)}", flush=True)
        chance = Random(7)  # noqa: S311 - a game
        with suppress(KeyboardInterrupt):
            for number in count():
                if rounds is not None and number >= rounds * len(NAMES):
                    runners.end()
                    break
                runners.run(chance)
                time.sleep(0.2)
        board = runners.clients["Ada"].leaderboards.get_event(runners.board_id)
        print(json.dumps([[row.rank, row.name, row.score] for row in board.entries]))
        runners.close()
    page.shutdown()
    page.server_close()


if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("--rounds", type=int)
    main(options.parse_args(sys.argv[1:]).rounds)
