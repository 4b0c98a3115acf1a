"""`livecore serve`: run the server until it is stopped."""

from __future__ import annotations

import os
from typing import Any

import click

from livecore_server.cli.options import settings_from, settings_options
from livecore_server.http.listening import handed_over, open_listeners


@click.command()
@settings_options()
def serve(**values: Any) -> int:  # noqa: ANN401 - the options are those of the table of settings
    """Run the server. SIGTERM or SIGINT drains it and ends it with status 0."""
    settings = settings_from(values)
    handed = handed_over(os.environ)
    if settings.workers > 1:
        from livecore_server.workers.supervisor import supervise  # noqa: PLC0415 - there is no fcntl on Windows

        return supervise(settings, handed)
    from livecore_server.running import run_service  # noqa: PLC0415 - a supervisor needs nothing of it

    run_service(settings, listeners=open_listeners(settings, handed) if any(handed) else None)
    return 0
