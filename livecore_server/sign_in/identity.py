"""Who somebody is, as a provider or a link of this machine says."""

from __future__ import annotations

import attrs

from livecore.access.binding import Account


@attrs.frozen
class Identity:
    """A person with a verified address: the account at the provider, if one vouches for it, and a name if it tells one."""

    account: Account | None
    email: str
    name: str | None
