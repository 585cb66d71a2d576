"""Makes untrusted text safe to show in a terminal, on a page or in a sentence: it can't control, hide or reorder anything.

What is not printable (controls, escape sequences, DEL, overrides of direction, zero-width characters, separators of lines and paragraphs,
halves of surrogate pairs) is shown as Python would escape it: ``\\x1b``, ``\\u202e``. Every layer cleans text with these functions.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from math import floor
from traceback import extract_tb
from typing import Final

LONGEST_LINE: Final = 300
"""The most characters of a line that is stored, such as a fault's detail."""
LONGEST_NAME: Final = 24
"""The most columns of a name."""
_ENGINE: Final = __file__.replace("\\", "/").removesuffix("text.py")
_LONGEST_QUOTE: Final = 60
_BLANK: Final = frozenset("\u00ad\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\U0001d159")
"""Characters that count as printable, but show nothing."""


def plain(text: str) -> str:
    """The text as one line, with every character that is not printable as its escape; a newline is ``\\n``."""
    if text.isascii() and text.isprintable():
        return text
    return "".join([character if character.isprintable() and character not in _BLANK else _escape(character) for character in text])


def plain_lines(text: str) -> str:
    """The same for a text of several lines: newlines and tabs stay."""
    return "\n".join(["\t".join([plain(part) for part in line.split("\t")]) for line in text.split("\n")])


def one_line(text: str, longest: int = LONGEST_LINE) -> str:
    """A remark as it is stored: runs of white space become one space, the rest is ``plain``, and a long text is cut with an ellipsis."""
    return _cut(plain(" ".join(text[: 2 * longest].split())), longest)


def short(text: str, columns: int = LONGEST_NAME) -> str:
    """A name for a table: one line as in ``one_line``, without combining marks, in at most ``columns`` columns of a terminal."""
    words = unicodedata.normalize("NFC", " ".join(text[: 64 * columns].split()))
    shown = plain("".join([character for character in words if not unicodedata.category(character).startswith("M")]))
    if _columns(shown) <= columns:
        return shown
    while _columns(shown) >= columns:
        shown = shown[:-1]
    return shown + "…"


def figure(number: float) -> str:
    """A number of points, with at most three decimals, none if it is whole."""
    return str(int(number)) if float(number).is_integer() else str(round(number, 3))


def percent(share: float, digits: int = 0) -> str:
    """A share in per cent, halves rounded up: ``48 %``."""
    whole = 100 * round(share, 4 + digits)
    return f"{floor(whole * 10**digits + 0.5) / 10**digits:.{digits}f} %"


def signed(number: float, digits: int = 0) -> str:
    """A change with its sign, as in ``+12``; what is rounded to zero has none."""
    shown = f"{number:+.{digits}f}".replace("-", "\N{MINUS SIGN}")
    return shown if shown.strip("+0.\N{MINUS SIGN}") else shown[1:]


def raised_at(error: BaseException) -> str:
    """The file and line of another package that raised or led to the exception, such as ``nim.py:12``; empty if none did."""
    files = [(frame.filename.replace("\\", "/"), frame.lineno) for frame in extract_tb(error.__traceback__)]
    outside = [(file, line) for file, line in files if not file.startswith((_ENGINE, "<")) and "/importlib/" not in file]
    return f"{outside[-1][0].rsplit('/', 1)[-1]}:{outside[-1][1]}" if outside else ""


def counted(number: int, word: str) -> str:
    """The number and the word, in the plural unless it is one."""
    return f"{number} {word}{'' if number == 1 else 's'}"


def listed(words: Sequence[str]) -> str:
    """The words as a phrase: ``a, b and c``."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def quote(value: object, longest: int = _LONGEST_QUOTE) -> str:
    """A value quoted for a sentence: its ``repr``, plain and cut."""
    if isinstance(value, str | bytes):
        value = value[: 2 * longest]
    return _cut(plain(repr(value)), longest)


def name_key(name: str) -> str:
    """Return the form in which names are compared: compatibility characters, case and runs of blanks make no difference."""
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).split())


def _escape(character: str) -> str:
    """The character's escape as in Python's ``repr``, even for a printable one."""
    code = ord(character)
    if character in "\n\r\t":
        return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}[character]
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 3] + "..."


def _columns(text: str) -> int:
    return sum([2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text])
