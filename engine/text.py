"""Makes untrusted text safe to show in a terminal, on a page or in a message, so that it can't control, hide or reorder anything.

Characters that aren't printable (control characters, escape sequences, DEL, direction overrides, zero-width characters, line and paragraph
separators, lone surrogates) are escaped as in Python: ``\\x1b``, ``\\u202e``. Every layer cleans text with these functions.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from math import floor
from traceback import extract_tb
from typing import Final

LONGEST_LINE: Final = 300
"""The largest number of characters in a stored line, such as a fault's detail."""
LONGEST_NAME: Final = 24
"""The largest number of terminal columns that a name may take."""
_ENGINE: Final = __file__.replace("\\", "/").removesuffix("text.py")
_LONGEST_QUOTE: Final = 60
_BLANK: Final = frozenset("\u00ad\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\U0001d159")
"""Characters that count as printable but are invisible."""


def plain(text: str) -> str:
    """Return the text as one line, with unprintable characters escaped; a newline becomes ``\\n``."""
    if text.isascii() and text.isprintable():
        return text
    return "".join([character if character.isprintable() and character not in _BLANK else _escape(character) for character in text])


def plain_lines(text: str) -> str:
    """Return the text with unprintable characters escaped, except newlines and tabs."""
    return "\n".join(["\t".join([plain(part) for part in line.split("\t")]) for line in text.split("\n")])


def one_line(text: str, longest: int = LONGEST_LINE) -> str:
    """Return a text as one line to be stored: blanks are collapsed, unprintable characters escaped, and a long text ends in an ellipsis."""
    return _cut(plain(" ".join(text[: 2 * longest].split())), longest)


def short(text: str, columns: int = LONGEST_NAME) -> str:
    """Return a name for display: one line as in ``one_line``, without combining marks, in at most ``columns`` terminal columns."""
    words = unicodedata.normalize("NFC", " ".join(text[: 64 * columns].split()))
    shown = plain("".join([character for character in words if not unicodedata.category(character).startswith("M")]))
    if _columns(shown) <= columns:
        return shown
    while _columns(shown) >= columns:
        shown = shown[:-1]
    return shown + "…"


def figure(number: float) -> str:
    """Return a number with at most three decimals, and without decimals if it is whole."""
    return str(int(number)) if float(number).is_integer() else str(round(number, 3))


def percent(share: float, digits: int = 0) -> str:
    """Return a share as a percentage, with halves rounded up: ``48%``."""
    whole = 100 * round(share, 4 + digits)
    return f"{floor(whole * 10**digits + 0.5) / 10**digits:.{digits}f}%"


def likelihood(chance: float) -> str:
    """Return a probability as a percentage; if nearly certain either way, only that it is ``under 1%`` or ``over 99%``."""
    return "under 1%" if chance < 0.01 else "over 99%" if chance > 0.99 else percent(chance)


def signed(number: float, digits: int = 0) -> str:
    """Return a change with its sign, such as ``+12``; a change that is rounded to zero has no sign."""
    shown = f"{number:+.{digits}f}".replace("-", "\N{MINUS SIGN}")
    return shown if shown.strip("+0.\N{MINUS SIGN}") else shown[1:]


def raised_at(error: BaseException) -> str:
    """Return the file and line of the last traceback entry outside the engine, such as ``nim.py:12``, or an empty string."""
    files = [(frame.filename.replace("\\", "/"), frame.lineno) for frame in extract_tb(error.__traceback__)]
    outside = [(file, line) for file, line in files if not file.startswith((_ENGINE, "<")) and "/importlib/" not in file]
    return f"{outside[-1][0].rsplit('/', 1)[-1]}:{outside[-1][1]}" if outside else ""


def counted(number: int, word: str) -> str:
    """Return the number followed by the word, with an s unless the number is 1."""
    return f"{number} {word}{'' if number == 1 else 's'}"


def listed(words: Sequence[str]) -> str:
    """Return the words as a phrase: ``a, b and c``."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def quote(value: object, longest: int = _LONGEST_QUOTE) -> str:
    """Return the ``repr`` of a value for use in a message, cleaned with ``plain`` and truncated."""
    if isinstance(value, str | bytes):
        value = value[: 2 * longest]
    return _cut(plain(repr(value)), longest)


def name_key(name: str) -> str:
    """Return the form in which names are compared: compatibility characters, case and repeated blanks make no difference."""
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).split())


def _escape(character: str) -> str:
    """Return the character's escape as in Python's ``repr``, even if the character is printable."""
    code = ord(character)
    if character in "\n\r\t":
        return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}[character]
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 3] + "..."


def _columns(text: str) -> int:
    return sum([2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text])
