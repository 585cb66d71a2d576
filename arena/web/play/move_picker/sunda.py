"""The moves of Sunda to Sahul as choices to click: tiles in trays; nodes, tribes and lakes on the board; the rest in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from arena.web.play.move_picker.base import Choice, Guide, MovePicker, Picker
from arena.web.play.move_picker.sunda_tray import SHEET, laying, raiding, said_points, seizing, sheet, shifting, starting
from engine.core import State as Position
from engine.core import View
from engine.render.svg import move_to, stroke
from engine.sunda.board.claims import Claims, controller, points
from engine.sunda.notation.moves import (
    ACCEPT,
    AGREE,
    CHALLENGE,
    CLAIM,
    JOIN,
    LAKE,
    PLACE,
    RAID,
    REFUSE,
    RESOURCE,
    SEIZE,
    SHIFT,
    SKIP,
    START,
    STOP,
    WAIT,
    SundaMove,
)
from engine.sunda.position import ANSWER, BEGIN, CHOOSE, FIGHT, LAKE_RIGHT, LAND_RIGHT, LAY, MEND, RESOURCE_RIGHT, STRIKE_BACK
from engine.sunda.position import Position as Inside
from engine.sunda.render.move_text import direction
from engine.sunda.render.panel import sunda_state
from engine.sunda.render.pictures import GOLD, INK, UNIT, marker, point_of, tokens, water_token
from engine.sunda.rules.challenges import dice_of

_SKIPPED: Final = {
    LAND_RIGHT: "decline: claim no more land nodes",
    LAKE_RIGHT: "leave the lake unclaimed",
    RESOURCE_RIGHT: "add no resource",
    FIGHT: "challenge nobody",
}
_RING: Final = f'<circle class="spot" r="21" fill="{GOLD}" fill-opacity=".35" {stroke(INK, 3)}/>'
_GOALS: Final = (
    "You play alone: lay tiles all round a land node, a corner of land, to close it. Each closed node scores, twice on a complete island.",
    "Lay tiles all round a land node, a corner of land, to close it. You may put a token on a node that you close: it scores one point, or"
    " two on a complete island. The most points win.",
    "A lake: five points for each of its corners.",
    "Tribes: each token scores as many points as its tribe has tokens.",
    "You may ask to join others' tribes.",
    "After placing a token, you may challenge a tribe with dice.",
    "Each resource scores for the player with the most tokens on its island.",
)
"""The goal in solo play, and then what each level adds to the goal."""

_LAID_ALONE: Final = "Tabs fit into blanks, and land meets land. At a place with a gold number, a tile closes something that scores."
"""The guide's text on laying a tile, in solo play."""

_NOW: Final = {
    BEGIN: "The first tile is open sea: it gives no points, and all other tiles are laid around it.",
    LAY: f"Each player lays two tiles in a turn. {_LAID_ALONE}",
    CHOOSE: "Everybody chooses in secret, at the same time: lay a tile of your own, steal one from another player, or wait.",
    MEND: "No gap of a single triangle may remain: move one of the tiles around it somewhere else.",
    LAND_RIGHT: "A land node is now closed: tiles surround it. A token there scores points, and twice as many if its island is complete.",
    ANSWER: "A larger tribe is worth more to everybody in it, but the player who joins may come to control it.",
    RESOURCE_RIGHT: "An island's resources count double, or fourfold if it is complete, for the player with the most tokens there.",
    LAKE_RIGHT: "You closed a lake. A token on it scores five points for each of its corners.",
    FIGHT: "The highest single die wins. The loser takes back a token of the losing tribe.",
    STRIKE_BACK: "A player who is raided takes two tiles from the raider's pot.",
}
"""The guide's texts on decisions, by phase."""


def pick_from(view: View[Position]) -> MovePicker:
    """Return all legal moves of the seat to move, as choices to click."""
    p = sunda_state(view.position).inside
    picker = MovePicker({}, [], reach=(0.3 if p.phase == BEGIN else 1.2) * UNIT, prompt=_prompt(p, view.seat))
    laid: dict[int, list[SundaMove]] = {kind: [] for kind in (START, PLACE, SHIFT, RAID, SEIZE)}
    for move in view.legal_moves:
        if isinstance(move, SundaMove):
            if move.kind in laid:
                laid[move.kind].append(move)
            else:
                _add(picker, p, view.seat, move)
    _add_trays(picker, p, view.seat, laid)
    return picker


def _add_trays(picker: MovePicker, p: Inside, seat: int, laid: dict[int, list[SundaMove]]) -> None:
    if laid[START]:
        picker.trays.append(starting(laid[START]))
    if laid[PLACE]:
        picker.trays.append(laying(p, seat, laid[PLACE]))
    if laid[SHIFT]:
        picker.trays.append(shifting(p, seat, laid[SHIFT]))
    for victim in sorted({move.second for move in laid[RAID]}):
        picker.trays.append(raiding(victim, [move.first for move in laid[RAID] if move.second == victim]))
    if laid[SEIZE]:
        picker.trays.append(seizing(p.seat, sorted({tile for move in laid[SEIZE] for tile in (move.first, move.second) if tile >= 0})))


def _add(picker: MovePicker, p: Inside, seat: int, move: SundaMove) -> None:
    kind = move.kind
    if kind == CHALLENGE:
        _add_challenge(picker, p, move)
        return
    if kind in {CLAIM, JOIN, LAKE}:
        choice = _token(p, seat, move)
    elif kind == RESOURCE:
        gain = _gain(p, seat, lambda claims: claims.add_marker(move.first, move.second))
        choice = Choice(f"add the resource {move.first} ({gain})", ghost=_placed(marker(move.first, (25, 2)), move.second))
    else:
        choice = _said(p, move)
    picker.choices[str(move)] = choice
    picker.add(move, [str(move)])


