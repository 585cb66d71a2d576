"""Sunda to Sahul in plain words: its rules for a first match (docs/rules/sunda.md has every detail), and any position."""

from __future__ import annotations

from typing import Final

from engine.core import State, View
from engine.description import seat_name, written
from engine.plugin import Chapter
from engine.sunda.board.claims import controller
from engine.sunda.board.tiles import IDS
from engine.sunda.notation.moves import write_placement, write_vertex
from engine.sunda.position import HIDDEN
from engine.sunda.render.panel import sunda_state
from engine.sunda.state import SundaState
from engine.text import counted

RULES: Final = (
    Chapter(
        "What it is about",
        (
            "Ice melts, the sea rises, and a continent becomes islands. You lay jigsaw tiles that show land and water, and wherever"
            " land is closed all round you may settle it with a token. Islands on which no piece is missing count double.",
        ),
    ),
    Chapter(
        "The tiles",
        (
            "There are 136 tiles, and no two are alike. Each is a lozenge with four corners, two sharp and two wide. A corner is"
            " land or water, and each side has a tab or a blank, as in a jigsaw puzzle.",
            "- A tile must share at least one whole side with the tiles that lie there. Tabs go into blanks.",
            "- Corners that meet must be alike: land to land, water to water.",
            "- A gap of the size of a triangle can never be filled. You may leave one only if you can mend it at once by taking one"
            " of the tiles beside it and laying it somewhere else.",
            "You need not remember any of this: the page offers only the places where a tile fits.",
        ),
    ),
    Chapter(
        "Your turn",
        (
            "Your turn has two steps. In each you lay a tile of your choice and may then settle what it has closed. Tiles come from"
            " one pot that everybody sees and shares, unless each player has a pot of their own.",
            "A corner is closed when tiles surround it completely. When your tile closes corners of land, you may put tokens on"
            " them, up to two in a step. Corners that nobody takes stay free for good.",
        ),
    ),
    Chapter(
        "Levels",
        (
            "You choose how much of the game to play; each level has everything below it. Begin with level 0.",
            "- Level 0, beginner: a token is worth one point, two on a complete island.",
            "- Level 1, water rights: if you close a lake you may put a token on it, for five points for each of its corners, doubled"
            " on a complete island. From this level on the players can also agree to end the game.",
            "- Level 2, tribes: put a token on top of your own instead of on a new corner. Each token of a tribe scores as many"
            " points as the tribe has tokens, and a tribe has at most five: so five together score 25.",
            "- Level 3, cooperation: you may ask to join a tribe of another player, who says yes or no. A tribe belongs to the player"
            " who has most tokens in it.",
            "- Level 4, challenges: after you have placed a token, one of your tribes may challenge another on the same island. The"
            " larger rolls more dice; the highest single die wins, the challenger wins ties, and the loser takes a token back.",
            "- Level 5, resources: put markers of 1 to 6 on islands. The player with most tokens there gets twice their sum,"
            " four times on a complete island.",
        ),
    ),
    Chapter(
        "The end",
        (
            "The game ends when somebody has no token left, when no tile is left or fits, or when all have agreed one after the"
            " other. Most points win.",
        ),
    ),
    Chapter(
        "All at once, and alone",
        (
            "In the simultaneous mode everybody chooses at the same time and unseen: to lay a tile of their own pot, to steal a"
            " tile of another player, or to wait. Dice decide in what order it happens. A player who was robbed takes two tiles"
            " back.",
            "Alone there are no tokens: you try to close as many corners of land as you can, and they count double on complete islands.",
        ),
    ),
    Chapter(
        "For your first match",
        (
            "- Look for corners of land that lack one tile, and close them before somebody else does.",
            "- Small islands are completed soon, and completing one doubles everything on it, what others have there included.",
            "- Don't spend your last tokens on single points while a large island of yours can still be completed.",
        ),
    ),
)


