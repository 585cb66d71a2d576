"""The page on WebAssembly bots shows the bots that ``arena new`` writes, and the prices and limits that hold."""

from __future__ import annotations

import re
from pathlib import Path

from arena.languages import Language, starting_files
from bots.loader.archive import LARGEST_FILE
from bots.wasm import calls, conversation, engine, host, positions
from tests.docs.pages import blocks_of

PAGE = Path(__file__).parents[3] / "docs" / "wasm.md"
TEXT = PAGE.read_text(encoding="utf-8")
SHOWN = {"```c": (Language.C, "bot.c")}


def table(heading: str) -> list[list[str]]:
    """The rows of the first table under a heading, without its first two lines."""
    section = TEXT.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    rows = re.search(r"(?:^\|.*\n)+", section, re.MULTILINE)
    assert rows is not None
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[0].splitlines()[2:]]


def test_bots_are_shown_as_they_are_written() -> None:
    blocks = [block for block in blocks_of(PAGE) if f"```{block.language}" in SHOWN]
    assert [f"```{block.language}" for block in blocks] == [*SHOWN]
    for block in blocks:
        language, name = SHOWN[f"```{block.language}"]
        assert (block.title, block.text.strip()) == (name, dict(starting_files(language))[name].strip())


def test_prices_are_those_that_are_charged() -> None:
    rows = [[int(units.replace(",", "")) for units in row[1:]] for row in table("Fuel")]
    for column, game in enumerate(("tongiaki", "sunda")):
        own = host.prices_of(game)
        charged = [
            host.CALL,
            host.BYTE,
            host.PART,
            own.list,
            own.listed,
            own.parse,
            own.text,
            own.sample,
            own.copy,
            own.play,
        ]
        assert [row[column] for row in rows] == [*charged, host.PLAYOUT, own.played]


def test_limits_are_those_that_hold() -> None:
    limits = dict(table("What a module may not do"))
    assert limits["the file"] == f"{LARGEST_FILE >> 20} MiB"
    assert limits["memory"].startswith(f"{conversation.MEMORY >> 20} MiB,")
    assert limits["calls within calls"].startswith(f"{engine.STACK >> 10} KiB")
    assert limits["positions at a time"] == f"{positions.MOST:,}"
    assert limits["bytes that one call reads or writes"] == f"{host.LONGEST >> 10} KiB"
    assert limits["an answer"] == f"{conversation.LONGEST_ANSWER >> 10} KiB"
    assert limits["the log in a turn"].startswith(f"{host.LARGEST_LOG >> 20} MiB,")


def test_the_header_declares_every_function_with_its_types() -> None:
    types = {"i": "i32", "I": "i64", "F": "f64"}
    words = {"int32_t": "i32", "arena_position": "i32", "char": "i32", "int64_t": "i64", "uint64_t": "i64", "double": "f64", "void": ""}
    header = dict(starting_files(Language.C))["arena.h"]
    declared = re.findall(r'^ARENA_CALL\("(\w+)"\) (\w+) \w+\((.*?)\);', header, re.MULTILINE)
    found = {
        name: ([words[re.sub(r"^const ", "", each).split()[0]] for each in given.split(", ") if each != "void"], words[result])
        for name, result, given in declared
    }
    offered = {name: ([types[each] for each in given], types.get(result, "")) for name, (given, result, _) in calls.CALLS.items()}
    assert found == offered
