"""Whether a deployment is for production, where a test endpoint must not reach the server's own machine.

    --production, --no-production       whatever is told
    the public URL is https             production: browsers elsewhere reach it
    listens on more than loopback       production: other machines reach it
    otherwise                           not: only this machine reaches it, as with `livecore dev`

A developer of a studio may register test endpoints. On the developer's own machine `http://localhost` is where the receiver
is that is being written. On a server it is whatever listens there for nobody else, and the outcome of a delivery would tell
which ports are open.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

import attrs

from livecore.kernel.loopback import is_loopback
from livecore_server.settings import Settings

_log = logging.getLogger("livecore.service")


@attrs.frozen(kw_only=True)
class Production:
    """Whether a deployment is for production, and why."""

    on: bool
    because: str
    is_set: bool
    """Whether a setting says so, and not the addresses."""
    reachable: bool
    """Whether others than its own machine seem to reach the server."""

    def line(self, *, key_beside_data: bool) -> str:
        """What the log says of it at the start; `key_beside_data` says that no vault key is configured."""
        if not self.on:
            line = f"not for production, because {self.because}: test endpoints may be http to localhost"
            warning = ", so members who may manage them can call what listens on this machine"
            return line + warning if self.reachable else line
        line = f"for production, because {self.because}: no endpoint may be http to localhost"
        if key_beside_data:
            line += "; webhook secrets are sealed with a key that is kept beside the data (see LIVECORE_VAULT_KEY)"
        return line if self.is_set else f"{line}; --no-production says otherwise"

    def log(self, settings: Settings) -> None:
        """Say once at the start which it is, and why."""
        level = logging.WARNING if self.reachable and not self.on else logging.INFO
        _log.log(level, "%s", self.line(key_beside_data=settings.vault_key is None))


def production_of(settings: Settings, hosts: Sequence[str]) -> Production:
    """Whether a server with these settings, which listens on these hosts, is for production."""
    elsewhere = next((host for host in hosts if not is_loopback(host)), None)
    reachable = settings.origin is not None or elsewhere is not None
    if settings.production is not None:
        flag = "--production" if settings.production else "--no-production"
        because = f"{flag} or LIVECORE_PRODUCTION says so"
        return Production(on=settings.production, because=because, is_set=True, reachable=reachable)
    if settings.origin is not None:
        return Production(on=True, because=f"its public URL is {settings.origin}", is_set=False, reachable=True)
    if elsewhere is not None:
        because = f"it listens on {elsewhere}, where other machines may reach it"
        return Production(on=True, because=because, is_set=False, reachable=True)
    return Production(on=False, because="only this machine reaches it", is_set=False, reachable=False)
