"""Text from strangers in Markdown: names of bots and tournaments come from databases and files that anybody may have written."""

from __future__ import annotations

from typing import Final

from engine.text import one_line

_ENTITIES: Final = str.maketrans({character: f"&#{ord(character)};" for character in "\\`*[]|<>&~:"})


def markdown_text(text: str) -> str:
    """Return a text as one line of Markdown that shows it, and is no markup, table cell, link or HTML of its own."""
    return one_line(text).translate(_ENTITIES)
