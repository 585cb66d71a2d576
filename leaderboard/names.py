"""Names of people, bots and bot versions: checks, comparison and display."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from engine.core.errors import InputError
from engine.text import name_key, plain

PERSON_ID: Final = re.compile(r"person-[0-9a-f]{8}")
"""The pattern of a person's id, such as ``person-7f3a91c2``, which stands for the person where no name may be shown."""
LONGEST: Final = 100
"""The maximum length of a person's name, in characters."""
_OURS: Final = re.compile(r"person-[0-9a-f]*|former author\b.*", re.IGNORECASE)
"""Names that look like ids or pseudonyms of this program."""

_NUMBERED: Final = re.compile(r"(.*[^.])\.v?[0-9]+", re.IGNORECASE | re.DOTALL)


class PersonNameError(InputError):
    """The name of a person is not allowed. The message completes a sentence that begins with the name."""


def person_name(text: str) -> str:
    """Return a person's name as it is stored: in Unicode NFC, with single spaces between words. Raises PersonNameError."""
    name = " ".join(unicodedata.normalize("NFC", text).split())
    if not any(map(str.isalnum, name)) or plain(name) != name:
        raise PersonNameError("must have only printable characters, and at least one letter or digit")
    if len(name) > LONGEST:
        raise PersonNameError(f"can have at most {LONGEST} characters")
    if name[0] in "=+-@":
        raise PersonNameError("must not begin with =, +, - or @, because spreadsheets would read it as a formula")
    if _OURS.fullmatch(name_key(name)):
        raise PersonNameError("looks like an id or a pseudonym of this program; choose a different name")
    return name


def shown_name(person: str, name: str | None) -> str:
    """Return the name to show for a person: ``name`` or, if there is none, a pseudonym made from the id ``person``."""
    return name or f"former author {person.removeprefix('person-')}"


def find_equal(name: str, others: Iterable[str]) -> str | None:
    """Return the first of ``others`` that equals the name if case is ignored, or None if none of them does."""
    return next((other for other in others if name_key(other) == name_key(name)), None)


def unnumbered(name: str) -> str | None:
    """Return the name without its version number (``walker`` for ``walker.2`` or ``walker.v2``), or None if it has no such number."""
    match = _NUMBERED.fullmatch(name)
    return match[1] if match else None


def version_name(name: str, number: int) -> str:
    """Return the name that a version of a bot has in a ladder: ``walker`` for version 1, ``walker.2`` for version 2, and so on."""
    return name if number == 1 else f"{name}.{number}"
