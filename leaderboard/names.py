"""Names of people, bots and bot versions: checks, comparison and display."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from engine.core.errors import InputError
from engine.text import name_key, plain

PERSON_ID: Final = re.compile(r"person-[0-9a-f]{8}")
"""The pseudonym of a person, used where the name must not be shown."""
LONGEST: Final = 100
"""The most characters of a name."""
_OURS: Final = re.compile(r"person-[0-9a-f]*|former author\b.*", re.IGNORECASE)
"""Names that look like ids or pseudonyms of this program."""

_NUMBERED: Final = re.compile(r"(.*[^.])\.v?[0-9]+", re.IGNORECASE | re.DOTALL)


class PersonNameError(InputError):
    """The name is not allowed; the message continues a sentence that begins with the name."""


def person_name(text: str) -> str:
    """Return the name in its stored form: Unicode NFC with single blanks. Raises PersonNameError."""
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
    """Return a person's name or, if the person has none, a pseudonym."""
    return name or f"former author {person.removeprefix('person-')}"


def find_equal(name: str, others: Iterable[str]) -> str | None:
    """Return the first of ``others`` that equals the name, ignoring case, or None."""
    return next((other for other in others if name_key(other) == name_key(name)), None)


def unnumbered(name: str) -> str | None:
    """Return the name without its version number (``walker.2`` or ``walker.v2``), or None if it has no version number."""
    match = _NUMBERED.fullmatch(name)
    return match[1] if match else None


def version_name(name: str, number: int) -> str:
    """Return the name of a bot's version in a tournament; version 1 has the bot's name without a number."""
    return name if number == 1 else f"{name}.{number}"
