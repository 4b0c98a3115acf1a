"""Follows the portal's links and the choices of its filters as a member does, and notes what is wrong with the pages.

    crawl = Crawl(service.portal, cookie, most=4)      # four addresses of each page in each environment
    crawl.run()
    crawl.faults, crawl.reached

`python -m tests.portal.crawling` makes a populated game, follows its links as an owner, and prints the slowest pages.
"""

from __future__ import annotations

import asyncio
import re
import sys
import time
from collections import Counter, deque
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from urllib.parse import parse_qs, urlencode, urlsplit

import attrs

from livecore.access.member_rows import Role
from livecore.api.requests.http import Request
from livecore_server.portal import Portal
from livecore_server.portal.pages import ROUTES
from livecore_server.portal.views import find, patterns
from tests.populated.shared import made, opened
from tests.portal.browsing import Shown
from tests.portal.wording import of_a_program

MOST_BYTES: Final = 150_000
"""The size of a page at most."""
_LINK: Final = re.compile(r'<a [^>]*?href="([^"]*)"')
_FILTERS: Final = re.compile(r'<form class="filters" method="get" action="([^"]*)".*?</form>', re.DOTALL)
_HIDDEN: Final = re.compile(r'<input type="hidden" name="([^"]*)" value="([^"]*)"')
_SELECT: Final = re.compile(r'<select [^>]*?name="([^"]*)".*?</select>', re.DOTALL)
_OPTION: Final = re.compile(r'<option value="([^"]+)"')
_PATTERNS: Final = patterns(ROUTES)


def _links(html: str) -> Iterator[tuple[str, str]]:
    """Where a page leads: by its links, and by each choice of its filters, which is the second value then."""
    for link in _LINK.findall(html):
        yield unescape(link).partition("#")[0], ""
    for form in _FILTERS.finditer(html):
        hidden = {unescape(name): unescape(value) for name, value in _HIDDEN.findall(form[0])}
        for select in _SELECT.finditer(form[0]):
            for option in map(unescape, _OPTION.findall(select[0])):
                yield f"{unescape(form[1])}?{urlencode({**hidden, select[1]: option})}", f"{select[1]}={option}"


@attrs.define
class Crawl:
    """What a member reaches, and the faults found on the way."""

    portal: Portal
    cookie: str = attrs.field(repr=False)
    most: int
    """How many addresses of one page are opened in one environment and about one event or shared leaderboard, without those
    of `hostile`; each choice of a filter is opened once."""
    hostile: bool = False
    """Whether addresses in which something had to be quoted are opened beside the others, all of them."""
    environments: frozenset[str] = frozenset()
    """The environments of the pages that are opened, or none for all; pages of the studio have the empty one."""
    reached: Counter[str] = attrs.field(factory=Counter)
    """How often each page was opened, by the path of its route."""
    faults: list[str] = attrs.field(factory=list)
    largest: tuple[int, str] = (0, "")
    """The bytes of the largest page, with its address."""
    seconds: list[tuple[float, str]] = attrs.field(factory=list)
    """The processor time of each page, with its address; nothing is asserted about it."""
    _opened: Counter[tuple[str, str, str]] = attrs.field(factory=Counter)
    _known: set[str] = attrs.field(factory=set)

    def run(self) -> None:
        """Follow links until there is none that has to be opened."""
        asyncio.run(self._run())

    async def _run(self) -> None:
        waiting = deque([("/portal/", "")])
        while waiting:
            address, above = waiting.popleft()
            shown = await self._open(address)
            self._judge(shown, above)
            for below, choice in _links(shown.html):
                if below and below not in self._known and self._wanted(below, choice):
                    self._known.add(below)
                    waiting.append((below, address))

    def _wanted(self, address: str, choice: str) -> bool:
        """Whether an address is one of those that are opened, of a choice one; it counts as opened then."""
        parts = urlsplit(address)
        found = find(_PATTERNS, parts.path)
        if found is None:
            return parts.path.startswith("/portal/")
        environment = parse_qs(parts.query).get("environment", [""])[0]
        if self.environments and environment not in self.environments:
            return False
        board = found[1].get("leaderboardId", "lbd_")
        about = found[1].get("eventKey") or ("" if board.startswith("lbd_") else board)
        place = (found[0].path, environment, f"{about} {choice}")
        if choice or not (self.hostile and "%" in parts.path):
            if self._opened[place] >= (1 if choice else self.most):
                return False
            self._opened[place] += 1
        self.reached[found[0].path] += 1
        return True

    async def _open(self, address: str) -> Shown:
        parts = urlsplit(address)
        headers = {"cookie": self.cookie, "host": "localhost"}
        request = Request("GET", parts.path, parts.query, headers, b"", "192.0.2.7")
        begun = time.process_time()
        shown = Shown(address, await self.portal.answer(await self.portal.enter(request)))
        self.seconds.append((time.process_time() - begun, address))
        return shown

    def _judge(self, shown: Shown, above: str) -> None:
        size = len(shown.response.body)
        self.largest = max(self.largest, (size, shown.address))
        faults = [f"shows {text[:80]!r}" for text in of_a_program(shown)] if shown.status == 200 else []
        if shown.status != 200:
            faults.append(f"has status {shown.status}")
        if size > MOST_BYTES:
            faults.append(f"has {size} bytes")
        if "<planted" in shown.html:
            faults.append("has the markup of a name")
        self.faults += [f"{shown.address} {fault}, linked from {above}" for fault in faults]


def _report(role: Role, most: int) -> None:
    """Crawl a new populated game, and print what it took."""
    with TemporaryDirectory() as folder:
        kept = made(Path(folder))
        with opened(kept, Path(folder)) as service:
            # The first time compiles the templates.
            Crawl(service.portal, kept.cookies[role], most, hostile=True).run()
            crawl = Crawl(service.portal, kept.cookies[role], most, hostile=True)
            crawl.run()
    taken = sum(seconds for seconds, _ in crawl.seconds)
    sys.stdout.write(f"{role}: {sum(crawl.reached.values())} pages in {taken:.1f} s, {len(crawl.faults)} faults\n")
    sys.stdout.write(f"largest: {crawl.largest[0]:,} bytes, {crawl.largest[1]}\n")
    for seconds, address in sorted(crawl.seconds, reverse=True)[:5]:
        sys.stdout.write(f"slowest: {seconds * 1000:.0f} ms of processor time, {address}\n")
    sys.stdout.writelines(f"{fault}\n" for fault in crawl.faults)


if __name__ == "__main__":
    _report("OWNER", 25)
