"""What stands beside the table in a picture of Sunda to Sahul: what is to be decided, and how each seat stands."""

from __future__ import annotations

from typing import Final

from engine.palette import SEAT_COLORS
from engine.sunda.options import LEVEL_NAMES
from engine.sunda.pictures import COMPLETE_LAND, FRESH, GOLD, INK, OPEN_LAND, PAPER, SEA, marker
from engine.sunda.position import (
    ANSWER,
    BEGIN,
    CHOOSE,
    FIGHT,
    LAKE_RIGHT,
    LAND_RIGHT,
    LAY,
    MEND,
    OVER,
    RESOURCE_RIGHT,
    STRIKE_BACK,
    Ending,
)
from engine.sunda.state import SundaState
from engine.svg import move_to, stroke, text

WIDTH: Final = 300.0
_ROW: Final = 62.0
_DIM: Final = "#5d6a72"
_THIN: Final = 'font-weight="400"'
_PLACES: Final = ("1st", "2nd", "3rd", "4th")
_ENDINGS: Final = {
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


def status(state: SundaState) -> str:
    """What is to be decided, in words."""
    p = state.inside
    if p.phase == OVER and p.ending is not None:
        return f"Over: {_ENDINGS[p.ending]}"
    return f"Seat {p.actor} {_DECISIONS[p.phase]}"


def setting(state: SundaState) -> str:
    """The level and mode in words."""
    p = state.inside
    mode = "alone" if p.alone else "simultaneous" if p.ticks else "private pots" if p.private else "one pot"
    return f"level {p.level}, {LEVEL_NAMES[p.level]}; {mode}"


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def panel(state: SundaState) -> tuple[str, float]:
    """The panel with its upper left corner at (0, 0), and its height."""
    p = state.inside
    left = "" if p.private else f"{_count(sum(p.pots.sizes), 'tile')} in the pot, "
    parts = [
        text("Sunda to Sahul", (0, 30), 30, INK),
        text(status(state), (0, 60), 15.5, INK),
        text(setting(state), (0, 84), 15, _DIM, _THIN),
        text(f"{left}{_count(len(p.board.lies), 'tile')} on the table", (0, 106), 15, _DIM, _THIN),
    ]
    y = 124.0
    for seat in range(p.players):
        parts.append(f'<g class="seat" data-seat="{seat}" {move_to((0, y))}>{_seat(state, seat)}</g>')
        y += _ROW + 8
    for drawn, height in (_supply(state), _key()):
        parts.append(f"<g {move_to((0, y + 10))}>{drawn}</g>")
        y += height + 10
    return f'<g text-anchor="start">{"".join(parts)}</g>', y


def _seat(state: SundaState, seat: int) -> str:
    """A row: the seat's colour, its points, its tokens and tiles left, its rank at the end."""
    p, outcome, color = state.inside, state.outcome, SEAT_COLORS[seat]
    frame = stroke(GOLD, 4) if state.actor == seat else stroke("#cdbf9c", 1.5)
    notes = [] if p.alone else [f"{_count(p.claims.tokens[seat], 'token')} left"]
    notes += [_count(p.pots.sizes[seat], "tile")] if p.private else []
    notes += [_count(p.raids[seat], "raid")] if p.ticks else []
    return "".join(
        (
            f'<rect width="{WIDTH:g}" height="{_ROW:g}" rx="10" fill="#fffdf6" {frame}/>',
            f'<circle cx="31" cy="31" r="19" fill="{color.hex}" {stroke(INK, 1.2)}/>',
            text(str(seat), (31, 38), 20, color.ink, 'text-anchor="middle"'),
            text(_count(state.points[seat], "point"), (64, 27), 20, INK),
            text(", ".join(notes), (64, 49), 14.5, _DIM, _THIN),
            text(_PLACES[outcome.ranks[seat] - 1], (WIDTH - 14, 28), 20, "#a35f00", 'text-anchor="end"') if outcome and not p.alone else "",
        )
    )


def _supply(state: SundaState) -> tuple[str, float]:
    """The resource markers that are still to be had."""
    p = state.inside
    if p.level < 5 or p.alone or not p.claims.supply:
        return "", 0
    markers = "".join(marker(value, (112 + 31 * index, 14)) for index, value in enumerate(p.claims.supply))
    return f'{text("resources:", (0, 20), 15, _DIM, _THIN)}<g text-anchor="middle">{markers}</g>', 34


def _key() -> tuple[str, float]:
    """What the colours mean."""
    rows = ((OPEN_LAND, "land, island still open"), (COMPLETE_LAND, "land of a complete island"), (SEA, "sea"), (FRESH, "lake"))
    swatches = "".join(
        f'<g {move_to((0, 25 * index))}><rect width="26" height="17" rx="4" fill="{color}" {stroke(PAPER, 1)}/>'
        f"{text(words, (38, 13.5), 15, _DIM, _THIN)}</g>"
        for index, (color, words) in enumerate(rows)
    )
    last, free = (text(words, (38, 13.5), 15, _DIM, _THIN) for words in ("the last move", "land node without a token"))
    ring = f'<rect x="2" y="2" width="22" height="13" rx="4" fill="none" {stroke(GOLD, 4)}/>{last}'
    node = f'<circle cx="13" cy="8" r="5" fill="#ffffff" {stroke(INK, 1.5)}/>{free}'
    extra = f"<g {move_to((0, 25 * len(rows)))}>{ring}</g><g {move_to((0, 25 * len(rows) + 25))}>{node}</g>"
    return swatches + extra, 25.0 * (len(rows) + 2)
