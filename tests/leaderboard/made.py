"""Results that nobody played, as columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from leaderboard.statistics.blocks import Blocks, TableBlocks, find_blocks
from leaderboard.statistics.columns import FAULTS, Results


@dataclass(frozen=True)
class Match:
    """One match: who sat where, ranks by seat, and scores if they matter. ``faulty`` names the bots that crashed."""

    seed: int
    rotation: int
    seats: Sequence[str]
    ranks: Sequence[int]
    scores: Sequence[int] = ()
    faulty: Sequence[str] = ()


def results(bots: Sequence[str], matches: Sequence[Match]) -> Results:
    """These matches as columns; each seat was asked for 10 decisions of 0.1 s, its CPU took half of it, its memory was 1000 bytes."""
    rows = [
        (
            number,
            bots.index(bot),
            seat,
            (match.scores or [0] * 9)[seat],
            match.ranks[seat],
            FAULTS.index("crash") if bot in match.faulty else -1,
        )
        for number, match in enumerate(matches)
        for seat, bot in enumerate(match.seats)
    ]
    match, bot, seat, score, rank, fault = np.array(rows, np.int64).reshape(-1, 6).T
    ones = np.ones(len(rows))
    return Results(
        bots=tuple(bots),
        players=np.array([len(each.seats) for each in matches], np.int64),
        block_key=np.array([each.seed for each in matches], np.int64),
        rotation=np.array([each.rotation for each in matches], np.int64),
        match=match,
        bot=bot,
        seat=seat,
        score=score.astype(np.float64),
        rank=rank,
        fault=fault,
        decisions=np.full(len(rows), 10, np.int64),
        seconds=ones,
        cpu_seconds=0.5 * ones,
        memory=1000 * ones,
    )


def blocks_of(data: Results, seatings: Callable[[int], int] = lambda players: players) -> Blocks:
    """The blocks of results; if nothing else is said, a block has a match for each seat of its table."""
    return find_blocks(data, seatings)


def shuffled(data: Results, seed: int) -> Results:
    """The same results in another order of matches and seats."""
    rng = np.random.default_rng(seed)
    matches, seats = rng.permutation(len(data.players)), rng.permutation(len(data.match))
    number = np.argsort(matches)
    names = [field.name for field in fields(data)]
    of_match = {name: getattr(data, name)[matches] for name in names[1:4]}
    of_seat = {name: getattr(data, name)[seats] for name in names[4:] if name != "ids"}
    return replace(data, **of_match, **(of_seat | {"match": number[of_seat["match"]]}))


def pair_block(seed: int, one: str, other: str, winners: str) -> list[Match]:
    """A block of two matches between bots: ``winners`` has for each 1, 2 or = for a tie."""
    ranks = {"1": (1, 2), "2": (2, 1), "=": (1, 1)}
    first, second = (ranks[each] for each in winners)
    return [Match(seed, 0, (one, other), first), Match(seed, 1, (other, one), second[::-1])]


def played(strengths: Sequence[float] | np.ndarray, players: int, blocks: int, rng: np.random.Generator) -> Blocks:
    """Blocks that bots of these strengths (log-odds) play: every match is ordered as Plackett and Luce's model has it."""
    bots = len(strengths)
    lineups = np.sort(rng.permuted(np.tile(np.arange(bots), (blocks, 1)), axis=1)[:, :players], axis=1)
    values = np.asarray(strengths)[lineups][:, None, :] + rng.gumbel(size=(blocks, players, players))
    place: NDArray[np.int64] = (-values).argsort(axis=-1).argsort(axis=-1) + 1
    seats = np.tile((np.arange(players)[None, :] + np.arange(players)[:, None]) % players, (blocks, 1, 1))
    table = TableBlocks(players, lineups, place, (players - place).astype(np.float64), seats, np.zeros(place.shape, bool))
    return Blocks(tuple(f"bot{number}" for number in range(bots)), (table,), blocks, 0, 0)
