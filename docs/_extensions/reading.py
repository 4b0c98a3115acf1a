"""What makes the built pages easier to find and to read: words people search for, tables that fit a phone, light pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util import logging

MOST_BYTES = 300_000
"""The largest page; a larger one is a warning, and so the build fails."""
MANY_COLUMNS = 6
"""From here on the headings of narrow columns are written upwards, so that the table fits the page."""
NARROW = 9
"""How many characters the cells of a narrow column have at most."""
WORDS = {
    "glossary": ("glossary", "terms"),
    "how-to/answer-a-data-subject-request": (
        "gdpr",
        "erase a player",
        "delete player data",
        "export player data",
    ),
    "how-to/back-up-and-restore": ("backup", "backups", "restore"),
    "how-to/ban-a-cheater": ("ban", "ban a player", "cheater", "anti-cheat"),
    "how-to/connect-an-identity-provider": ("openid connect", "sso", "login"),
    "how-to/end-an-event-early": ("end event early", "stop an event", "cancel event"),
    "how-to/give-to-everybody": (
        "give everybody gold",
        "give to everybody",
        "compensation",
        "gift to all players",
    ),
    "how-to/let-players-found-guilds": ("guild", "guilds", "clan"),
    "how-to/match-players-into-lobbies": ("lobby", "lobbies", "matchmaking"),
    "how-to/move-from-playfab": ("playfab", "migrate from playfab"),
    "how-to/move-players-in": ("migrate", "migration", "import players"),
    "how-to/move-to-postgresql": ("postgres", "postgresql"),
    "how-to/open-crates-fairly": ("crate", "crates", "loot box", "gacha"),
    "how-to/play-from-a-browser": ("browser", "javascript", "cors", "web game"),
    "how-to/play-from-another-engine": (
        "unity",
        "godot",
        "unreal",
        "c#",
        "csharp",
        "gdscript",
        "http",
    ),
    "how-to/receive-webhooks": ("webhook", "webhooks"),
    "how-to/run-a-weekly-tournament": ("event", "events", "tournament"),
    "how-to/run-in-production": ("deploy", "docker", "systemd", "production"),
    "how-to/show-a-live-leaderboard": ("leaderboard", "leaderboards", "leader board"),
    "how-to/size-a-deployment": ("rate limit", "rate limits", "429", "sizing"),
    "how-to/test-your-game-with-a-world": ("test my game", "unit test", "pytest", "world"),
    "how-to/verify-a-webhook-yourself": ("verify webhook", "webhook signature", "hmac"),
    "how-to/track-purchases": ("purchase", "purchases", "receipt", "revenue"),
    "what-livecore-does-not-do": (
        "chat",
        "push notifications",
        "payment",
        "cloud save",
        "voice",
        "real-time matches",
    ),
}
"""What people type into the search, and the page that they look for."""

logger = logging.getLogger(__name__)


class SearchWords(SphinxTransform):
    """Enters the words of a page into the index, through which the search finds it first."""

    default_priority = 500

    def apply(self, **_: object) -> None:
        """Add the entries at the beginning of the page."""
        words = WORDS.get(self.env.docname, ())
        if words:
            target = nodes.target("", "", ids=["search-words"])
            entries = [("single", word, "search-words", "main", None) for word in words]
            self.document.insert(0, [addnodes.index(entries=entries), target])


class TablesForPhones(SphinxTransform):
    """Gives each cell the heading of its column, which is shown where the cells of a row stand one below the other."""

    default_priority = 500

    def apply(self, **_: object) -> None:
        """Change every table of the page."""
        for table in self.document.findall(nodes.table):
            heads = [
                list(row.findall(nodes.entry))
                for head in table.findall(nodes.thead)
                for row in head.children
            ]
            rows = [
                list(row.findall(nodes.entry))
                for body in table.findall(nodes.tbody)
                for row in body.children
            ]
            if len(heads) == 1:
                _write_upwards(heads[0], rows)
                _mark_figures(table, rows)
                for row in rows:
                    _label(row, heads[0])


def _write_upwards(head: list[nodes.entry], rows: list[list[nodes.entry]]) -> None:
    """Mark the headings of narrow columns in a table of many columns."""
    if len(head) < MANY_COLUMNS:
        return
    for number, entry in enumerate(head):
        widest = max((len(row[number].astext()) for row in rows), default=0)
        if widest <= min(NARROW, len(entry.astext())):
            entry["classes"].append("upwards")
            for row in rows:
                row[number]["classes"].append("narrow")


def _mark_figures(table: nodes.table, rows: list[list[nodes.entry]]) -> None:
    """Mark a table of numbers: to compare them one needs their columns, so on a phone it scrolls."""
    texts = [cell.astext() for row in rows for cell in row[1:]]
    if sum(text[:1].isdigit() for text in texts) > len(texts) / 2:
        table["classes"].append("figures")


def _label(row: list[nodes.entry], head: list[nodes.entry]) -> None:
    """Put the heading before the text of every cell but the first; mark the cells that have none."""
    for cell, heading in list(zip(row, head, strict=True))[1:]:
        if not cell.astext().strip():
            cell["classes"].append("empty")
        elif heading.astext() and isinstance(cell.children[0], nodes.paragraph):
            cell.children[0].insert(
                0, nodes.inline("", f"{heading.astext()}: ", classes=["cell-label"])
            )


def _weigh(app: Sphinx, exception: Exception | None) -> None:
    """Warn of pages that are too large."""
    if exception is None and app.builder.name == "html":
        for page in sorted(Path(app.outdir).rglob("*.html")):
            if (size := page.stat().st_size) > MOST_BYTES:
                logger.warning(
                    "%s has %d bytes, more than %d",
                    page.relative_to(app.outdir),
                    size,
                    MOST_BYTES,
                )


def setup(app: Sphinx) -> dict[str, Any]:
    """What Sphinx calls."""
    app.add_transform(SearchWords)
    app.add_transform(TablesForPhones)
    app.connect("build-finished", _weigh)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
