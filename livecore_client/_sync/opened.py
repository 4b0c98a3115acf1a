# Generated from livecore_client/_async by .ci/unasync.py: edit there.
"""What both clients have beside their namespaces: values for some calls, the last answer, and closing."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import TracebackType
from typing import Self

from livecore_client._responses import ResponseInfo
from livecore_client._retry import RetryPolicy
from livecore_client._sync.caller import Caller

__all__ = ["Opened"]


class Opened:
    """A client that holds connections until it is closed."""

    _caller: Caller

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections; every later call raises `ClientClosed`.

        An `http_client` that was passed in stays open. Closing a client that `with_options` made closes nothing.
        """
        self._caller.close()

    def with_options(
        self,
        *,
        timeout_seconds: float | None = None,
        deadline_seconds: float | None = None,
        retries: RetryPolicy | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Self:
        """A client with other values for the calls that are made through it; what is not given stays as it is.

            client.with_options(timeout_seconds=2, retries=NO_RETRIES).wallet.get()

        It is cheap, and shares the connections, the player and the player's secret with this client: it ends with this one,
        and closing it closes nothing. `headers` are sent beside those that this client adds already. `timeout_seconds` also
        takes the place of the time-outs of an `http_client` of your own.

        Raises `ConfigurationError` for a value that is not allowed, and for a header that the client sets itself.
        """
        caller = self._caller.with_options(
            timeout_seconds=timeout_seconds, deadline_seconds=deadline_seconds, retries=retries, headers=headers
        )
        made = object.__new__(type(self))
        # Not the namespaces that were used already: they call through this client's caller.
        kept = {name: value for name, value in vars(self).items() if not _is_namespace(type(self), name)}
        vars(made).update(kept, _caller=caller)
        return made

    @property
    def last_response(self) -> ResponseInfo | None:
        """What the answer to the last call said beside its data: request id, rate limit, whether it was a replay.

        Of this thread or asyncio task, by this client or one that `with_options` made from it, whether the call succeeded
        or was refused. `None` where there was no call, and where the last one was not answered. A task reads what it called
        itself, and what was called before it was made; not what other tasks, such as those of `asyncio.gather`, called.
        """
        return self._caller.last_response


def _is_namespace(kind: type, name: str) -> bool:
    return isinstance(getattr(kind, name, None), cached_property)
