"""Removes passwords from database URLs for people and logs.

libpq quotes parts of a URL that it cannot read, and a password with a character that should have been percent-encoded
becomes a part of the host, port or name. So such a URL is refused here, with a message that quotes nothing of it. Messages
about any other URL are searched for its password.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote

_MASK: Final = "***"
_USER: Final = re.compile(r"(?P<before>://[^:/?@]*:)(?P<password>.*)(?=@)", re.DOTALL)
_PARAMETER: Final = re.compile(r"(?P<before>[?&](?:ssl)?password=)(?P<password>[^&]*)", re.IGNORECASE)
_SHORTEST: Final = 4
"""Shorter passwords are searched only between quotation marks, because such letters can occur in any sentence."""


class UrlInvalid(ValueError):
    """A URL cannot be read; its user name or password may hold a character that has a meaning in URLs."""


def masked(url: str) -> str:
    """The URL with asterisks instead of any password."""
    for pattern in (_USER, _PARAMETER):
        url = pattern.sub(lambda found: found["before"] + _MASK, url)
    return url


def without_password(text: str, url: str) -> str:
    """A message about a URL, which may quote it or parts of it, with asterisks instead of its passwords."""
    text = text.replace(url, masked(url))
    for pattern in (_USER, _PARAMETER):
        for found in pattern.finditer(url):
            for password in {found["password"], unquote(found["password"])} - {""}:
                if len(password) >= _SHORTEST:
                    text = text.replace(password, _MASK)
                else:
                    text = text.replace(f'"{password}"', f'"{_MASK}"')
    return text


def require_encoded(url: str) -> None:
    """Raises `UrlInvalid` if a URL's user name or password cannot be separated from the rest."""
    place = url.partition("://")[2].partition("?")[0]
    authority, _, path = place.partition("/")
    if "@" in path or authority.count("@") > 1 or "#" in place:
        raise UrlInvalid(
            "in a user name or password, characters that have a meaning in URLs must be percent-encoded: "
            "@ as %40, : as %3A, / as %2F, ? as %3F, # as %23, % as %25"
        )
