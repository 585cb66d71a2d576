"""Turns validation errors into sentences that name the key as in the tournament file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, Final

from pydantic import BaseModel

from arena.spec.tables import PLANS, Until, formats_with, shown
from engine.registry import listed_games


def sentence(error: Mapping[str, Any], tables: Mapping[str, type[BaseModel]]) -> str:
    """Return one of pydantic's errors as one sentence.

    ``tables`` maps the key of each table in the file to its model; ``""`` is the key of the whole file.
    """
    path, plan = _without_tags(error["loc"])
    key = _dotted(path)
    if error["type"] == "union_tag_invalid":
        return f"'schedule.format': should be {', '.join(PLANS)}, not {error['ctx']['tag']!r}"
    if error["type"] == "extra_forbidden":
        if path[0] == "schedule" and len(path) == 2 and (others := formats_with(str(path[1]))):
            return f"the key '{key}' needs the format {' or '.join(others)}, but this is a {plan}"
        valid = _keys_at(path[:-1], plan, tables)
        near = get_close_matches(str(path[-1]), valid, n=1)
        return f"unknown key '{key}'" + (f"; did you mean '{near[0]}'?" if near else f"; valid here: {', '.join(valid)}")
    if error["type"] == "missing":
        return f"the key '{key}' is missing" + (f"; the games are {listed_games()}" if path == ("game",) else "")
    message = str(error["msg"]).removeprefix("Value error, ").removeprefix("Input ")
    if not path:
        return message
    message = _PLAINER.get(error["type"], message)
    if error["type"] == "model_type" and path[0] == "bots":
        message = "should be the bot's source, or a table with 'name' and 'source'"
    if error["type"] == "string_pattern_mismatch":
        more, longest = ("'_' and '-'", 40) if path[0] == "bots" else ("'_', '-' and spaces", 60)
        message = f"should be at most {longest} letters (A-Z, a-z), digits, '.', {more}, the first a letter or digit"
    if error["type"] in {"byte_size", "byte_size_unit"}:
        message = "should be a size, such as '512 MiB' or '1 GiB'"
    given = "" if isinstance(error["input"], dict | list | tuple) else f", not {shown(error['input'])}"
    return f"'{key}': {message}{given}"


_PLAINER: Final = {
    "string_too_short": "should not be empty",
    "too_short": "should not be empty",
    "tuple_type": "should be a list",
    "model_type": "should be a table",
    "model_attributes_type": "should be a table",
    "dict_type": "should be a table",
    "string_type": "should be text",
    "int_type": "should be an integer",
    "float_type": "should be a number",
}
"""Plainer messages for some of pydantic's types of error."""


def _dotted(path: Iterable[object]) -> str:
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def _without_tags(path: tuple[Any, ...]) -> tuple[tuple[Any, ...], str]:
    """Return the path in the file, and the format of the schedule, which pydantic inserts into paths."""
    if len(path) > 1 and path[0] == "schedule" and path[1] in PLANS:
        return (path[0], *path[2:]), path[1]
    return path, "round-robin"


def _keys_at(path: tuple[Any, ...], plan: str, tables: Mapping[str, type[BaseModel]]) -> list[str]:
    if path[:2] == ("schedule", "until"):
        return list(Until.model_fields)
    if path[:1] == ("schedule",):
        return list(PLANS[plan].model_fields)
    table = str(path[0]) if path else ""
    return [key for key in tables[table].model_fields if key not in ({"versions"} if path else {"package"})]
