"""A browser as far as signing in goes: it keeps cookies, follows no redirect by itself, and shows every header."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, urlsplit

import aiohttp
import attrs


@attrs.frozen
class Answer:
    """What came back."""

    status: int
    headers: Any
    text: str

    @property
    def location(self) -> str:
        """Where it sends the browser."""
        return str(self.headers["Location"])

    @property
    def cookies(self) -> dict[str, str]:
        """Every cookie that it sets, by name: value and attributes as they are written."""
        lines = [line.partition("=") for line in self.headers.getall("Set-Cookie", [])]
        return {name: rest for name, _, rest in lines}


@attrs.define
class Browser:
    """A browser of one person at one server. Cookies are kept as they are named, whatever the scheme."""

    base: str
    cookies: dict[str, str] = attrs.Factory(dict)

    async def get(self, path: str, **headers: str) -> Answer:
        """Load a page."""
        return await self.send("GET", path, **headers)

    async def send(self, method: str, path: str, **headers: str) -> Answer:
        """Send a request; `path` may be a whole address of this server."""
        local = path.removeprefix(self.base)
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        async with (
            aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as client,
            client.request(method, f"{self.base}{local}", headers=headers, allow_redirects=False) as response,
        ):
            answer = Answer(response.status, response.headers, await response.text())
        for name, line in answer.cookies.items():
            value, *attributes = line.split("; ")
            if "Max-Age=0" in attributes:
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = value
        return answer


def asked(location: str) -> dict[str, str]:
    """The fields of an address's query."""
    return dict(parse_qsl(urlsplit(location).query, keep_blank_values=True))
