"""Names as the search compares them: as words, without case, accents and other differences that people leave out.

A name is *folded* to its words in order, each followed by one blank: `Jean-Luc  PICARD` to `jean luc picard `. A word is a
run of letters and digits of any script; any other character ends it. A name in a script that is written without spaces is
one word. Letters lose their case (`ß` becomes `ss`), their accents (`Zoë` becomes `zoe`), their strokes (`Łódź` becomes
`lodz`) and differences of form, such as full width. A mark that distinguishes letters stays: the vowels of Indic scripts,
the tones of Thai, the voicing of kana.

The search compares the end of the folded name from each word on (`beginnings`). A query finds the names with such an end
that begins with the query (`sought`). The last word is followed by a blank too, so a query can mark the end of a word:
`am%` is `am `, which finds `am` and not `amber`.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

_FEWEST: Final = 2
"""The fewest letters and digits of a query; a shorter query finds nothing."""
_MOST_WORDS: Final = 20
_LONGEST: Final = 80
"""Folding can make hostile text much longer: only this many words, and this many characters from each word on, are
compared."""
_BASES: Final = str.maketrans(
    {
        "æ": "ae", "œ": "oe", "ø": "o", "ð": "d", "đ": "d", "þ": "th", "ħ": "h", "\u0131": "i", "ĸ": "k", "ł": "l", "ŋ": "n",
        "ŧ": "t", "ƀ": "b", "ǥ": "g", "ɨ": "i", "ɉ": "j", "ɍ": "r", "ʉ": "u", "ƶ": "z",
    }
)  # fmt: skip
"""What people type for letters that Unicode does not decompose."""
_WRITTEN_ABOVE_OR_BELOW: Final = 200
_OVERLAID: Final = 1
_POINTS: Final = range(10, 37)
"""The classes of the marks that are left out: accents, strokes, and the points of Hebrew, Arabic and Syriac."""
_ASCII_WORDS: Final = re.compile("[0-9a-z]+")


def folded(text: str) -> str:
    """The words of a text, each followed by a blank; folding again changes nothing."""
    return "".join([f"{word} " for word in _words(text)])


def _words(text: str) -> list[str]:
    if text.isascii():
        return _ASCII_WORDS.findall(text.lower())
    return "".join([letter if _in_word(letter) else " " for letter in _plain(text)]).split()


def beginnings(name: str) -> tuple[str, ...]:
    """The end of the folded name from each of its words on; none for a name without letters and digits."""
    words = _words(name)[:_MOST_WORDS]
    return tuple(dict.fromkeys(f"{' '.join(words[first:])} "[:_LONGEST] for first in range(len(words))))


def sought(query: str) -> str | None:
    """The text with which one of a matching name's `beginnings` begins, or `None` where the query is too short."""
    query = query.strip()
    words = folded(query)
    if len(words.replace(" ", "")) < _FEWEST:
        return None
    is_over = folded(f"{query}x").endswith(" x ")
    return (words if is_over else words[:-1])[:_LONGEST]


def _plain(text: str) -> str:
    """A text without case, accents and differences of form."""
    decomposed = _bare(unicodedata.normalize("NFKD", text)).casefold().translate(_BASES)
    return unicodedata.normalize("NFC", _bare(unicodedata.normalize("NFKD", decomposed)))


def _bare(decomposed: str) -> str:
    return "".join([character for character in decomposed if not _is_left_out(character)])


@lru_cache(maxsize=4_096)
def _is_left_out(character: str) -> bool:
    """Whether a character of a decomposed text is an accent or only changes how the character before it is drawn."""
    place = unicodedata.combining(character)
    if place:
        return place >= _WRITTEN_ABOVE_OR_BELOW or place == _OVERLAID or place in _POINTS
    return unicodedata.category(character) == "Me" or "VARIATION SELECTOR" in unicodedata.name(character, "")


@lru_cache(maxsize=4_096)
def _in_word(character: str) -> bool:
    """Whether a character is part of a word: a letter, a digit, or a mark that belongs to a letter."""
    return unicodedata.category(character)[0] in "LNM"
