"""A game as people choose it: the values of its options, read from what they typed."""

from __future__ import annotations

import re
from typing import Any, Final

from engine.core import OptionValue

_DECIMAL: Final = re.compile(r"[+-]?[0-9]+\.[0-9]+")


def read_option(text: str) -> OptionValue:
    """Return the value of an option: ``true`` or ``false``, a number, whole numbers such as ``1,2,3``, or else the text."""
    value: Any = text
    if text in {"true", "false"}:
        value = text == "true"
    elif _DECIMAL.fullmatch(text):
        value = float(text)
    else:
        try:
            numbers = tuple(map(int, text.split(",")))
        except ValueError:
            return text
        value = numbers[0] if len(numbers) == 1 else numbers
    return value  # type: ignore[no-any-return]
