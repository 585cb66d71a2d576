"""The side panel of a Sunda to Sahul picture: the pending decision, the points and the legend."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.core import State
from engine.render.scene import BoardSummary, Box, Supply, Symbol
from engine.render.svg import move_to, stroke
from engine.sunda.board.claims import TOKENS
from engine.sunda.options import LEVEL_NAMES
from engine.sunda.position import ANSWER, BEGIN, CHOOSE, FIGHT, LAKE_RIGHT, LAND_RIGHT, LAY, MEND, OVER, RESOURCE_RIGHT, STRIKE_BACK, Ending
from engine.sunda.render.pictures import COMPLETE_LAND, FRESH, GOLD, INK, OPEN_LAND, PAPER, SEA, marker, tokens, water_token
from engine.sunda.state import SundaState
from engine.text import counted

ENDINGS: Final[Mapping[str, str]] = {
    Ending.TOKENS: "all tokens of a player are laid",
    Ending.TILES: "the tiles are used up",
    Ending.BLOCKED: "no tile fits any more",
    Ending.AGREED: "agreed to end",
}
_DECISIONS: Final = {
    BEGIN: "lays the first tile",
    LAY: "lays a tile",
    CHOOSE: "chooses, unseen by others",
    MEND: "shifts a tile at the space",
    LAND_RIGHT: "may claim new land nodes",
    ANSWER: "is asked to take a token in",
    RESOURCE_RIGHT: "may add a resource",
    LAKE_RIGHT: "may claim a lake",
    FIGHT: "may challenge a tribe",
    STRIKE_BACK: "strikes back after a raid",
}


def sunda_state(state: State) -> SundaState:
    """Return the state as a SundaState. Raises TypeError for a state of a different game."""
    if not isinstance(state, SundaState):
        raise TypeError(f"expected a Sunda to Sahul position, not {type(state).__name__}")
    return state


def status(state: SundaState) -> str:
    """Return the pending decision in words."""
    p = state.inside
    if p.phase == OVER and p.ending is not None:
        return f"Over: {ENDINGS[p.ending]}"
    return f"Seat {p.actor} {_DECISIONS[p.phase]}"


def setting(state: SundaState) -> str:
    """Return the game's level and mode in words, such as ``level 2, tribes; one pot``."""
    p = state.inside
    mode = "solo" if p.alone else "simultaneous" if p.ticks else "private pots" if p.private else "one pot"
    return f"level {p.level}, {LEVEL_NAMES[p.level]}; {mode}"


def _tiles(state: SundaState) -> str:
    p = state.inside
    left = "" if p.private else f"{counted(sum(p.pots.sizes), 'tile')} in the pot, "
    return f"{left}{counted(len(p.board.lies), 'tile')} on the table"


def _has_resources(state: SundaState) -> bool:
    p = state.inside
    return p.level >= 5 and not p.alone and bool(p.claims.supply)


def _markers(state: SundaState) -> str:
    return "".join(marker(value, (31 * index, 0)) for index, value in enumerate(state.inside.claims.supply))


def summarize(state: State) -> BoardSummary:
    """Return the text next to the board on a page. Raises TypeError for a state of a different game."""
    state = sunda_state(state)
    p = state.inside
    columns = dict(state.tally())
    if p.private:
        columns["tiles"] = tuple(p.pots.sizes)
    waiting: tuple[Symbol, ...] = ()
    if _has_resources(state):
        box = Box(-16, -16, 31 * len(p.claims.supply) + 1, 32)
        waiting = (Symbol("resources still available", f'<g text-anchor="middle">{_markers(state)}</g>', box),)
    return BoardSummary(status(state), (setting(state), _tiles(state)), columns, waiting)


def supply(state: State) -> Supply | None:
    """Return the tokens that a seat has at the start, or None in solo play. Raises TypeError for a state of a different game."""
    p = sunda_state(state).inside
    return None if p.alone else Supply("tokens", "token", TOKENS[p.players])


_FLAT: Final = Box(0, -4, 26, 26)


def _swatch(color: str, words: str) -> Symbol:
    return Symbol(words, f'<rect width="26" height="17" rx="4" fill="{color}" {stroke(PAPER, 1)}/>', _FLAT)


_ALWAYS: Final = (
    _swatch(OPEN_LAND, "land, island still open"),
    _swatch(COMPLETE_LAND, "land of a complete island"),
    _swatch(SEA, "sea"),
    _swatch(FRESH, "lake"),
    Symbol("the last move", f'<rect x="2" y="2" width="22" height="13" rx="4" fill="none" {stroke(GOLD, 4)}/>', _FLAT),
    Symbol("land node without a token", f'<circle cx="13" cy="8" r="5" fill="#ffffff" {stroke(INK, 1.5)}/>', _FLAT),
    Symbol("land node that may be claimed now", f'<circle cx="13" cy="8" r="8" fill="{GOLD}" {stroke(INK, 1.3)}/>', _FLAT),
)
"""The symbols of the legend that are used at every level."""


def _small(piece: str) -> str:
    return f"<g {move_to((13, 8), scale=0.7)}>{piece}</g>"


_OF_LEVELS: Final = (
    (0, Symbol("a token of seat 0; tribes are stacks", f'<g text-anchor="middle">{_small(tokens((0,)))}</g>', _FLAT)),
    (1, Symbol("water rights of seat 1", f'<g text-anchor="middle">{_small(water_token(1))}</g>', _FLAT)),
    (5, Symbol("a resource and its value", f'<g text-anchor="middle">{_small(marker(4, (0, 0)))}</g>', _FLAT)),
)


def legend(state: State) -> tuple[Symbol, ...]:
    """Return the legend for the game's level. Raises TypeError for a state of a different game."""
    p = sunda_state(state).inside
    return _ALWAYS if p.alone else _ALWAYS + tuple(sign for level, sign in _OF_LEVELS if p.level >= level)
