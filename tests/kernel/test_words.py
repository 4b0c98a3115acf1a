"""Names as search compares them: what a word is, what is left out, and which queries find which names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from livecore.kernel.words import beginnings, folded, sought


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Amber Otter", "amber otter "),
        ("Jean-Luc  PICARD", "jean luc picard "),
        ("_xX_D4rk_Xx_", "xx d4rk xx "),
        ("O'Brien & Sons, Ltd.", "o brien sons ltd "),
        ("Zoë", "zoe "),
        ("Zoe\u0308", "zoe "),
        ("ÇAĞRI", "cagri "),
        ("Łódź Đorđe Øre", "lodz dorde ore "),
        ("Æsir Œuvre Þór", "aesir oeuvre thor "),
        ("İstanbul IŞIK \u0131ş\u0131k", "istanbul isik isik "),
        ("Straße", "strasse "),
        ("ＳＴＲ１２", "str12 "),  # noqa: RUF001 - full-width letters are what is tested
        ("ﬁre²", "fire2 "),
        ("Ёлка ΆΛΦΑΣ", "елка αλφασ "),
        ("李小龙", "李小龙 "),
        ("한글 이름", "한글 이름 "),
        ("ガンダム ｶﾞ", "ガンダム ガ "),
        ("राम कि", "राम कि "),
        ("สวัสดี", "สวัสดี "),
        ("שָׁלוֹם مُحَمَّد", "שלום محمد "),
        ("1\ufe0f\u20e3st ❤\ufe0f", "1st "),
        ("***", ""),
        ("", ""),
    ],
)
def test_a_name_is_folded_to_its_words(name: str, words: str) -> None:
    """Case, accents, strokes and forms go; marks that tell letters apart stay; what is no letter or digit parts words."""
    assert folded(name) == words


@given(st.text(max_size=60))
def test_folding_again_changes_nothing(name: str) -> None:
    """So a query may be a name as it is shown, or as somebody folded it."""
    assert folded(folded(name)) == folded(name)


@given(st.text(max_size=40))
def test_a_name_begins_with_each_of_its_words_and_is_bounded(name: str) -> None:
    """Text that becomes much longer by folding makes no more than twenty entries of eighty characters."""
    found = beginnings(name)
    assert len(found) <= 20
    assert all(0 < len(text) <= 80 for text in found)
    assert bool(found) == bool(folded(name))


def test_the_beginnings_of_a_name() -> None:
    """Its end from each word on, the same one once."""
    assert beginnings("Jean-Luc Picard") == ("jean luc picard ", "luc picard ", "picard ")
    assert beginnings("la la") == ("la la ", "la ")
    assert beginnings("ab " * 20) == tuple(("ab " * (20 - at))[:80] for at in range(20))
    assert 1 < len(beginnings("\ufdfa " * 20)) <= 20  # a name of forty characters, and of eighty words


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("luc", "luc"),
        ("  Jean LU  ", "jean lu"),
        ("jean-", "jean "),
        ("-luc", "luc"),
        ("100%", "100 "),
        ("am%", "am "),
        ("%%", None),
        ("a%", None),
        ("[a", None),
        ("李", None),
        ("", None),
    ],
)
def test_what_a_query_looks_for(query: str, wanted: str | None) -> None:
    """The folded query; a sign after its last word says that the word is over, and too few letters look for nothing."""
    assert sought(query) == wanted


@given(st.text(max_size=40), st.data())
def test_every_name_is_found_by_the_beginning_of_each_of_its_words(name: str, data: st.DataObject) -> None:
    """However the query is spelled that the folded name begins with from some word on."""
    for text in beginnings(name):
        length = data.draw(st.integers(1, len(text)))
        query = sought(text[:length])
        assert query is None or text.startswith(query)
