"""A browser without a window over the portal of a `World`: it keeps the page that it got, and sends its forms."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from typing import Final
from urllib.parse import urlencode, urlsplit

import attrs

from livecore.access.member_rows import Role
from livecore.api.requests.http import Request, Response
from livecore.world import World
from livecore_server.portal import Portal

VOID: Final = frozenset({"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"})


@attrs.define(eq=False)
class Element:
    """An element of a page."""

    tag: str
    attributes: dict[str, str]
    children: list[Element | str] = attrs.field(factory=list)

    def walk(self) -> Iterator[Element]:
        """This element and all inside it, in the order of the page."""
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child.walk()

    def all(self, *tags: str, **attributes: str) -> list[Element]:
        """The elements with one of these tags that have these attributes."""
        wanted = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
        return [
            one for one in self.walk() if one.tag in tags and all(one.attributes.get(k) == v for k, v in wanted.items())
        ]

    @property
    def text(self) -> str:
        """What a person reads, with single spaces."""
        return " ".join(self._texts().split())

    def _texts(self) -> str:
        return " ".join(child if isinstance(child, str) else child._texts() for child in self.children)


class _Reader(HTMLParser):
    """Builds the tree; fails where tags do not match."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("#page", {})
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"an attribute of <{tag}> stands twice: {names}"
        element = Element(tag, {name: value or "" for name, value in attrs})
        self._open[-1].children.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open[-1].children.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert tag == self._open[-1].tag, f"</{tag}> ends <{self._open[-1].tag}>"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)


def parsed(html: str) -> Element:
    """The elements of a page."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    assert reader._open == [reader.root], "every element is closed"
    return reader.root


@attrs.frozen
class Shown:
    """An answer of the portal."""

    address: str
    response: Response

    @property
    def status(self) -> int:
        """Its status."""
        return self.response.status

    @property
    def html(self) -> str:
        """Its text."""
        return self.response.body.decode()

    @property
    def page(self) -> Element:
        """Its elements."""
        return parsed(self.html)

    @property
    def heading(self) -> str:
        """Its one heading."""
        (heading,) = self.page.all("h1")
        return heading.text

    @property
    def text(self) -> str:
        """What stands in its content."""
        (content,) = self.page.all("main")
        return content.text

    @property
    def links(self) -> list[str]:
        """The addresses of its content's links."""
        (content,) = self.page.all("main")
        return [one.attributes["href"] for one in content.all("a")]

    @property
    def location(self) -> str:
        """Where it sends the browser."""
        assert self.status == 303, (self.status, self.response.body[:2000])
        location = self.response.header("Location")
        assert location is not None
        return location

    @property
    def message(self) -> str:
        """What the page says after an action, before its own heading; empty where it says nothing."""
        return next((one.text for one in self.page.all("p", class_="message", role="status")), "")

    @property
    def gives(self) -> str:
        """The name of the message that an action gives to the page after it."""
        assert self.status == 303, (self.status, self.response.body[:2000])
        (cookie,) = [value for name, value in self.response.headers if name == "Set-Cookie"]
        return cookie.partition(";")[0].removeprefix("livecore-notice=")

    def form(self, **typed: str | list[str]) -> dict[str, str | list[str]]:
        """What the form of the page sends, with these fields typed."""
        (content,) = self.page.all("main")
        (form,) = [one for one in content.all("form") if one.attributes.get("method") == "post"]
        values: dict[str, str | list[str]] = {}
        for field in form.all("input", "textarea", "select"):
            name, kind = field.attributes["name"], field.attributes.get("type", "")
            if kind in ("checkbox", "radio"):
                if "checked" in field.attributes:
                    before = values.get(name, [])
                    assert isinstance(before, list)
                    values[name] = [*before, field.attributes["value"]]
            elif field.tag == "select":
                options = field.all("option")
                chosen = [one for one in options if "selected" in one.attributes] or options[:1]
                values[name] = chosen[0].attributes["value"]
            elif field.tag == "textarea":
                text = "".join(child for child in field.children if isinstance(child, str))
                values[name] = text.removeprefix("\n")
            else:
                values[name] = field.attributes.get("value", "")
        assert set(typed) <= {field.attributes["name"] for field in form.all("input", "textarea", "select")}, typed
        return {**values, **typed}


def portal_of(world: World) -> Portal:
    """The portal of a world."""

    async def ask(request: Request) -> Response:
        return world.handle(request)

    return Portal(world.application, ask)


@attrs.frozen
class Member:
    """A member who uses the portal; without a cookie somebody who is not signed in."""

    world: World
    portal: Portal
    headers: Mapping[str, str]
    jar: dict[str, str] = attrs.field(factory=dict)
    """The cookies that the portal has set beside the session."""

    @classmethod
    def of(cls, world: World, role: Role = "OWNER", email: str | None = None) -> Member:
        """A member of the world's studio with this role."""
        email = email or f"{role.lower()}@example.com"
        operator = world.operator(email, role)
        return cls(world, portal_of(world), {"cookie": operator.headers["cookie"], "host": "localhost"})

    @classmethod
    def nobody(cls, world: World) -> Member:
        """Somebody who is not signed in."""
        return cls(world, portal_of(world), {"host": "localhost"})

    def studio(self, below: str) -> str:
        """The address of a page of the world's studio."""
        return f"/portal/studios/{self.world.game.studio_id}{below}"

    def game(self, below: str = "", environment: str = "test", **query: str) -> str:
        """The address of a page of the world's game."""
        return self.studio(
            f"/games/{self.world.game.game_id}{below}?{urlencode({'environment': environment, **query})}"
        )

    def send(self, method: str, address: str, body: bytes = b"", headers: Mapping[str, str] | None = None) -> Shown:
        """Send a request as it is."""
        parts = urlsplit(address)
        cookies = "; ".join(
            [*filter(None, [self.headers.get("cookie")]), *(f"{name}={text}" for name, text in self.jar.items())]
        )
        sent = {**self.headers, **({"cookie": cookies} if cookies else {}), **(headers or {})}
        response = asyncio.run(self._answer(Request(method, parts.path, parts.query, sent, body, "192.0.2.7")))
        self._keep(response)
        return Shown(address, response)

    def _keep(self, response: Response) -> None:
        for name, value in response.headers:
            if name == "Set-Cookie" and value.startswith("livecore-notice="):
                key, _, text = value.partition(";")[0].partition("=")
                self.jar[key] = text
                if "Max-Age=0" in value:
                    del self.jar[key]

    async def _answer(self, request: Request) -> Response:
        prepared = await self.portal.enter(request)
        return prepared.refused or await self.portal.answer(prepared)

    def open(self, address: str) -> Shown:
        """Open a page."""
        return self.send("GET", address)

    def submit(
        self, address: str, form: Mapping[str, str | list[str]], headers: Mapping[str, str] | None = None
    ) -> Shown:
        """Send a form to an address, as a page of the portal does."""
        body = urlencode(form, doseq=True).encode()
        own = {
            "content-type": "application/x-www-form-urlencoded",
            "origin": "http://localhost",
            "sec-fetch-site": "same-origin",
        }
        return self.send("POST", address, body, headers={**own, **(headers or {})})

    def fill(self, address: str, **typed: str | list[str]) -> Shown:
        """Open the page of an action, type, and send its form."""
        shown = self.open(address)
        assert shown.status == 200, shown.html
        return self.submit(address, shown.form(**typed))
