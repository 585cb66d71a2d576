"""The events of Tongiaki in plain words, for spectators; docs/notation.md lists the events."""

from __future__ import annotations

from typing import Final

from engine.render.scene import EventText
from engine.tongiaki.board.tiles import N_ISLANDS, TILE_OF_NAME

_WORDS: Final = {
    "draw": "draws {}",
    "fails": "the voyage fails on {}: too few colours",
    "stays": "the group stays on {}",
    "turns back": "{} is royal: the group turns back",
    "collapses": "{} collapses",
}


def describe_event(event: str) -> EventText:
    """Return an event of ``state.events`` in words, or unchanged if it is none of this game."""
    kind, _, name = event.rpartition(" ")
    if kind not in _WORDS or name not in TILE_OF_NAME:
        return EventText(event)
    tile = name.replace("_", " ")
    return EventText(_WORDS[kind].format(tile if TILE_OF_NAME[name] < N_ISLANDS else f"the water {tile}"))
