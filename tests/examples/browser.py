"""A real browser for tests: an installed Chromium without a window, driven over its own debugging protocol."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import subprocess
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from itertools import count
from tempfile import TemporaryDirectory
from typing import Any, Final

import aiohttp
import pytest

from tests.patience import PATIENCE_SECONDS

_NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "chrome")
_LISTENING: Final = re.compile(r"DevTools listening on ws://([^/]+)/")


def require_browser() -> str:
    """The browser's path; skips the test, and says so, where none is installed."""
    found = next((path for name in _NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no Chromium is installed (Debian's package is called chromium)")
    return found


class Page:
    """A page that is open in the browser."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = count(1)

    async def _ask(self, method: str, **parameters: object) -> Any:  # noqa: ANN401 - JSON
        number = await self._send(method, **parameters)
        answer = await self._heard(lambda message: message.get("id") == number)
        assert "result" in answer, answer
        return answer["result"]

    async def _send(self, method: str, **parameters: object) -> int:
        number = next(self._numbers)
        await self._socket.send_json({"id": number, "method": method, "params": parameters})
        return number

    async def _heard(self, wanted: Callable[[Any], bool]) -> Any:  # noqa: ANN401 - JSON
        async for message in self._socket:
            if wanted(said := json.loads(message.data)):
                return said
        raise AssertionError("the browser has closed the page")

    async def tell(self, method: str, **parameters: object) -> Any:  # noqa: ANN401 - JSON
        """Give a command of the debugging protocol; returns its result."""
        return await self._ask(method, **parameters)

    async def follow(self, selector: str) -> None:
        """Click the first element that fits; returns once the next page is there. Works where scripts are off."""
        await self._ask("Page.enable")
        node = await self._find(selector)
        await self._ask("DOM.scrollIntoViewIfNeeded", nodeId=node)
        corners = (await self._ask("DOM.getContentQuads", nodeId=node))["quads"][0]
        place = {"x": (corners[0] + corners[4]) / 2, "y": (corners[1] + corners[5]) / 2}
        await self._ask("Input.dispatchMouseEvent", type="mousePressed", button="left", clickCount=1, **place)
        await self._send("Input.dispatchMouseEvent", type="mouseReleased", button="left", clickCount=1, **place)
        await self._heard(lambda message: message.get("method") == "Page.loadEventFired")

    async def type(self, selector: str, text: str) -> None:
        """Type into a field. Works where scripts are off."""
        await self._ask("DOM.focus", nodeId=await self._find(selector))
        await self._ask("Input.insertText", text=text)

    async def text(self, selector: str) -> str:
        """The HTML of the first element that fits. Works where scripts are off."""
        found: str = (await self._ask("DOM.getOuterHTML", nodeId=await self._find(selector)))["outerHTML"]
        return found

    async def _find(self, selector: str) -> int:
        root = (await self._ask("DOM.getDocument"))["root"]["nodeId"]
        found: int = (await self._ask("DOM.querySelector", nodeId=root, selector=selector))["nodeId"]
        assert found, f"nothing fits {selector}"
        return found

    async def go(self, url: str) -> None:
        """Load an address; returns once the page is there."""
        await self._ask("Page.enable")
        await self._ask("Page.navigate", url=url)
        await self._heard(lambda message: message.get("method") == "Page.loadEventFired")

    async def value(self, expression: str) -> Any:  # noqa: ANN401 - whatever the expression gives
        """What a JavaScript expression gives in the page; fails where it raises."""
        found = await self._ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    async def until(self, expression: str, wanted: object) -> None:
        """Return as soon as an expression about the document gives this value; fails if it never does."""
        changed = f"""new Promise(done => {{
            const look = () => {{
                if (JSON.stringify({expression}) !== {json.dumps(json.dumps(wanted, separators=(",", ":")))}) return;
                watching.disconnect();
                done();
            }};
            const watching = new MutationObserver(look);
            watching.observe(document, {{ subtree: true, childList: true, characterData: true }});
            look();
        }})"""
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                await self.value(changed)
        except TimeoutError:
            assert await self.value(expression) == wanted


@contextmanager
def browser() -> Iterator[str]:
    """A browser of its own, which ends with the block: the address for debugging it."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = (
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--remote-debugging-port=0", f"--user-data-dir={profile}",
        )  # fmt: skip
        command = [require_browser(), *options, "about:blank"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            try:
                yield _address(process)
            finally:
                process.terminate()
                process.wait(PATIENCE_SECONDS)


def _address(process: subprocess.Popen[str]) -> str:
    """Where the browser says that it listens; the rest of what it says is read by a thread, so that it never waits."""
    assert process.stderr is not None
    said = ""
    for line in process.stderr:
        said += line
        if found := _LISTENING.search(line):
            threading.Thread(target=process.stderr.read, daemon=True).start()
            return found[1]
    raise AssertionError(f"the browser did not start: {said}")


@asynccontextmanager
async def opened(address: str, url: str) -> AsyncIterator[Page]:
    """A page in the browser at an address."""
    async with aiohttp.ClientSession() as session:
        async with session.put(f"http://{address}/json/new?about:blank") as answer:
            target = await answer.json()
        async with session.ws_connect(target["webSocketDebuggerUrl"], max_msg_size=0) as socket:
            page = Page(socket)
            await page.go(url)
            yield page
