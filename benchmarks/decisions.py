"""Tests whether the effect of decisions, as computed by analyses, averages zero among equal bots and shows which of two bots is better.

python -m benchmarks.decisions [--game NAME] [--option KEY=VALUE ...] [--players N] [--matches N]
                               [--seconds T] [--seed S] [--kinds] [--keep FILE] LINE_UP ...

A line-up is one bot, which plays against copies of itself, or several bots that take the seats in turn: ``expert+greedy``. Results are
split into luck and decisions as in analyses, without the search for better moves. Means are per seat and match, with standard errors:

- value: the effect of a seat's decisions according to the value function alone, including chance;
- own: the effect according to analyses. For each bot of a mixed line-up, it is multiplied by n / (n - 1), and printed next to the bot's
  share of wins minus 1 / n;
- by kind: the kind of decision (which kinds of moves were legal) whose mean is farthest from zero;
- off: how far the chances before decisions are from the results (33% predicted, 32% happened), averaged over tenths of the chances, in
  percentage points: according to the value function alone, then according to analyses;
- log loss: the log loss of the winner, according to the same two kinds of chances.

With ``--keep``, every match is added to a file, and figures cover all matches of these line-ups in the file; a measurement can therefore be
split into several runs.
"""

from __future__ import annotations

import argparse
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Final, TypeAlias

import msgspec
import numpy as np

from arena.analysis.baseline import question_of
from arena.analysis.position_value import judge_of
from arena.analysis.skill_and_luck import equal_share, split_match
from arena.play.match import make_ticket, play_match
from bots.host.player_pool import InProcessPlayer
from bots.loader.loading import resolve
from engine.core import Game, OptionValue
from engine.records import Replay
from engine.registry import find_game
from engine.replay.format import read_replay
from engine.replay.verifier import timeline_of

SHORT: Final = {"slips": "benchmarks.bots:Slips"}
"""Short names for bots of ``benchmarks.bots`` in line-ups."""
TENTHS: Final = 10
Tenths: TypeAlias = list[list[float]]
"""For each tenth of the chances: the sum of the chances, the sum of the results, and how many there are."""


def play(game: Game, bots: Sequence[str], seed: int) -> Replay:
    """Play a match between these bots, given in seat order, and return its replay."""
    ticket = make_ticket(game, tuple(f"{bot} {seat}" for seat, bot in enumerate(bots)), seed=seed)
    return read_replay(play_match(game, ticket, [InProcessPlayer(resolve(SHORT.get(bot, bot))) for bot in bots]).replay)


@dataclass(frozen=True, slots=True)
class Measured:
    """One match, averaged over seats. Of two ``tenths`` or ``log_loss``, the first is from the value function, the second from analyses."""

    table: str
    line_up: str
    seed: int
    value: float
    own: float
    luck: float
    kinds: dict[str, float]
    by_bot: dict[str, tuple[float, float]]
    """For each bot, averaged over its seats: the effect of its own decisions, and its result minus an equal share."""
    tenths: tuple[Tenths, Tenths]
    log_loss: tuple[float, float]
    """The log loss of the winner, averaged over positions before decisions."""


def measured_in(replay: Replay, bots: Sequence[str], table: str, line_up: str, seed: int) -> Measured:
    """Return the measurements of a match."""
    timeline = timeline_of(replay)
    judge = judge_of(timeline.states[0].game, replay.players, f"{line_up} {seed}")
    split = split_match(timeline, judge, lambda: False)
    alone = [judge.worth(state) for state in timeline.states]
    result = split.chances[-1]
    kinds: dict[str, float] = defaultdict(float)
    own, luck, value = [0.0] * replay.players, 0.0, 0.0
    for at, decision in enumerate(replay.decisions):
        seat = decision.seat
        own[seat] += split.skill[at][seat]
        value += alone[at + 1][seat] - alone[at][seat]
        kinds[question_of(timeline.states[at])] += split.skill[at][seat] / replay.players
        luck += split.luck[at][0]
    start = equal_share(judge.unit, replay.players)
    by_bot = {}
    for bot in set(bots):
        seats = [seat for seat, name in enumerate(bots) if name == bot]
        by_bot[bot] = mean([own[seat] for seat in seats]), mean([result[seat] - start for seat in seats])
    forms = alone[:-1], split.chances[:-1]
    tenths, log_loss = zip(*(calibration(each, result) for each in forms), strict=True)
    return Measured(table, line_up, seed, value / replay.players, mean(own), luck, kinds, by_bot, tenths, log_loss)


