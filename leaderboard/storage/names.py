"""When two bots' names look alike: in another case, with look-alike characters, other separators, or the number of a version behind.

The idea is that of Unicode's skeletons (UTS #39), for names of ASCII letters, digits, ``.``, ``_`` and ``-``. Its table of confusables has
only ``0 O``, ``1 l I`` and ``m rn`` among these; the others here are alike in common fonts. It knows nothing of who owns a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_ALIKE: Final = str.maketrans(
    {"0": "o", "1": "l", "i": "l", "2": "z", "5": "s", "8": "b", "d": "cl", "m": "rn", "w": "vv", "_": "", ".": "", "-": "", "@": ""}
)
_DIGITS: Final = "0123456789"
_MARKS: Final = ("version", "ver", "v")
"""What may stand before the number of a version."""
_NUMBERED: Final = re.compile(r"(.*[^.])\.v?[0-9]+", re.IGNORECASE | re.DOTALL)


def skeleton(name: str) -> str:
    """Equal for names that look the same: case folded, one character for all that are alike, no separators."""
    return name.casefold().translate(_ALIKE)


_ALIKE_DIGITS: Final = skeleton(_DIGITS)
_ALIKE_MARKS: Final = tuple(map(skeleton, _MARKS))


def look_alike(one: str, other: str) -> bool:
    """Whether two names look the same, or one looks like a version of the other, or both like versions of a third.

    A number at the end of a name may always be the number of a version (``walker2``, ``walker-v2``, ``walker.2``), and so may letters
    that look like one (``walker.l0``), but then the other name has to be the same without them, or with a number.
    """
    return not (_stems(one).isdisjoint(_loose_stems(other)) and _stems(other).isdisjoint(_loose_stems(one)))


def find_alike(name: str, others: Iterable[str]) -> str | None:
    """The first of the others that looks like the name."""
    return next((other for other in others if look_alike(name, other)), None)


def unnumbered(name: str) -> str | None:
    """What stands before a number at the end, written as tournaments name versions (``walker.2``, ``walker.v2``); None without one."""
    found = _NUMBERED.fullmatch(name)
    return found[1] if found else None


def version_name(name: str, number: int) -> str:
    """The name under which a version enters a tournament; the first is called by the bot's name alone."""
    return name if number == 1 else f"{name}.{number}"


def _stems(name: str) -> set[str]:
    """The skeletons of the name, and of what is left of it without numbers of versions."""
    folded = re.sub(r"[_.@-]", "", name.casefold())
    return {skeleton(each) for each in _shortened(folded, _DIGITS, _MARKS)}


def _loose_stems(name: str) -> set[str]:
    """The same where letters that look like digits count as digits."""
    return _shortened(skeleton(name), _ALIKE_DIGITS + _DIGITS, _ALIKE_MARKS)


def _shortened(text: str, digits: str, marks: tuple[str, ...]) -> set[str]:
    """The text, and every beginning of it that is followed by numbers alone, each perhaps after a mark; never the empty text."""
    found: set[str] = set()
    waiting = [text]
    while waiting:
        text = waiting.pop()
        if not text or text in found:
            continue
        found.add(text)
        rest = text.rstrip(digits)
        for end in range(len(rest), len(text)):
            waiting.append(text[:end])
        if rest != text:
            waiting.extend(rest.removesuffix(mark) for mark in marks)
    return found
