"""What the tests of Sunda to Sahul share: games from vectors, random games that meet many rules, and plain pictures of positions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, cast

from engine.core import View
from engine.sunda import SundaGame, SundaMove, SundaState, sunda
from engine.sunda.board.board import CLOSED, SundaBoard
from engine.sunda.board.packed_counts import of_tile
from engine.sunda.board.tiles import IDS, N_TILES
from engine.sunda.board.trigrid import WEDGES, corners_of, lozenge_of, x_of, y_of
from engine.sunda.notation.moves import PLACE, write_vertex
from tests.engine.sunda.plain import Placement, Vertex

VECTORS = Path(__file__).parents[2] / "vectors" / "sunda"
MODES = [("turns", "shared"), ("turns", "private"), ("simultaneous", "private")]


def vector(name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((VECTORS / f"{name}.json").read_text())
    data["options"]["resources"] = tuple(data["options"]["resources"])
    return data


def at(name: str, decisions: int) -> SundaState:
    """The state of a vector's game after so many decisions."""
    data = vector(name)
    game = sunda(data["options"])
    state = game.new(data["players"], data["seed"])
    for _, move, _ in data["decisions"][:decisions]:
        state.play(game.parse(move))
    return state


def legal(state: SundaState) -> list[str]:
    return [str(move) for move in state.legal_moves]


def play(state: SundaState, *moves: str) -> SundaState:
    for move in moves:
        state.play(state.game.parse(move))
    return state


def closes(board: SundaBoard, placement: int) -> int:
    """How many vertices a placement closes."""
    return sum(board.wedges.get(v, 0) + WEDGES[i] == CLOSED for i, v in enumerate(corners_of(lozenge_of(placement))))


def eager_move(state: SundaState, rng: Random) -> SundaMove:
    """A random move that often closes vertices and takes its rights, so that games meet rules that blind chance seldom does."""
    drawn = [state.random_move(rng) for _ in range(rng.choice((1, 1, 12)))]
    board = state.inside.board
    best = max(drawn, key=lambda move: closes(board, move.second) if isinstance(move, SundaMove) and move.kind == PLACE else 0)
    assert isinstance(best, SundaMove)
    return best


def random_game(game: SundaGame, players: int, seed: int) -> Iterator[SundaState]:
    """One state, before each decision of a game and at its end."""
    state = game.new(players, seed)
    rng = Random(seed)
    while True:
        yield state
        if state.actor is None:
            return
        state.play(eager_move(state, rng))


def line_ups() -> Iterator[tuple[SundaGame, int]]:
    """Every level, mode and number of players at least once, in 27 games."""
    for level in range(6):
        for number, (mode, pots) in enumerate(MODES):
            yield sunda({"level": level, "mode": mode, "pots": pots}), 2 + (level + number) % 3
    for level in (0, 1, 2):
        yield sunda({"level": level}), 1
    for level in range(6):
        yield sunda({"level": level, "resources": (1, 1, 2, 2, 7, 7)}), 4


def as_pair(vertex: int) -> Vertex:
    return x_of(vertex), y_of(vertex)


def as_triple(placement: int) -> Placement:
    return x_of(placement // 6), y_of(placement // 6), placement % 6


def laid(board: SundaBoard) -> dict[str, Placement]:
    return {IDS[tile]: as_triple(placement) for tile, placement in board.lies.items()}


def by_tile(counts: int) -> list[int]:
    """Packed counts as a list."""
    return [of_tile(counts, tile) for tile in range(N_TILES)]


def words(vertices: list[int]) -> list[str]:
    return [write_vertex(vertex) for vertex in vertices]


def view_of(state: SundaState, seat: int) -> View[SundaState]:
    """``state.view(seat)``, as what it is at this game."""
    return cast("View[SundaState]", state.view(seat))