def calibration(chances: Sequence[Sequence[float]], result: Sequence[float]) -> tuple[Tenths, float]:
    """Return the chances grouped by tenths, and the mean log loss of the winner."""
    tenths = [[0.0, 0.0, 0.0] for _ in range(TENTHS)]
    log_loss = 0.0
    for each in chances:
        for chance, share in zip(each, result, strict=True):
            tenth = tenths[min(TENTHS - 1, int(TENTHS * chance))]
            for which, more in enumerate((chance, share, 1.0)):
                tenth[which] += more
            log_loss -= share * math.log(max(chance, 1e-12))
    return tenths, log_loss / len(chances)


def off(tenths: Sequence[Tenths]) -> float:
    """Return the mean distance between chances and results."""
    said, came, number = np.sum(tenths, axis=0).T
    return float(np.abs(said - came).sum() / number.sum())


def of_kinds(matches: Sequence[Measured]) -> list[tuple[str, float, float]]:
    """Return the kinds of decisions with their means and standard errors, sorted by distance from zero, largest first."""
    names = {name for match in matches for name in match.kinds}
    means = [(name, *mean_and_error([match.kinds.get(name, 0.0) for match in matches])) for name in names]
    return sorted(means, key=lambda each: -abs(each[1]))


def show(matches: Sequence[Measured], players: int, *, all_kinds: bool) -> None:
    """Print the figures of a line-up."""
    kinds = of_kinds(matches)
    value, own, luck = (shown(mean_and_error([getattr(each, name) for each in matches])) for name in ("value", "own", "luck"))
    distances = [100 * off([each.tenths[form] for each in matches]) for form in range(2)]
    losses = [mean([each.log_loss[form] for each in matches]) for form in range(2)]
    print(
        f"{matches[0].table}, {matches[0].line_up}, {len(matches)} matches: value {value}, own {own}, "
        f"by kind {shown(kinds[0][1:])} ({kinds[0][0]}), luck of seat 0 {luck}, "
        f"off {distances[0]:.2f} -> {distances[1]:.2f} pp, log loss {losses[0]:.4f} -> {losses[1]:.4f}",
        flush=True,
    )
    scale = players / (players - 1)
    for bot in matches[0].by_bot if len(matches[0].by_bot) > 1 else ():
        gained, won = (mean_and_error([match.by_bot[bot][which] for match in matches]) for which in (0, 1))
        print(f"    {bot}: own {shown((scale * gained[0], scale * gained[1]))}, won {shown(won)}")
    for name, *measure in kinds if all_kinds else ():
        print(f"    {name:40} {measure[0]:+.4f} ± {measure[1]:.4f}")


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    return mean(values), float(np.std(values, ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.nan


def shown(measure: tuple[float, float]) -> str:
    return f"{measure[0]:+.3f} ± {measure[1]:.3f}"


def option(text: str) -> tuple[str, OptionValue]:
    key, _, value = text.partition("=")
    return key, int(value) if value.lstrip("-").isdigit() else value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("line_ups", nargs="+", metavar="LINE_UP")
    parser.add_argument("--game", default="tongiaki")
    parser.add_argument("--option", type=option, action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--matches", type=int, default=400, help="matches of each line-up, including matches in the file")
    parser.add_argument("--seconds", type=float, default=math.inf, help="don't begin a match of a line-up after this time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", action="store_true", help="print all kinds of decisions")
    parser.add_argument("--keep", type=Path, help="add the measurements to this file")
    given = parser.parse_args()
    game = find_game(given.game, dict(given.option))
    table = " ".join([given.game, *(f"{key}={value}" for key, value in given.option), f"{given.players} seats"])
    kept = given.keep.read_bytes().splitlines() if given.keep is not None and given.keep.exists() else []
    known = [each for each in (msgspec.json.decode(line, type=Measured) for line in kept) if each.table == table]
    for line_up in given.line_ups:
        names, begun = line_up.split("+"), monotonic()
        matches = [each for each in known if each.line_up == line_up]
        done = {each.seed for each in matches}
        for number in range(given.matches):
            seed = 1_000_000 * given.seed + number
            if seed in done or len(matches) >= given.matches:
                continue
            if monotonic() - begun > given.seconds:
                break
            bots = [names[(seat + number) % len(names)] for seat in range(given.players)]
            matches.append(measured_in(play(game, bots, seed), bots, table, line_up, seed))
            if given.keep is not None:
                with given.keep.open("ab") as file:
                    file.write(msgspec.json.encode(matches[-1]) + b"\n")
        if matches:
            show(matches, given.players, all_kinds=given.kinds)


if __name__ == "__main__":
    main()
