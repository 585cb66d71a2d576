"""Measuring the effect of blocks on luck, for any game and line-up: plays blocks with shared decks and with a deck for each match."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import Final

import numpy as np

from arena.entries.preflight import distinct_names
from arena.play.executors.base import Executor, HostError, Job, Played
from arena.spec.seeds import derive_id, derive_seed
from engine.core import Game
from engine.core.errors import InputError
from engine.records import MatchResult, Ticket, VoidMatch
from leaderboard.statistics.luck import Luck, Outcomes, measure_luck

SERIES: Final = ("first", "again", "own")
"""The series of a block: all seatings on one deck, the same again with other seeds for the bots, and all with a deck for each match."""


class LuckError(InputError):
    """The measurement can't be made; the message names the problem and says what to do."""


@dataclass(frozen=True, slots=True)
class LuckPlan:
    """The blocks of one line-up; ``names`` are the names that the bots play under. ``make_luck_plan`` makes one."""

    game: Game
    names: tuple[str, ...]
    players: int
    blocks: int
    seed: int

    @property
    def seatings(self) -> int:
        """The number of matches in a series: every bot sits in every seat once, or plays solo once."""
        return len(self.names)

    @property
    def total(self) -> int:
        """The number of matches in all."""
        return self.blocks * len(SERIES) * self.seatings

    def tickets(self) -> Iterator[Ticket]:
        """Yield all tickets, block by block. The order around the table is drawn for each block."""
        for block in range(self.blocks):
            yield from self._block(block)

    def _block(self, block: int) -> Iterator[Ticket]:
        order = list(range(len(self.names)))
        Random(self._seed("order", block)).shuffle(order)
        for series, name in enumerate(SERIES):
            for shift in range(self.seatings):
                seats = tuple(self.names[bot] for bot in order[shift:] + order[:shift])[: self.players]
                deck = self._seed("own deck", block, shift) if name == "own" else self._seed("deck", block)
                ticket = derive_id("luck", self.seed, self.game.name, dict(self.game.options), name, block, seats)
                yield Ticket(ticket, tuple(sorted(seats)), block, series * self.seatings + shift, seats, deck)

    def _seed(self, *labels: str | int) -> int:
        return derive_seed("luck", self.seed, self.game.name, self.players, *labels)


def make_luck_plan(game: Game, bots: Sequence[str], *, players: int, blocks: int, seed: int) -> LuckPlan:
    """Return the plan of a measurement: the bots fill the seats in turn, or each plays solo if ``players`` is 1. Raises LuckError."""
    if not game.min_players <= players <= game.max_players:
        raise LuckError(f"{game.name} with these options is for {game.min_players} to {game.max_players}, not {players}; change --players")
    if players > 1 and len(bots) > players:
        raise LuckError(f"{len(bots)} bots don't fit a table of {players}; take some out, or raise --players")
    if blocks < 2:
        raise LuckError("a variance needs at least 2 blocks, and hundreds to be of use")
    game.check_start(players, seed)
    seats = max(players, 2) if len(bots) < 2 else max(players, len(bots))
    return LuckPlan(game, distinct_names([bots[seat % len(bots)] for seat in range(seats)]), players, blocks, seed)


class LuckRun:
    """Plays a plan and collects the outcomes, which ``measure`` evaluates."""

    def __init__(self, plan: LuckPlan, kinds: Mapping[str, str]) -> None:
        """Prepare to play; ``kinds`` has the kind of each bot by its name at the table, and twins are of one kind."""
        self.plan = plan
        self.played = 0
        self.forfeits = 0
        self._bots = {name: bot for bot, name in enumerate(plan.names)}
        self._kinds = kinds
        seats, bots = plan.players, len(plan.names)
        self._ranks = np.zeros((len(SERIES), plan.blocks, seats, bots, bots)) if seats > 1 else np.zeros((0,))
        self._scores = np.zeros((len(SERIES), plan.blocks, bots))

    def play(self, job: Job, executor: Executor, on_progress: Callable[[int], None] = lambda _played: None) -> None:
        """Play everything. Raises HostError, also for a match that the machine could not play in several attempts."""
        for results in executor.run(job, self.plan.tickets()):
            for each in results:
                self._take(each)
            on_progress(self.played)

    def _take(self, result: Played) -> None:
        if isinstance(result, VoidMatch):
            raise HostError(f"block {result.ticket.block} can't be played, because a match of it failed on this machine: {result.reason}")
        self.played += 1
        self.forfeits += sum(seat.fault is not None for seat in result.seats)
        series, block = result.ticket.rotation // self.plan.seatings, result.ticket.block
        if self.plan.players == 1:
            self._scores[series, block, self._bots[result.seats[0].bot]] = result.seats[0].score
            return
        self._take_ranks(result, series, block)

    def _take_ranks(self, result: MatchResult, series: int, block: int) -> None:
        for number, seat in enumerate(result.seats):
            for other in result.seats:
                points = 0.5 if seat.rank == other.rank else float(seat.rank < other.rank)
                self._ranks[series, block, number, self._bots[seat.bot], self._bots[other.bot]] = points

    def measure(self) -> dict[tuple[str, str], Luck]:
        """Return the effect of blocks for each kind of pair, in the order of the line-up."""
        pairs: dict[tuple[str, str], list[tuple[int, int]]] = {}
        for one, other in combinations(range(len(self.plan.names)), 2):
            first, second = (self._kinds[self.plan.names[each]] for each in (one, other))
            known = (first, second) in pairs or (second, first) not in pairs
            kind, pair = ((first, second), (one, other)) if known else ((second, first), (other, one))
            pairs.setdefault(kind, []).append(pair)
        return {kind: measure_luck(*(self._outcomes(series, these) for series in range(len(SERIES)))) for kind, these in pairs.items()}

    def _outcomes(self, series: int, pairs: Sequence[tuple[int, int]]) -> Outcomes:
        """Return outcomes by block, seat and pair: whether the pair's first bot, in that seat, ended above the second.

        In solo play they are points: a block's two matches are one of each bot, the second bot's points are negated, and each bot's mean is
        subtracted, so that the mean of the block is half the difference of the bots.
        """
        if self.plan.players > 1:
            return np.stack([self._ranks[series, :, :, one, other] for one, other in pairs], axis=2)
        scores = self._scores[series] - self._scores[series].mean(axis=0)
        return np.stack([np.stack([scores[:, one], -scores[:, other]], axis=1) for one, other in pairs], axis=2)