def _gain(p: Inside, seat: int, change: Callable[[Claims], None]) -> str:
    """Return, in words, the points that a change of the claims gives a seat at once."""
    claims = p.claims.copy()
    change(claims)
    now, then = (points(p.board, each, level=p.level)[seat] for each in (p.claims, claims))
    return said_points(then - now)


def _token(p: Inside, seat: int, move: SundaMove) -> Choice:
    """Return the choice to put a token on a new node, a tribe or a lake, with the points that it gains."""
    vertex = move.first
    where = direction(p.board, point_of(vertex))
    if move.kind == LAKE:
        size = p.board.islands.size[p.board.islands.name[vertex]]
        gain = _gain(p, seat, lambda claims: claims.add_to_lake(p.board, vertex, seat))
        return _spot(vertex, f"claim the {size}-corner lake {where} ({gain})", water_token(seat))
    gain = _gain(p, seat, lambda claims: claims.add_to_tribe(vertex, seat))
    tribe = p.claims.tribes.get(vertex, ())
    ghost = tokens((*tribe, seat))
    if not tribe:
        what = "put a token on" if p.level < 2 else "found a tribe on"
        return _spot(vertex, f"{what} the new land node {where} ({gain})", ghost)
    owner = controller(tribe)
    if owner == seat:
        return _spot(vertex, f"join your tribe of {len(tribe)} {where} ({gain})", ghost)
    return _spot(vertex, f"ask seat {owner} to let you join the tribe of {len(tribe)} {where} ({gain})", ghost)


def _spot(vertex: int, words: str, token: str) -> Choice:
    """Return a choice at a vertex: a ring around the token that would lie there."""
    return Choice(words, _placed(_RING, vertex), ghost=_placed(token, vertex))


def _placed(markup: str, vertex: int) -> str:
    return f'<g text-anchor="middle" {move_to(point_of(vertex))}>{markup}</g>'


def _add_challenge(picker: MovePicker, p: Inside, move: SundaMove) -> None:
    """Add a challenge, as two choices: the seat's own tribe, and then the tribe to challenge."""
    own, other = (len(p.claims.tribes[vertex]) for vertex in (move.first, move.second))
    owner = controller(p.claims.tribes[move.second])
    source, target = f"from {move.first}", f"against {move.first} {move.second}"
    where = direction(p.board, point_of(move.first))
    if source not in picker.choices:
        words = f"challenge with your tribe of {own} {where}"
        picker.choices[source] = Choice(words, _placed(_RING, move.first), next="Choose the tribe to challenge.")
    dice = f"you roll {_dice(dice_of(own, other))}, they roll {_dice(dice_of(other, own))}"
    words = f"against the tribe of {other} of seat {owner} {direction(p.board, point_of(move.second))}: {dice}, you win ties"
    picker.choices[target] = Choice(words, _placed(_RING, move.second))
    picker.add(move, [source], [target])


def _dice(number: int) -> str:
    return "one die" if number == 1 else f"{number} dice"


def _said(p: Inside, move: SundaMove) -> Choice:
    if move.kind == SKIP:
        return Choice(_SKIPPED[p.phase])
    if move.kind in {ACCEPT, REFUSE}:
        tribe = p.claims.tribes[p.focus]
        where = f"your tribe of {len(tribe)} {direction(p.board, point_of(p.focus))}"
        if move.kind == REFUSE:
            return Choice(f"keep seat {p.seat} out of {where}")
        return _spot(p.focus, f"let seat {p.seat} join {where}", tokens((*tribe, p.seat)))
    if move.kind == AGREE:
        grave = "You lay no tile this turn. The match ends if all players, one after another, agree to end it."
        return Choice("agree that the game ends", grave=grave)
    if move.kind == STOP:
        return Choice("stop here: the game ends", grave="The game ends with the points you have now.")
    assert move.kind == WAIT, "all other kinds are in trays or on the board"
    return Choice("wait: lay and take nothing (when all wait, the game ends)")


def _prompt(p: Inside, seat: int) -> str:
    """Return the prompt for the seat. It is empty if there are only trays, which have their own prompts."""
    if p.phase == LAND_RIGHT:
        if len(p.nodes) == 1:
            return "Put a token on the new land node? Choose its ring on the board, or decline in the list."
        tokens = "a token on one" if p.rights == 1 else f"tokens on {p.rights}"
        return f"There are {len(p.nodes)} new land nodes: you may put {tokens} of them. Choose a ring on the board, or decline in the list."
    if p.phase == LAKE_RIGHT:
        return "You closed a lake. Claim it?"
    if p.phase == RESOURCE_RIGHT:
        return "Add a resource to the island of your new token?"
    if p.phase == FIGHT:
        return "Challenge a tribe on the same island?"
    if p.phase == ANSWER:
        return f"Seat {p.seat} asks to join your tribe."
    return ""


def guide(view: View[Position]) -> Guide:
    """Return the guide for a first match: how to score at this level, and an explanation of the current decision."""
    p = sunda_state(view.position).inside
    goal = _GOALS[0] if p.alone else " ".join(_GOALS[1 : p.level + 2])
    now = _LAID_ALONE if p.alone and p.phase == LAY else _NOW.get(p.phase, "")
    return Guide(goal, now)


def image(name: str) -> str:
    """Return the image with all tiles. Raises ValueError for any name but ``SHEET``."""
    if name != SHEET:
        raise ValueError(f"there is no image '{name:.20}'")
    return sheet()


PICKER: Final = Picker(pick_from, image, guide, has_tray=True)
