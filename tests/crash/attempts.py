"""Writes that were sent, and what became of them."""

from __future__ import annotations

import json

import attrs

from tests.laws.routes import Body


@attrs.frozen
class Answer:
    """What came back for an attempt."""

    status: int
    body: bytes
    headers: dict[str, str]

    @property
    def replayed(self) -> bool:
        """Whether it is the answer that was given before."""
        return self.headers.get("Idempotent-Replay") == "true"


@attrs.define(eq=False)
class Attempt:
    """One write and what became of it."""

    name: str
    player: str
    arguments: Body
    key: str
    status: int | None = None
    raw: bytes = b""

    @property
    def succeeded(self) -> bool:
        """Whether it was acknowledged as done."""
        return self.status is not None and self.status < 300

    @property
    def unknown(self) -> bool:
        """Whether it may have taken effect or not."""
        return self.status is None or self.status >= 500

    @property
    def data(self) -> Body:
        """What a success carries; nothing, where the player was told to wait."""
        data: Body = json.loads(self.raw).get("data", {})
        return data

    @property
    def waits_in(self) -> str | None:
        """The lobby in which the player was told to wait."""
        return str(json.loads(self.raw)["error"]["details"]["lobbyId"]) if self.status == 202 else None
