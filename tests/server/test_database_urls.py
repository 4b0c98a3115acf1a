"""A password in a database URL is shown to nobody, whatever is wrong with the URL."""

from __future__ import annotations

import traceback

import pytest

from livecore_server.settings import Settings
from livecore_server.storage.database import DatabaseProblem, open_store, vault_for
from livecore_server.storage.database_urls import masked

SECRET = "hunter2secret"


@pytest.mark.parametrize(
    ("url", "says"),
    [
        (f"mysql://ann:{SECRET}@db/game", "postgresql://user@host/name"),
        (f"mysql://ann:{SECRET}/{SECRET}@{SECRET}@db/game", "sqlite:///relative.db"),
        (f"postgresql+driver://ann:{SECRET}@db/game", "postgresql://user@host/name"),
        (f"sqlite://ann:{SECRET}@db/game", "sqlite:////absolute.db"),
        (f"mysql://db/game?user=ann&password={SECRET}", "mysql://db/game?user=ann&password=***"),
        (f"postgresql://ann:{SECRET}%zz@127.0.0.1:1/game", 'invalid percent-encoded token: "***"'),
        (f"postgresql://ann:{SECRET}@[::1/game", "IPv6"),
        (f"postgresql://ann:{SECRET} {SECRET}@127.0.0.1:1/game", "use percent-encoded spaces"),
        (f"postgresql://ann:{SECRET}/x@127.0.0.1:1/game", "/ as %2F"),
        (f"postgresql://ann:{SECRET}@{SECRET}@127.0.0.1:1/game", "@ as %40"),
        (f"postgresql://ann:{SECRET}#{SECRET}@127.0.0.1:1/game", "# as %23"),
        (f"postgresql://ann:{SECRET}@127.0.0.1:1x/game", "cannot be used"),
        (f"postgresql://ann:{SECRET}@127.0.0.1:1/game", "cannot be used"),
        (f"postgresql://127.0.0.1:1/game?password={SECRET}&nonsense={SECRET}", "nonsense"),
        (f"postgresql://127.0.0.1:1/game?user=ann@home&password={SECRET}", "cannot be used"),
    ],
)
def test_no_message_shows_the_password(url: str, says: str) -> None:
    """It says what is wrong all the same; and a traceback of it quotes nothing either."""
    for opening in (open_store, lambda url: vault_for(url, None)):
        with pytest.raises(DatabaseProblem) as refused:
            opening(url)
        assert says in str(refused.value)
        assert SECRET not in "".join(traceback.format_exception(refused.value))


def test_a_short_password_spoils_no_sentence() -> None:
    """Its letters are in every word; it is found where it is quoted."""
    with pytest.raises(DatabaseProblem) as refused:
        open_store("postgresql://ann:e%z@127.0.0.1:1/game")
    assert str(refused.value) == 'the database cannot be used: invalid percent-encoded token: "***"'


def test_settings_show_where_the_database_is_and_no_password() -> None:
    """Whoever prints or logs them."""
    shown = repr(Settings(database=f"postgresql://ann:{SECRET}@db/game"))
    assert "'postgresql://ann:***@db/game'" in shown
    assert SECRET not in shown


@pytest.mark.parametrize(
    "url", ["sqlite:///game.db", "postgresql://db/game", "postgresql://ann@db:5432/game?sslmode=require", ""]
)
def test_a_url_without_a_password_is_shown_as_it_is(url: str) -> None:
    assert masked(url) == url
