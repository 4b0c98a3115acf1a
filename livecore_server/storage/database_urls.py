"""Database URLs as people and logs may see them: without their passwords.

libpq quotes pieces of a URL that it cannot read, and a password with a character that should have been percent-encoded
ends up in the wrong piece: as a host, a port or a name. So such a URL is refused here, in words that quote nothing of it,
and what is told about any other is searched for its password.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote

__all__ = ["UnencodedCharacter", "masked", "require_encoded", "without_password"]

_MASK: Final = "***"
_USER: Final = re.compile(r"(?P<before>://[^:/?@]*:)(?P<password>.*)(?=@)", re.DOTALL)
_PARAMETER: Final = re.compile(r"(?P<before>[?&](?:ssl)?password=)(?P<password>[^&]*)", re.IGNORECASE)
_SHORTEST: Final = 4
"""Passwords of fewer characters are found between quotation marks only: their letters are in every sentence."""


class UnencodedCharacter(ValueError):
    """The user name or password of a URL holds a character that has a meaning in URLs."""


def masked(url: str) -> str:
    """The URL with asterisks in the place of any password."""
    for pattern in (_USER, _PARAMETER):
        url = pattern.sub(lambda found: found["before"] + _MASK, url)
    return url


def without_password(text: str, url: str) -> str:
    """A message about a URL, which may quote it or parts of it, with asterisks in the place of its passwords."""
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
    """Raises `UnencodedCharacter` where a URL's user name or password cannot be told from the rest of it."""
    place = url.partition("://")[2].partition("?")[0]
    authority, _, path = place.partition("/")
    if "@" in path or authority.count("@") > 1 or "#" in place:
        raise UnencodedCharacter(
            "in a user name or password, characters that have a meaning in URLs must be percent-encoded: "
            "@ as %40, : as %3A, / as %2F, ? as %3F, # as %23, % as %25"
        )
