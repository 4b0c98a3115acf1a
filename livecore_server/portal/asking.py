"""How a page asks the operators' surface: by the name of an operation, with the browser's session."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, TypeAlias
from urllib.parse import quote, urlencode

import attrs

from livecore.api.operations import OPERATIONS
from livecore.api.requests.http import Request, Response, opens_page
from livecore.api.table.operation import Operation

Ask: TypeAlias = Callable[[Request], Awaitable[Response]]
Data: TypeAlias = dict[str, Any]

_ADMIN: Final[Mapping[str, Operation]] = {entry.name: entry for entry in OPERATIONS if entry.surface == "admin"}
_PASSED_ON: Final = ("cookie", "host", "origin", "sec-fetch-site")
"""The headers of the browser's request that the operation's request has, too: the session, and what proves its origin."""


def admin_operation(name: str) -> Operation:
    """The operation of the operators' surface with this name. Raises `LookupError`."""
    return _ADMIN[name]


@attrs.frozen
class Said:
    """What an operation answered: its data, and the headers of the answer."""

    data: Data
    headers: tuple[tuple[str, str], ...] = ()


class Refused(Exception):
    """The operation refused the request."""

    def __init__(self, status: int, error: Data, retry_after: str | None = None) -> None:
        super().__init__(f"{status} {error['code']}")
        self.status = status
        self.code: str = error["code"]
        self.message: str = error["message"]
        self.details: Data = error.get("details") or {}
        self.retry_after = retry_after

    @property
    def fields(self) -> Mapping[str, str]:
        """What is wrong with which field, by the wire's path of the field."""
        fields = self.details.get("fields")
        return {str(name): str(fault) for name, fault in fields.items()} if isinstance(fields, dict) else {}


@attrs.frozen
class Asking:
    """Asks for one browser's request; `request_id` is the id of that request, and of all that is asked for it."""

    ask: Ask = attrs.field(repr=False)
    browser: Request = attrs.field(repr=False)
    request_id: str

    async def __call__(
        self,
        name: str,
        places: Mapping[str, str],
        *,
        environment: str | None = None,
        query: Mapping[str, str] | None = None,
        body: Data | None = None,
    ) -> Said:
        """The answer of an operation; `places` are the variables of its path. Raises `Refused`."""
        operation = admin_operation(name)
        path = operation.path
        for variable in operation.variables:
            path = path.replace("{" + variable + "}", quote(places[variable], safe=""))
        asked = dict(query or {})
        if environment is not None and operation.takes_environment:
            asked["environment"] = environment
        headers = {key: value for key in _PASSED_ON if (value := self.browser.headers.get(key)) is not None}
        headers["x-request-id"] = self.request_id
        if not operation.writes:
            # It changes nothing, and the page itself asks: also by a method for which a browser must prove its origin.
            headers.pop("origin", None)
            headers["sec-fetch-site"] = "same-origin"
        raw = b""
        if operation.takes_body:
            raw = json.dumps(body or {}).encode()
            headers["content-type"] = "application/json"
        else:
            given = dict(body or {})
            if (key := given.pop("idempotencyKey", None)) is not None:
                headers["idempotency-key"] = str(key)
            asked |= {name: str(value) for name, value in given.items()}
        request = Request(
            operation.method,
            path,
            urlencode(asked),
            headers,
            raw,
            self.browser.remote,
            self.browser.countries,
            opens_page=opens_page(self.browser.headers),
        )
        return _read(await self.ask(request))


def _read(response: Response) -> Said:
    body = json.loads(response.body)
    if "error" in body:
        raise Refused(response.status, body["error"], response.header("Retry-After"))
    return Said(body["data"], response.headers)
