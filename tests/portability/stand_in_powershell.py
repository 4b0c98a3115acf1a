"""As much of PowerShell as `walkthrough.ps1` uses: it sends the requests and shows the answers, on machines without one.

The two functions at the beginning of that file are here as Python. Each of its other lines has one of the forms below; any
other form is an error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import Request, urlopen

_VARIABLE: Final = re.compile(r"\$((?:env:)?\w+)")
_TOKEN: Final = re.compile(
    r"""\s*(?:(?P<string>"[^"]*"|'[^']*')|(?P<variable>\$(?:env:)?\w+)|(?P<number>\d+)|(?P<open>@\{)|"""
    r"""(?P<word>(?:\[[\w.]+\]::)?\w[\w.()]*)|(?P<mark>[{}()=;+.]))"""
)


class PowerShell:
    """A session into which lines are pasted; `shown` is what it has printed."""

    def __init__(self) -> None:
        self.shown: list[str] = []
        self._held: dict[str, Any] = {"null": None}
        self._tokens: list[tuple[str, str]] = []

    def paste(self, text: str) -> None:
        """Run lines."""
        skipped = False
        for line in filter(None, map(str.strip, text.splitlines())):
            if line.startswith("if ("):
                skipped = not self._value(line[4:].removesuffix(") {"))
            elif line == "} else {":
                skipped = not skipped
            elif line == "}":
                skipped = False
            elif not skipped and not line.startswith("function "):
                self._run(line)

    def _run(self, line: str) -> None:
        tried = re.fullmatch(r"try \{ (.*?) \} catch \{ (.*?); \"\$_\" \}", line)
        if tried is not None:
            try:
                self._run(tried[1])
            except HTTPError as refused:
                with refused:
                    self._run(tried[2])
                    self.shown.append(f"The remote server returned an error: ({refused.code})")
            return
        assigned = re.fullmatch(r"\$((?:env:)?\w+) = (.*)", line)
        if assigned is not None:
            self._held[assigned[1]] = self._value(assigned[2])
        elif line.startswith("Show "):
            self.shown.append(json.dumps(self._value(line[5:]), separators=(",", ":")))
        else:
            self.shown.append(str(self._value(line)))

    # -- expressions

    def _value(self, text: str) -> Any:  # noqa: ANN401 - whatever the expression gives
        self._tokens = list(_tokens(text))
        found = self._sum()
        assert not self._tokens, f"not understood: {text!r} from {self._tokens[0]} on"
        return found

    def _sum(self) -> Any:  # noqa: ANN401 - as above
        found = self._part()
        while self._next("mark", "+"):
            found = {**found, **self._part()}
        return found

    def _part(self) -> Any:  # noqa: ANN401 - as above
        kind, text = self._tokens.pop(0)
        if kind == "mark" and text == "(":
            found = self._call() if self._tokens[0] == ("word", "Ask") else self._sum()
            assert self._next("mark", ")")
        elif kind == "open":
            found = self._table()
        elif kind == "string":
            found = text[1:-1] if text[0] == "'" else self._filled(text[1:-1])
        elif kind == "variable":
            found = self._held[text[1:]]
        elif kind == "number":
            found = int(text)
        else:
            assert text == "[DateTimeOffset]::UtcNow.ToUnixTimeMilliseconds()", text
            found = 1_800_000_000_000 + len(self.shown)
        while self._next("mark", "."):
            for name in self._tokens.pop(0)[1].split("."):
                found = found[name]
        return found

    def _table(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while not self._next("mark", "}"):
            name = self._tokens.pop(0)[1].strip("'")
            assert self._next("mark", "=")
            found[name] = self._sum()
            self._next("mark", ";")
        return found

    def _call(self) -> Any:  # noqa: ANN401 - as above
        self._tokens.pop(0)
        method, path, headers = self._tokens.pop(0)[1], self._part(), self._part()
        body = None if self._tokens[0] == ("mark", ")") else json.dumps(self._part()).encode()
        # Windows' own PowerShell gives every POST a type of content.
        kind = "application/json" if body is not None else "application/x-www-form-urlencoded"
        sent = headers if method == "GET" else {**headers, "Content-Type": kind}
        url = self._held["env:LIVECORE_BASE_URL"] + path
        data = body or (None if method == "GET" else b"")
        with urlopen(Request(url, data, sent, method=method)) as answer:  # noqa: S310 - the test's own server
            return json.load(answer)

    def _filled(self, text: str) -> str:
        return _VARIABLE.sub(lambda found: str(self._held[found[1]]), text)

    def _next(self, kind: str, text: str) -> bool:
        if self._tokens[:1] != [(kind, text)]:
            return False
        del self._tokens[0]
        return True


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    place = 0
    while place < len(text.rstrip()):
        found = _TOKEN.match(text, place)
        assert found is not None, f"not understood: {text[place:]!r}"
        place = found.end()
        yield str(found.lastgroup), found[str(found.lastgroup)]
