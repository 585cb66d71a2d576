"""What is said of each kind of decision of Sunda to Sahul: the prompt, and a sentence for a first match."""

from __future__ import annotations

from typing import Final

from engine.sunda.position import (
    ANSWER,
    BEGIN,
    CHOOSE,
    FIGHT,
    LAKE_RIGHT,
    LAND_RIGHT,
    LAY,
    MEND,
    RESOURCE_RIGHT,
    STRIKE_BACK,
    Position,
)

GOALS: Final = (
    "You play alone: close corners of land all round with tiles. Each such land node scores, double on a complete island.",
    "Lay tiles so that a corner of land is closed all round: you may put a token on such a land node, for a point, or two on an island"
    " that is complete. Most points win.",
    "A lake: five points for each of its corners.",
    "Tribes: each token scores as many points as its tribe has tokens.",
    "You may ask to join others' tribes.",
    "After a token you may challenge a tribe with dice.",
    "Resources score for whoever has most tokens on their island.",
)
"""What to play for: alone, then what each level adds."""

LAID_ALONE: Final = "Tabs fit into blanks, and land meets land. Numbers on a gold ground close something."
"""What laying a tile is about, alone."""

NOW: Final = {
    BEGIN: "The first tile is open sea: it gives no points, all others are laid around it.",
    LAY: f"Each player lays two tiles in a turn. {LAID_ALONE}",
    CHOOSE: "Everybody chooses at once and unseen: lay a tile of your own, steal one from another player, or wait.",
    MEND: "No gap of a single triangle may stay: one of the tiles around it moves somewhere else.",
    LAND_RIGHT: "You closed a corner of land all round. A token there scores until the end, and grows with its island.",
    ANSWER: "A larger tribe is worth more to everybody in it, but the other player may come to control it.",
    RESOURCE_RIGHT: "A resource doubles on an island, and counts fourfold on a complete one, for whoever has most tokens there.",
    LAKE_RIGHT: "You closed a lake. A token on it scores five points for each of its corners.",
    FIGHT: "The highest single die wins. The loser takes a token of that tribe back.",
    STRIKE_BACK: "Whoever is raided takes two tiles from the raider's pot.",
}
"""What a decision is about, by phase."""


def prompt_of(p: Position, seat: int) -> str:
    """Return what the seat is to do, in a sentence; where there are only trays, they say it."""
    if p.phase == LAND_RIGHT:
        if len(p.nodes) == 1:
            return "Put a token on the new land node? Choose its ring on the board, or decline in the list."
        tokens = "a token" if p.rights == 1 else f"{p.rights} tokens"
        return f"You may put {tokens} on {len(p.nodes)} new land nodes. Choose a ring on the board, or decline in the list."
    if p.phase == LAKE_RIGHT:
        return "You closed a lake. Claim it?"
    if p.phase == RESOURCE_RIGHT:
        return "Add a resource to the island of that token?"
    if p.phase == FIGHT:
        return "Challenge a tribe on the same island?"
    if p.phase == ANSWER:
        return f"Seat {p.seat} asks to join your tribe."
    return ""
