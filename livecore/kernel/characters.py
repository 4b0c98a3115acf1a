r"""Which characters a text may hold: those of one line, of several lines, or of a name that people see.

Control characters are Unicode's category Cc; lone surrogates are not characters. A text of several lines may hold three
control characters: the tab, `\n` and `\r`.

A name appears in lists beside other names, so it must be visible and must not change the text around it. It holds no format
characters, which are the categories Cf, Zl and Zp of the Unicode Standard (table 2-3): characters of no width, soft
hyphens, joiners, characters that change the direction of writing, and separators of lines and paragraphs. At least one of
its characters is visible: a letter, number, punctuation mark or symbol that is not drawn blank. Spaces do not count as
visible, and neither do marks, which need another character to be drawn on.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

CONTROL_CHARACTER: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
"""A control character or a lone surrogate."""
STRAY_CHARACTER: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
"""A control character other than a tab or the end of a line, or a lone surrogate."""
_FORMAT: Final = frozenset({"Cf", "Zl", "Zp"})
_DRAWN: Final = frozenset("LNPS")
_BLANK: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0\U0001d159\U00013441\U00013442")
"""Letters and symbols that are drawn blank: of Hangul, Braille, musical and Egyptian writing."""

LINE_PATTERN: Final = r"^[^\x00-\x1f\x7f-\x9f]*$"
"""One line, for a JSON Schema."""
LINES_PATTERN: Final = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]*$"
"""Several lines, for a JSON Schema."""
NAME_PATTERN: Final = r"^(?=.*\S)[^\x00-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]*$"
"""A name, for a JSON Schema: an approximation, as a pattern that any tool understands."""


def has_format_characters(text: str) -> bool:
    """Whether `text` holds an invisible character that changes how its neighbours are shown."""
    return not text.isascii() and any(unicodedata.category(character) in _FORMAT for character in text)


def shows_something(text: str) -> bool:
    """Whether a character of `text`, which holds no control character, is visible."""
    if text.isascii():
        return not (text == "" or text.isspace())
    return any(unicodedata.category(character)[0] in _DRAWN and character not in _BLANK for character in text)
