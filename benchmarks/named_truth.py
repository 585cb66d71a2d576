"""Tests whether the better moves suggested by analyses are better, in a game whose chances under random play are known: three in a row.

``python -m benchmarks.named_truth`` analyses matches between bots that play at random. Positions are evaluated with random games, as in any
game without a value function. For each grade, it prints the loss according to the analyses, by how much the suggested move is truly better,
in how many decisions it is better, and in how many it is better by at least the loss that the grade implies.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Final, NamedTuple

from rich.console import Console
from rich.table import Table

from arena.analysis.analyser import Settings, analyse, digest_of
from arena.analysis.match_analysis import BLUNDER, INACCURACY, MISTAKE, Grade, grade_of
from benchmarks.common import arguments
from bots.reference.valuation.base import wins_of
from engine.core import Game, State
from engine.registry import Registration, add_game, find_game
from engine.replay.format import Recorder
from engine.replay.verifier import timeline_of

EXAMPLE: Final = Path(__file__).parents[1] / "examples" / "games" / "three-in-a-row"
LEAST: Final = {Grade.FINE: 0.0, Grade.INACCURACY: INACCURACY, Grade.MISTAKE: MISTAKE, Grade.BLUNDER: BLUNDER}


class Named(NamedTuple):
    """A decision: its grade, its loss according to the analysis, and by how much the suggested move is truly better (0 without one)."""

    grade: Grade
    stated: float
    true: float


def example_game() -> Game:
    """Register three in a row in this process, and return it."""
    if str(EXAMPLE) not in sys.path:
        sys.path.append(str(EXAMPLE))
    add_game(Registration("three-in-a-row", "three_in_a_row:PLUGIN", "benchmarks", "1"))
    return find_game("three-in-a-row")


def chances(state: State, known: dict[str, Sequence[float]]) -> Sequence[float]:
    """Return each seat's exact share of the win if all seats play at random."""
    if state.text not in known:
        if state.outcome is not None:
            known[state.text] = wins_of(state.outcome)
        else:
            ends = [chances(after, known) for after in (_after(state, number) for number in range(state.count_moves()))]
            known[state.text] = [fmean(each) for each in zip(*ends, strict=True)]
    return known[state.text]


def _after(state: State, number: int) -> State:
    after = state.copy()
    after.play(state.move_at(number))
    return after


def named_moves(game: Game, matches: int) -> Iterator[Named]:
    """Play matches between bots that play at random, and yield their decisions."""
    known: dict[str, Sequence[float]] = {}
    for seed in range(matches):
        state, rng = game.new(2, seed), Random(seed)
        recorder = Recorder(game, seed, ("one", "other"))
        while (seat := state.actor) is not None:
            move, legal = state.random_move(rng), state.count_moves()
            state.play(move)
            recorder.record(seat, move, legal, state)
        replay = recorder.finish(state)
        states = timeline_of(replay).states
        for each in analyse(replay, digest_of(replay), Settings()).decisions:
            if each.legal > 1:
                worth = {}
                for notation in {each.played.notation, (each.best or each.played).notation}:
                    after = states[each.index].copy()
                    after.play(game.parse(notation))
                    worth[notation] = chances(after, known)[each.seat]
                yield Named(grade_of(each.loss), each.loss, worth[(each.best or each.played).notation] - worth[each.played.notation])


def main() -> None:
    parser = arguments(__doc__ or "")
    parser.add_argument("--matches", type=int, default=40)
    given = parser.parse_args()
    named = list(named_moves(example_game(), given.matches))
    table = Table(box=None, pad_edge=False, title=f"Three in a row, {given.matches} matches", title_justify="left")
    for header in ("grade", "decisions", "loss in analysis", "suggested move better by", "better", "by the grade's loss"):
        table.add_column(header, justify="left" if header == "called" else "right")
    for grade, least in LEAST.items():
        if these := [each for each in named if each.grade is grade]:
            shares = (fmean(each.true > 0 for each in these), fmean(each.true >= least for each in these))
            losses = (fmean(each.stated for each in these), fmean(each.true for each in these))
            table.add_row(grade or "fine", str(len(these)), *(f"{100 * each:.1f}" for each in losses), *(f"{each:.0%}" for each in shares))
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
