"""Names of people and bots: which are allowed and which are equal, what is shown of a person, and what a version is called."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from engine.core.errors import InputError
from engine.text import name_key, plain

PERSON_ID: Final = re.compile(r"person-[0-9a-f]{8}")
"""The pseudonym of a person, for places where the name is not shown."""
LONGEST: Final = 100
"""The most characters of a name."""
_OURS: Final = re.compile(r"person-[0-9a-f]*|former author\b.*", re.IGNORECASE)
"""What ids and pseudonyms look like."""

_NUMBERED: Final = re.compile(r"(.*[^.])\.v?[0-9]+", re.IGNORECASE | re.DOTALL)


class PersonNameError(InputError):
    """The name is not allowed; the message is a predicate for a sentence that begins with the name."""


def person_name(text: str) -> str:
    """Return the name in its stored form: Unicode NFC with single blanks. Raises PersonNameError."""
    name = " ".join(unicodedata.normalize("NFC", text).split())
    if not any(map(str.isalnum, name)) or plain(name) != name:
        raise PersonNameError("should be a name of printable characters, with a letter or digit")
    if len(name) > LONGEST:
        raise PersonNameError(f"should have at most {LONGEST} characters")
    if name[0] in "=+-@":
        raise PersonNameError("should not begin with =, +, - or @, which spreadsheets take for a formula")
    if _OURS.fullmatch(name_key(name)):
        raise PersonNameError("looks like an id or a pseudonym of this program; choose another name")
    return name


def shown_name(person: str, name: str | None) -> str:
    """Return a person's name, or the pseudonym of one who has none."""
    return name or f"former author {person.removeprefix('person-')}"


def find_equal(name: str, others: Iterable[str]) -> str | None:
    """Return the first of the others that is the same name, whatever its case, or None."""
    return next((other for other in others if name_key(other) == name_key(name)), None)


def unnumbered(name: str) -> str | None:
    """Return the name without a trailing version number as tournaments write it (``walker.2``, ``walker.v2``); None if it has none."""
    match = _NUMBERED.fullmatch(name)
    return match[1] if match else None


def version_name(name: str, number: int) -> str:
    """Return the name under which a version enters a tournament; version 1 has the bot's bare name."""
    return name if number == 1 else f"{name}.{number}"
