"""Tests whether the better moves suggested by analyses are better: ``expert`` plays on after the played move and after the suggested one.

python -m benchmarks.better [--game NAME] [--option KEY=VALUE ...] [--players N] [--bots NAME ...] [--decisions N] [--plays N]
                            [--grades GRADE ...] [--seconds T] [--seed S] [--keep FILE]

Matches between the bots are analysed one by one, and one decision of each grade is taken from every match that has one. From its position,
the match is continued ``--plays`` times each with the played and the suggested move, with the same decks, dice and expert's seeds for both.
For each grade, this prints how often the suggested move did better (a tie counts as half) with its 95% interval, and the loss according to
the analysis next to the measured loss. With ``--keep``, measurements are added to a file, and the table covers everything in the file for
matches of this kind; a measurement can therefore be split into several runs with different seeds.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from time import monotonic
from typing import Final

from rich.console import Console
from rich.table import Table

from arena.analysis.analyser import Settings, analyse, digest_of
from arena.analysis.match_analysis import Grade, grade_of
from benchmarks.common import arguments
from benchmarks.decisions import option, play
from bots.reference.heuristics.registry import heuristic_of
from bots.reference.valuation.base import wins_of
from engine.core import Game, Move, State
from engine.registry import find_game
from engine.replay.verifier import timeline_of
from leaderboard.statistics.intervals import share

GRADES: Final = (Grade.BLUNDER, Grade.MISTAKE, Grade.INACCURACY)
SURE: Final = 3.5
"""How many standard errors a measured difference must have for its sign to be certain enough, after ``LEAST`` plays."""
LEAST: Final = 30


@dataclass(frozen=True, slots=True)
class Measured:
    """A decision: its loss according to the analysis, and how much more the suggested move won, with its standard error."""

    table: str
    bot: str
    seed: int
    index: int
    kind: str
    played: str
    named: str
    loss: float
    gain: float
    error: float
    plays: int


def decisions_of(game: Game, bots: Sequence[str], seed: int, table: str, plays: int, grades: Sequence[Grade]) -> Iterator[Measured]:
    """Yield measurements of one match: for each grade, its first decision after a number of decisions that depends on the seed."""
    replay = play(game, bots, seed)
    timeline = timeline_of(replay)
    rng = Random(seed)
    decisions = [each for each in analyse(replay, digest_of(replay), Settings()).decisions if each.best is not None and not each.is_hidden]
    rng.shuffle(decisions)
    for grade in grades:
        decision = next((each for each in decisions if grade_of(each.loss) is grade), None)
        if decision is None or decision.best is None:
            continue
        state = timeline.states[decision.index]
        moves = timeline.moves[decision.index], game.parse(decision.best.notation)
        gain, error, number = measure(state, decision.seat, moves, rng, plays)
        names = decision.played.notation, decision.best.notation
        kind = decision.played.notation.partition(" ")[0]
        yield Measured(table, bots[decision.seat], seed, decision.index, kind, *names, decision.loss, gain, error, number)


def measure(state: State, seat: int, moves: tuple[Move, Move], rng: Random, plays: int) -> tuple[float, float, int]:
    """Return how much more the second of two moves wins than the first, the standard error, and how often each was played out."""
    differences: list[float] = []
    for _ in range(plays):
        world = state.copy()
        world.redact(seat)
        world.determinize(rng)
        seed = rng.getrandbits(48)
        played, named = (finish(world, move, seed)[seat] for move in moves)
        differences.append(named - played)
        gain, error = mean_and_error(differences)
        if len(differences) >= LEAST and abs(gain) > SURE * error:
            break
    return (*mean_and_error(differences), len(differences))


def finish(world: State, move: Move, seed: int) -> Sequence[float]:
    """Return each seat's share of the first place if the move is played and the expert then plays for all seats."""
    state, rng = world.copy(), Random(seed)
    heuristic = heuristic_of(state.game)
    state.play(move)
    while (seat := state.actor) is not None:
        state.play(state.move_at(0) if state.count_moves() == 1 else heuristic.choose(state.view(seat), rng))
    assert state.outcome is not None, "nobody has to decide"
    return wins_of(state.outcome)


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean and its standard error."""
    mean = sum(values) / len(values)
    return mean, math.sqrt(sum((value - mean) ** 2 for value in values) / max(1, len(values) - 1) / len(values))


def table_of(measured: Sequence[Measured], title: str) -> Table:
    """Return a table with a row for each grade."""
    table = Table(box=None, pad_edge=False, title=title, title_justify="left")
    for header in ("grade", "decisions", "suggested move better", "95%", "loss in analysis", "loss measured", "plays"):
        table.add_column(header, justify="left" if header == "grade" else "right")
    for grade in GRADES:
        these = [each for each in measured if grade_of(each.loss) is grade]
        if not these:
            continue
        better = share([0.5 if each.gain == 0 else float(each.gain > 0) for each in these])
        assert better.value is not None and better.low is not None and better.high is not None, "there are some"  # noqa: PT018
        gain, error = mean_and_error([each.gain for each in these])
        table.add_row(
            *(grade, str(len(these)), f"{100 * better.value:.0f} %", f"{100 * better.low:.0f} to {100 * better.high:.0f}"),
            f"{100 * sum(each.loss for each in these) / len(these):.1f}",
            f"{100 * gain:+.1f} ± {100 * error:.1f}",
            f"{sum(each.plays for each in these) / len(these):.0f}",
        )
    return table


def main() -> None:
    parser = arguments(__doc__ or "")
    parser.add_argument("--game", default="tongiaki")
    parser.add_argument("--option", type=option, action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--bots", nargs="+", default=["expert", "greedy", "learned", "spoiler"], help="they take the seats in turn")
    parser.add_argument("--decisions", type=int, default=60)
    parser.add_argument("--grades", type=Grade, nargs="+", default=list(GRADES), metavar="GRADE")
    parser.add_argument("--plays", type=int, default=200, help="the maximum number of times that each move is played out")
    parser.add_argument("--seconds", type=float, default=math.inf, help="don't begin a match after this time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="add the measurements to this file")
    given = parser.parse_args()
    game = find_game(given.game, dict(given.option))
    title = " ".join([given.game, *(f"{key}={value}" for key, value in given.option), f"{given.players} seats"])
    kept = given.keep.read_text(encoding="utf-8").splitlines() if given.keep is not None and given.keep.exists() else []
    measured = [each for each in (Measured(**json.loads(line)) for line in kept) if each.table == title]
    begun, number, more = monotonic(), 0, 0
    while more < given.decisions and monotonic() - begun < given.seconds:
        bots = [given.bots[(number + seat) % len(given.bots)] for seat in range(given.players)]
        for each in decisions_of(game, bots, 1_000_000 * given.seed + number, title, given.plays, given.grades):
            measured.append(each)
            more += 1
            if given.keep is not None:
                with given.keep.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(each)) + "\n")
        number += 1
    Console(width=120).print(table_of(measured, title))


if __name__ == "__main__":
    main()
