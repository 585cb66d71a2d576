"""Names of people: which are allowed, and which are equal."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from engine.core.errors import InputError
from engine.text import plain

PERSON_ID: Final = re.compile(r"person-[0-9a-f]{8}")
"""The pseudonym of a person, for places where the name is not shown."""
LONGEST: Final = 100
"""The most characters of a name."""
_OURS: Final = re.compile(r"person-[0-9a-f]*|former author\b.*", re.IGNORECASE)
"""What ids and pseudonyms look like."""


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


def name_key(name: str) -> str:
    """Return the form in which names are compared: compatibility characters, case and runs of blanks make no difference."""
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).split())
