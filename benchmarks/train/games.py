"""Games that bots play against each other for training, and their records: a JSON line each, from which all positions can be replayed."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, TypeAlias

from benchmarks.train.course import Course
from bots.reference.heuristics.base import Heuristic
from bots.reference.heuristics.registry import heuristic_of
from bots.reference.search.by_value import best_by_value
from bots.reference.valuation.base import ValueFunction
from engine import find_game
from engine.core import Move, State

Record: TypeAlias = dict[str, Any]
"""The record of a game: its number, the game's options and seats, the moves in notation, and the ranks."""


class TrainingError(Exception):
    """The training can't continue; the message is one sentence."""


OPENINGS: Final = (0, 0, 2, 6, 12, 20)
"""How many decisions at the start of a game are random, so that games differ; one of these is drawn for each game."""
SLIPS: Final = (0.0, 0.0, 0.02, 0.06)
"""How often a seat then plays a random move, to reach positions that good bots don't reach; one of these is drawn for each seat."""
EXPERTS: Final = 0.2
"""The fraction of seats played by the expert once there is a learned value function."""


def play_game(course: Course, value: ValueFunction | None, seed: int, generation: int, number: int) -> Record:
    """Play a game: between experts in the first generation, later between the value function and experts. It is reproducible."""
    rng = random.Random(f"{seed}/{generation}/{number}")
    table = course.table(number)
    game = table.game(course.sight.game)
    heuristic = heuristic_of(game)
    deal = rng.getrandbits(40)
    state = game.new(table.players, deal)
    opening = rng.choice(OPENINGS)
    slips = [rng.choice(SLIPS) for _ in range(table.players)]
    learned = [value is not None and rng.random() >= EXPERTS for _ in range(table.players)]
    moves: list[str] = []
    while (seat := state.actor) is not None:
        if state.count_moves() == 1:
            move = state.move_at(0)
        elif len(moves) < opening or rng.random() < slips[seat]:
            move = state.random_move(rng)
        else:
            move = _chosen(state, seat, heuristic, value if learned[seat] else None, rng)
        moves.append(str(move))
        state.play(move)
    assert state.outcome is not None
    return {
        "number": number,
        "options": dict(table.options),
        "players": table.players,
        "seed": deal,
        "learned": learned,
        "opening": opening,
        "ranks": list(state.outcome.ranks),
        "moves": moves,
    }


def _chosen(state: State, seat: int, heuristic: Heuristic[Any], value: ValueFunction | None, rng: random.Random) -> Move:
    view = state.view(seat)
    return heuristic.choose(view, rng) if value is None else best_by_value(view, heuristic, value, rng)


def positions_of(record: Record, name: str) -> Iterator[State]:
    """Yield every position of a recorded game in which a seat has to decide; all of them are the same object."""
    game = find_game(name, record["options"])
    state = game.new(record["players"], record["seed"])
    for text in record["moves"]:
        yield state
        state.play(game.parse(text))


def read_records(path: Path) -> list[Record]:
    """Return the records of a file, sorted by number, without a truncated last line; the list is empty if there is no file.

    Raises TrainingError if the file contains anything else.
    """
    found: dict[int, Record] = {}
    try:
        for line in path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else ():
            if line.endswith("\n"):
                record = json.loads(line)
                found[record["number"]] = record
    except (ValueError, TypeError, LookupError):
        raise TrainingError(f"{path} is damaged, or is not a file of training games") from None
    return [found[number] for number in sorted(found)]


def keep_whole_lines(path: Path) -> None:
    """Remove an incomplete last line that an interrupted run has left in a file."""
    if path.exists():
        data = path.read_bytes()
        path.write_bytes(data[: data.rfind(b"\n") + 1])
