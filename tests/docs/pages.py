"""The pages of the documentation and their blocks of code. It runs nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sybil.document import Document
from sybil.parsers.markdown.lexers import RawFencedCodeBlockLexer

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

_EVERY_FENCE = RawFencedCodeBlockLexer(re.compile(r"(?P<language>[\w-]*)(?P<more>[^\n]*)\n"))
_FIRST = re.compile(r"<!-- first: (.+) -->\n\Z")
_NOT_RUN = re.compile(r"<!-- not run: (.+) -->\n\Z")
_TITLE = re.compile(r'title="([^"]+)"')


class Block(NamedTuple):
    """A fenced block: where it is, its language, the file that its title names, its text.

    Comments above it say why it is ``not_run``, or which command has to be run ``first``, though a reader of the page need not be told.
    """

    where: str
    language: str
    title: str
    text: str
    not_run: str
    first: str


def name_of(page: Path) -> str:
    """How tests call a page."""
    return page.relative_to(ROOT).as_posix().removeprefix("docs/").removesuffix(".md")


def blocks_of(page: Path, root: Path = ROOT) -> Iterator[Block]:
    """The blocks of a page, in order."""
    document = Document(page.read_text(encoding="utf-8"), str(page))
    for region in sorted(_EVERY_FENCE(document), key=lambda region: region.start):
        line = document.text.count("\n", 0, region.start) + 1
        reason = _NOT_RUN.search(document.text, 0, region.start)
        first = _FIRST.search(document.text, 0, region.start)
        title = _TITLE.search(region.lexemes["more"])
        yield Block(
            f"{page.relative_to(root)}, line {line}",
            region.lexemes["language"],
            title[1] if title else "",
            str(region.lexemes["source"]),
            reason[1] if reason else "",
            first[1].replace("; ", "\n") if first else "",
        )
