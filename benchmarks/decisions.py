"""Whether what decisions changed, as analyses have it, is zero on average among equals, and shows who is better among others.

python -m benchmarks.decisions [--game NAME] [--option KEY=VALUE ...] [--players N] [--matches N] [--kinds] LINE_UP ...

A line-up is a bot, which plays against twins of itself, or several that take the seats in turn: ``expert+greedy``. Matches are split as in
analyses, without the search for better moves. Means are for each seat and match, with standard errors over matches:

- value: what a seat's decisions changed by the value function alone, chance included;
- own: the same as analyses have it. For each bot of a mixed line-up, times n / (n - 1), beside the share of wins less 1 / n;
- by kind: of all kinds of decisions, which are what kinds of moves were legal, the one whose mean is farthest from zero;
- off: how far chances before decisions are from what came of them (33 % said, 32 % came), by tenths of chances: by the value alone, then
  as analyses have them, in percentage points;
- log loss of the winner, by the same two.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.analysis.baseline import question_of
from arena.analysis.position_value import judge_of
from arena.analysis.skill_and_luck import equal_share, split_match
from arena.play.match import make_ticket, play_match
from benchmarks.common import arguments
from bots.host.player import InProcessPlayer
from bots.loader.loading import resolve
from engine.core import Game, OptionValue
from engine.records import Replay
from engine.registry import find_game
from engine.replay.format import read_replay
from engine.replay.verifier import timeline_of

SHORT: Final = {"slips": "benchmarks.bots:Slips"}
"""Bots of this folder by the names that line-ups use."""
TENTHS: Final = 10


def play(game: Game, bots: Sequence[str], seed: int) -> Replay:
    """Return a match of these bots, by seat."""
    ticket = make_ticket(game, tuple(f"{bot} {seat}" for seat, bot in enumerate(bots)), seed=seed)
    return read_replay(play_match(game, ticket, [InProcessPlayer(resolve(SHORT.get(bot, bot))) for bot in bots]).replay)


@dataclass
class Measured:
    """What the matches of a line-up came to: a number for each match, or one for each tenth of chances."""

    players: int
    value: list[float] = field(default_factory=list)
    own: list[float] = field(default_factory=list)
    luck: list[float] = field(default_factory=list)
    kinds: list[dict[str, float]] = field(default_factory=list)
    by_bot: dict[str, list[tuple[float, float]]] = field(default_factory=lambda: defaultdict(list))
    """For each match the mean of own decisions over the bot's seats, and of its results less equal shares."""
    said: NDArray[np.float64] = field(default_factory=lambda: np.zeros((2, TENTHS)))
    came: NDArray[np.float64] = field(default_factory=lambda: np.zeros((2, TENTHS)))
    number: NDArray[np.float64] = field(default_factory=lambda: np.zeros((2, TENTHS)))
    log_loss: list[float] = field(default_factory=lambda: [0.0, 0.0])

    def add(self, replay: Replay, digest: str, bots: Sequence[str]) -> None:
        """Add a match."""
        timeline = timeline_of(replay)
        judge = judge_of(timeline.states[0].game, replay.players, digest)
        split = split_match(timeline, judge, lambda: False)
        alone = [judge.worth(state) for state in timeline.states]
        result = split.chances[-1]
        kinds: dict[str, float] = defaultdict(float)
        own, luck, value = [0.0] * replay.players, [0.0] * replay.players, 0.0
        for at, decision in enumerate(replay.decisions):
            seat = decision.seat
            own[seat] += split.skill[at][seat]
            value += alone[at + 1][seat] - alone[at][seat]
            kinds[question_of(timeline.states[at])] += split.skill[at][seat] / replay.players
            luck = [before + change for before, change in zip(luck, split.luck[at], strict=True)]
            for form, chances in enumerate((alone[at], split.chances[at])):
                self._calibrate(form, chances, result)
        self.value.append(value / replay.players)
        self.own.append(sum(own) / replay.players)
        self.luck.append(luck[0])
        self.kinds.append(kinds)
        for bot in set(bots):
            seats = [seat for seat, name in enumerate(bots) if name == bot]
            start = equal_share(judge.unit, replay.players)
            self.by_bot[bot].append((mean([own[seat] for seat in seats]), mean([result[seat] - start for seat in seats])))

    def _calibrate(self, form: int, chances: Sequence[float], result: Sequence[float]) -> None:
        for chance, share in zip(chances, result, strict=True):
            tenth = min(TENTHS - 1, int(TENTHS * chance))
            self.said[form, tenth] += chance
            self.came[form, tenth] += share
            self.number[form, tenth] += 1
            self.log_loss[form] -= share * math.log(max(chance, 1e-12))

    def off(self) -> tuple[float, float]:
        """Return the mean distance of chances from what came of them, by the value alone and as in analyses."""
        distance = np.abs(self.said - self.came).sum(axis=1) / self.number.sum(axis=1)
        return float(distance[0]), float(distance[1])

    def log_losses(self) -> list[float]:
        """Return the mean log loss of the winner, by the value alone and as in analyses."""
        positions = self.number[0].sum() / self.players
        return [loss / positions for loss in self.log_loss]

    def of_kinds(self) -> list[tuple[str, float, float]]:
        """Return the kinds of decisions with their means and standard errors, the one farthest from zero first."""
        names = {name for match in self.kinds for name in match}
        means = [(name, *mean_and_error([match.get(name, 0.0) for match in self.kinds])) for name in names]
        return sorted(means, key=lambda each: -abs(each[1]))


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
    parser = arguments(__doc__ or "")
    parser.add_argument("line_ups", nargs="+", metavar="LINE_UP")
    parser.add_argument("--game", default="tongiaki")
    parser.add_argument("--option", type=option, action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--matches", type=int, default=400)
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin no match of a line-up after this time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", action="store_true", help="print all kinds of decisions")
    given = parser.parse_args()
    game = find_game(given.game, dict(given.option))
    figures = []
    for line_up in given.line_ups:
        names, measured, begun = line_up.split("+"), Measured(given.players), monotonic()
        for number in range(given.matches):
            if monotonic() - begun > given.seconds:
                break
            bots = [names[(seat + number) % len(names)] for seat in range(given.players)]
            measured.add(play(game, bots, 1_000_000 * given.seed + number), f"{given.seed} {number}", bots)
        kinds = measured.of_kinds()
        value, own, luck = (mean_and_error(each) for each in (measured.value, measured.own, measured.luck))
        off, log_loss = measured.off(), measured.log_losses()
        where = " ".join([given.game, *(f"{key}={value}" for key, value in given.option), f"{given.players} seats"])
        print(
            f"{where}, {line_up}, {len(measured.own)} matches: value {shown(value)}, own {shown(own)}, "
            f"by kind {shown(kinds[0][1:])} ({kinds[0][0]}), luck of seat 0 {shown(luck)}, "
            f"off {100 * off[0]:.2f} -> {100 * off[1]:.2f} pp, "
            f"log loss {log_loss[0]:.4f} -> {log_loss[1]:.4f}",
            flush=True,
        )
        if len(names) > 1:
            scale = given.players / (given.players - 1)
            for bot, pairs in measured.by_bot.items():
                gained, won = (mean_and_error([pair[which] for pair in pairs]) for which in (0, 1))
                print(f"    {bot}: own {shown((scale * gained[0], scale * gained[1]))}, won {shown(won)}")
        for name, *measure in kinds if given.kinds else ():
            print(f"    {name:40} {measure[0]:+.4f} ± {measure[1]:.4f}")
        matches = len(measured.own)
        found = {"value": value, "own": own, "luck": luck, "kinds": kinds, "off": off, "log loss": log_loss}
        figures.append({"table": where, "line_up": line_up, "matches": matches, **found})
    if given.json is not None:
        given.json.parent.mkdir(parents=True, exist_ok=True)
        given.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