_TILES: Final = (
    "Tiles are lozenges cut as jigsaw pieces, and each is different. Its name spells its four corners, L for land and W for water,"
    " counter-clockwise from an acute one, and then its four sides, + for a tab and - for a blank. A tile is laid so that it shares a"
    " side with another, tabs meet blanks, and corners that meet are alike. A placement x,y,d has the tile's first corner at x,y; d counts"
    " sixths of a turn counter-clockwise."
)
_SOLO: Final = "You play alone, for land nodes: corners of land that are closed all round. They count double on complete islands."
_SEATS: Final = (
    "A player who closes a corner of land all round may claim that node with a token, up to two in a step. A token scores one point,"
    " and double on an island that is complete, with no open corner left."
)
_LEVELS: Final = (
    "",
    "A player who closes a lake may claim its water rights: five points for each of its corners, doubled on a complete island.",
    "Tokens join tribes of up to five; each token of a tribe scores as many points as the tribe has tokens.",
    "You may ask to join a tribe that another seat controls, who may refuse.",
    "After placing a token you may challenge a tribe on the same island; dice decide which of the two loses a token.",
    "Resources on an island count double, or fourfold if it is complete, for the player with most tokens there.",
)
_AT_ONCE: Final = (
    "Everybody chooses at once and unseen; then the choices are carried out in an order that dice decide. A raid steals a tile from"
    " another seat, who may then seize two others."
)


def describe(view: View[State]) -> str:
    """Return rules, position and legal moves in plain words, as far as the seat knows them."""
    state = sunda_state(view.position)
    return written(view, rules=_rules(state), board=[*_tiles(state), *_claims(view, state), *_pots(view, state), *_choices(view, state)])


def _rules(state: SundaState) -> list[str]:
    p = state.inside
    if p.alone:
        return [_TILES, _SOLO]
    return [_TILES, " ".join([_SEATS, *_LEVELS[1 : p.level + 1]]), *([_AT_ONCE] if p.ticks else [])]


def _tiles(state: SundaState) -> list[str]:
    laid = [f"{IDS[tile]} at {write_placement(placement)}" for tile, placement in sorted(state.inside.board.lies.items())]
    return [f"On the table: {', '.join(laid)}." if laid else "The table is empty."]


def _claims(view: View[State], state: SundaState) -> list[str]:
    claims = state.inside.claims
    lines = []
    for vertex, tribe in sorted(claims.tribes.items()):
        tokens = ", ".join(seat_name(view, seat) for seat in tribe)
        ruled = f", controlled by {seat_name(view, controller(tribe))}" if len(set(tribe)) > 1 else ""
        lines.append(f"At {write_vertex(vertex)}: {counted(len(tribe), 'token')}, from the bottom up of {tokens}{ruled}.")
    lines += [f"The lake at {write_vertex(lake)} is claimed by {seat_name(view, seat)}." for lake, seat in sorted(claims.lakes.items())]
    lines += [f"A resource of {value} lies at {write_vertex(vertex)}." for value, vertex in claims.markers]
    return lines


def _pots(view: View[State], state: SundaState) -> list[str]:
    p = state.inside
    pots = range(p.players) if p.private else range(1)
    return [f"{_whose(view, pot) if p.private else 'The pot has'} {_listed(p.pots.tiles(pot))}." for pot in pots]


def _whose(view: View[State], seat: int) -> str:
    return "Your pot has" if seat == view.seat else f"The pot of seat {seat} has"


def _listed(tiles: list[int]) -> str:
    return f"{counted(len(tiles), 'tile')}{': ' if tiles else ''}{', '.join(IDS[tile] for tile in tiles)}"


def _choices(view: View[State], state: SundaState) -> list[str]:
    chosen = [(seat, choice) for seat, choice in enumerate(state.inside.choices) if choice is not None]
    return [
        f"{seat_name(view, seat).capitalize()} {'has chosen in secret' if choice is HIDDEN else f'chose {choice}'}."
        for seat, choice in chosen
    ]
