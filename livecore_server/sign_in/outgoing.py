"""Requests to the identity provider: short, bounded, and never anywhere else than asked."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final

import aiohttp
import orjson

from livecore.kernel.errors import JsonObject
from livecore_server.sign_in.problems import ProviderFailed

MOST_BYTES: Final = 256 * 1024
"""How long an answer may be; documents and key sets have a few kilobytes."""
SECONDS: Final = 5.0
"""How long one answer may take, from the first byte of the request to the last of the answer."""


class ProviderError(ProviderFailed):
    """The provider answers with a status other than 200; `code` is the error that it names, if it names one."""

    def __init__(self, message: str, code: str | None) -> None:
        super().__init__(message)
        self.code = code


class Outgoing:
    """Fetches JSON objects. Follows no redirect, and sends no cookie and nothing of the environment's proxies."""

    def __init__(self) -> None:
        self._session: aiohttp.ClientSession | None = None

    async def get(self, url: str, *, bearer: str | None = None) -> JsonObject:
        """The object at an address. Raises `ProviderFailed`."""
        return await self._fetch("GET", url, {} if bearer is None else {"Authorization": f"Bearer {bearer}"}, None)

    async def post(self, url: str, form: Mapping[str, str], headers: Mapping[str, str]) -> JsonObject:
        """The object that answers a form. Raises `ProviderFailed`."""
        return await self._fetch("POST", url, headers, form)

    async def _fetch(
        self, method: str, url: str, headers: Mapping[str, str], form: Mapping[str, str] | None
    ) -> JsonObject:
        try:
            async with (
                asyncio.timeout(SECONDS),
                self._open().request(method, url, headers=headers, data=form, allow_redirects=False) as answer,
            ):
                body = await _read(answer)
                return _object(method, url, answer, body)
        except TimeoutError:
            raise ProviderFailed(f"{method} {url} took longer than {SECONDS:g} seconds") from None
        except (aiohttp.ClientError, OSError, ValueError) as fault:
            raise ProviderFailed(f"{method} {url} failed: {type(fault).__name__}: {fault}") from None

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                headers={"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "livecore"},
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                trust_env=False,
            )
        return self._session

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()


async def _read(answer: aiohttp.ClientResponse) -> bytes:
    body = bytearray()
    while part := await answer.content.readany():
        body += part
        if len(body) > MOST_BYTES:
            raise ProviderFailed(f"{answer.method} {answer.url} answers with more than {MOST_BYTES} bytes")
    return bytes(body)


def _object(method: str, url: str, answer: aiohttp.ClientResponse, body: bytes) -> JsonObject:
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        found = None
    if answer.status != 200:
        said = found.get("error") if isinstance(found, dict) else None
        code = said[:100] if isinstance(said, str) else None
        raise ProviderError(f"{method} {url} answers {answer.status}{f' ({code})' if code else ''}", code)
    if not isinstance(found, dict):
        raise ProviderFailed(f"{method} {url} answers something that is no JSON object")
    return found
