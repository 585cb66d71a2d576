"""Replays for tests of the viewer, also in the files of a site."""

from __future__ import annotations

import gzip
import re
from base64 import b64decode
from dataclasses import replace
from functools import cache
from pathlib import Path

from engine.records import Forfeit
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


def save_page(text: str, path: Path) -> str:
    """The address of a page with that text."""
    path.write_text(text, encoding="utf-8")
    return path.as_uri()


def text_of(path: Path) -> str:
    """The text of a site's file, with its compressed document, if it has one, in full."""
    packed = r'(?<=<script type="application/gzip" id="arena-document">)[^<]*'
    text = path.read_text(encoding="utf-8", errors="replace")
    return re.sub(packed, lambda found: gzip.decompress(b64decode(found[0])).decode(), text)
