"""Whether what decisions changed, as analyses have it, is zero on average among equals, and shows who is better among others.

python -m benchmarks.decisions [--game NAME] [--option KEY=VALUE ...] [--players N] [--matches N]
                               [--seconds T] [--seed S] [--kinds] [--keep FILE] LINE_UP ...

A line-up is a bot, which plays against twins of itself, or several that take the seats in turn: ``expert+greedy``. Matches are split as in
analyses, without the search for better moves. Means are for each seat and match, with standard errors over matches:

- value: what a seat's decisions changed by the value function alone, chance included;
- own: the same as analyses have it. For each bot of a mixed line-up, times n / (n - 1), beside the share of wins less 1 / n;
- by kind: of all kinds of decisions, which are what kinds of moves were legal, the one whose mean is farthest from zero;
- off: how far chances before decisions are from what came of them (33 % said, 32 % came), by tenths of chances: by the value alone, then
  as analyses have them, in percentage points;
- log loss of the winner, by the same two.

With ``--keep`` every match is added to a file, and figures are of all matches of such line-ups that it has, so a measurement can be made in
pieces.
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
"""Bots of this folder by the names that line-ups use."""
TENTHS: Final = 10
Tenths: TypeAlias = list[list[float]]
"""For each tenth of chances their sum, the sum of what came of them, and their number."""


def play(game: Game, bots: Sequence[str], seed: int) -> Replay:
    """Return a match of these bots, by seat."""
    ticket = make_ticket(game, tuple(f"{bot} {seat}" for seat, bot in enumerate(bots)), seed=seed)
    return read_replay(play_match(game, ticket, [InProcessPlayer(resolve(SHORT.get(bot, bot))) for bot in bots]).replay)


@dataclass(frozen=True, slots=True)
class Measured:
    """What one match of a line-up came to. Means are over its seats; pairs are by the value alone and as in analyses."""

    table: str
    line_up: str
    seed: int
    value: float
    own: float
    luck: float
    kinds: dict[str, float]
    by_bot: dict[str, tuple[float, float]]
    """The mean of own decisions over the bot's seats, and of its results less equal shares."""
    tenths: tuple[Tenths, Tenths]
    log_loss: tuple[float, float]
    """Of the winner, a mean over positions before decisions."""


def measured_in(replay: Replay, bots: Sequence[str], table: str, line_up: str, seed: int) -> Measured:
    """Return what a match came to."""
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
    """Return the tenths of chances, and the mean log loss of the winner."""
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
    """Return the mean distance of chances from what came of them."""
    said, came, number = np.sum(tenths, axis=0).T
    return float(np.abs(said - came).sum() / number.sum())


def of_kinds(matches: Sequence[Measured]) -> list[tuple[str, float, float]]:
    """Return the kinds of decisions with their means and standard errors, the one farthest from zero first."""
    names = {name for match in matches for name in match.kinds}
    means = [(name, *mean_and_error([match.kinds.get(name, 0.0) for match in matches])) for name in names]
    return sorted(means, key=lambda each: -abs(each[1]))


def show(matches: Sequence[Measured], players: int, *, all_kinds: bool) -> None:
    """Print what the matches of a line-up came to."""
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
    """Return the mean."""
    return sum(values) / len(values)


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean with its standard error."""
    return mean(values), float(np.std(values, ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.nan


def shown(measure: tuple[float, float]) -> str:
    """Return a mean with its standard error."""
    return f"{measure[0]:+.3f} ± {measure[1]:.3f}"


def option(text: str) -> tuple[str, OptionValue]:
    """Return an option of a game."""
    key, _, value = text.partition("=")
    return key, int(value) if value.lstrip("-").isdigit() else value


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("line_ups", nargs="+", metavar="LINE_UP")
    parser.add_argument("--game", default="tongiaki")
    parser.add_argument("--option", type=option, action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--matches", type=int, default=400, help="of each line-up, those in the file included")
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin no match of a line-up after this time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", action="store_true", help="print all kinds of decisions")
    parser.add_argument("--keep", type=Path, help="add what is measured to this file")
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
