"""Whether two names of bots look alike: they differ in case, look-alike characters, separators, or a trailing version number.

The method is that of Unicode's skeletons (UTS #39), for names of ASCII letters, digits, ``.``, ``_`` and ``-``. Its table of confusables
has only ``0 O``, ``1 l I`` and ``m rn`` among these; the other pairs here look alike in common fonts.
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
"""The characters that may precede a version number."""
_NUMBERED: Final = re.compile(r"(.*[^.])\.v?[0-9]+", re.IGNORECASE | re.DOTALL)


def skeleton(name: str) -> str:
    """Return a text that is equal for names that look the same: folded case, one character for all look-alikes, no separators."""
    return name.casefold().translate(_ALIKE)


_ALIKE_DIGITS: Final = skeleton(_DIGITS)
_ALIKE_MARKS: Final = tuple(map(skeleton, _MARKS))


def look_alike(one: str, other: str) -> bool:
    """Return whether two names look the same, one looks like a version of the other, or both look like versions of a third.

    A number at the end of a name always counts as a version number (``walker2``, ``walker-v2``, ``walker.2``). Letters that look like a
    number (``walker.l0``) count as one if the other name is the same without them, or with a number.
    """
    return not (_stems(one).isdisjoint(_loose_stems(other)) and _stems(other).isdisjoint(_loose_stems(one)))


def find_alike(name: str, others: Iterable[str]) -> str | None:
    """Return the first of the others that looks like the name, or None."""
    return next((other for other in others if look_alike(name, other)), None)


def unnumbered(name: str) -> str | None:
    """Return the name without a trailing version number as tournaments write it (``walker.2``, ``walker.v2``); None if it has none."""
    match = _NUMBERED.fullmatch(name)
    return match[1] if match else None


def version_name(name: str, number: int) -> str:
    """Return the name under which a version enters a tournament; version 1 has the bot's bare name."""
    return name if number == 1 else f"{name}.{number}"


def _stems(name: str) -> set[str]:
    """Return the skeletons of the name with and without version numbers."""
    folded = re.sub(r"[_.@-]", "", name.casefold())
    return {skeleton(each) for each in _shortened(folded, _DIGITS, _MARKS)}


def _loose_stems(name: str) -> set[str]:
    """Return the same with letters that look like digits treated as digits."""
    return _shortened(skeleton(name), _ALIKE_DIGITS + _DIGITS, _ALIKE_MARKS)


def _shortened(text: str, digits: str, marks: tuple[str, ...]) -> set[str]:
    """Return the text and every non-empty prefix of it that is followed only by numbers, each perhaps after a mark."""
    stems: set[str] = set()
    waiting = [text]
    while waiting:
        text = waiting.pop()
        if not text or text in stems:
            continue
        stems.add(text)
        rest = text.rstrip(digits)
        for end in range(len(rest), len(text)):
            waiting.append(text[:end])
        if rest != text:
            waiting.extend(rest.removesuffix(mark) for mark in marks)
    return stems
