"""Replays for tests of the viewer, also in the files of a site."""

from __future__ import annotations

import gzip
import re
from base64 import b64decode
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from engine.records import Forfeit
from engine.render import drawing
from engine.replay.format import read_replay
from engine.replay.verifier import ReplayTimeline, timeline_of

VECTORS = Path(__file__).parents[2] / "vectors"
TONGIAKI, SUNDA = "tongiaki/r6-46", "sunda/simultaneous-L4-4p-6"
HOSTILE = """</script><img src=x onerror=alert(1)>&amp;"'"""
ALL = sorted(str(path.relative_to(VECTORS).with_suffix("")) for path in VECTORS.glob("*/*.json"))


@cache
def timeline_of_vector(name: str) -> ReplayTimeline:
    """The timeline of a vector."""
    return timeline_of(read_replay((VECTORS / f"{name}.json").read_text()))


def hostile_timeline() -> ReplayTimeline:
    """A match whose names and reasons are attacks on the page, and in which seats forfeit."""
    found = timeline_of_vector(TONGIAKI)
    seats = [decision.seat for decision in found.replay.decisions]
    later = next(at for at in range(100, found.end) if seats[at] != seats[40])
    forfeits = tuple(Forfeit(seats[at], at, f"{HOSTILE} {at}") for at in (40, later))
    return ReplayTimeline(replace(found.replay, forfeits=forfeits), (HOSTILE,) * 6, found.states, found.moves)


Node = list[Any]
"""An element of a picture: its name, its attributes in order as pairs, the text it begins with, its children."""


def drawn(found: ReplayTimeline, at: int) -> list[Node]:
    """The board after ``at`` decisions as our own drawing has it."""
    last, before = (found.moves[at - 1], found.states[at - 1]) if at else (None, None)
    return _board(drawing.svg(found.states[at], last=last, before=before))


def plain(found: ReplayTimeline, at: int) -> list[Node]:
    """The same without marks of the last move."""
    return _board(drawing.svg(found.states[at]))


def _board(svg: str) -> list[Node]:
    root = ElementTree.fromstring(svg)  # noqa: S314  # our own
    board = next(element for element in root if element.get("class") in {"board", "table"})
    return [tree(child) for child in board]


def tree(element: ElementTree.Element) -> Node:
    """The element without what does not matter: namespaces, the order of attributes, blanks between elements."""
    attributes = sorted(list(pair) for pair in element.attrib.items())
    return [element.tag.partition("}")[2], attributes, (element.text or "").strip(), [tree(child) for child in element]]


def save_page(text: str, path: Path) -> str:
    """The address of a page with that text."""
    path.write_text(text, encoding="utf-8")
    return path.as_uri()


def text_of(path: Path) -> str:
    """The text of a site's file, with its compressed document, if it has one, in full."""
    packed = r'(?<=<script type="application/gzip" id="arena-document">)[^<]*'
    text = path.read_text(encoding="utf-8", errors="replace")
    return re.sub(packed, lambda found: gzip.decompress(b64decode(found[0])).decode(), text)
