"""Text of strangers: everything is shown, nothing is obeyed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text import one_line, plain, plain_lines, quote, short


@given(st.text())
def test_a_plain_text_is_printable_and_stays_so(text: str) -> None:
    assert plain(text).isprintable()
    assert plain(plain(text)) == plain(text)
    plain(text).encode()


@given(st.text(st.characters(categories=["Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"])))
def test_lines_keep_nothing_but_newlines_and_tabs(text: str) -> None:
    assert {each for each in plain_lines(text) if not each.isprintable()} <= {"\n", "\t"}
    assert plain_lines(text).count("\n") == text.count("\n")


@given(st.text(), st.integers(4, 40))
def test_names_and_remarks_are_no_longer_than_they_may_be(text: str, longest: int) -> None:
    assert len(one_line(text, longest)) <= longest
    assert len(short(text, longest)) <= longest
    assert short(text, longest).isprintable()
    assert len(quote(text, longest)) <= longest


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", r"\x1b[31mred"),
        ("\x9b31m", r"\x9b31m"),
        ("del \x7f", r"del \x7f"),
        ("\u202egnp.exe\u2066", r"\u202egnp.exe\u2066"),
        ("zero\u200bwidth\ufeff", r"zero\u200bwidth\ufeff"),
        ("one\u2028two\u2029", r"one\u2028two\u2029"),
        ("half \ud800", r"half \ud800"),
        ("blank \u3164", r"blank \u3164"),
        ("blank \u2800", r"blank \u2800"),
        ("blank \U0001d159", r"blank \U0001d159"),
        ("\U000e0041 tag", r"\U000e0041 tag"),
        ("line\nfeed\ttab", r"line\nfeed\ttab"),
        ("grüße 漢字 ✓ [bold]", "grüße 漢字 ✓ [bold]"),
    ],
)
def test_what_would_be_obeyed_or_hidden_is_shown(text: str, shown: str) -> None:
    assert plain(text) == shown
