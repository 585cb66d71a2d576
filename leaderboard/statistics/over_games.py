"""Standings over tournaments of several games, each with the same weight (docs/ratings.md, "Over several games").

In addition to strengths, for fields in which A beats B, B beats C and C beats A: alpha-rank (Omidshafiei and others, *Multi-agent
evaluation by evolution*, Scientific Reports 2019) and Copeland's rule, both by OpenSpiel, with intervals over the same bootstraps of
blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from leaderboard.statistics.blocks import Blocks, TableBlocks
from leaderboard.statistics.bradley_terry import SEED, bootstraps, comparisons, virtual_ties
from leaderboard.statistics.columns import Floats
from leaderboard.statistics.intervals import CONFIDENCE

REPLICATES: Final = 400
"""The number of bootstraps for the intervals of alpha-rank and Copeland's rule, each of which takes OpenSpiel some milliseconds."""
ALPHA: Final = 100.0
"""The strength of selection, for payoffs from 0 to 1: OpenSpiel's default."""
_VOTES: Final = 1_000_000
"""The votes divided between a pair of bots, since OpenSpiel counts whole votes."""
MOST: Final = 50
"""The most bots for which these are computed, in half a minute."""


@dataclass(frozen=True, slots=True)
class FieldRank:
    """A bot's alpha-rank (its share in the long run of evolution), and how many of the others it beats, ties counting half."""

    bot: str
    alpha_rank: float
    alpha_low: float
    alpha_high: float
    beaten: float
    beaten_low: float
    beaten_high: float


def common_blocks(games: Sequence[Blocks]) -> Blocks:
    """Return the blocks of several tournaments as those of one, for the bots common to all, each tournament with the same weight in fits.

    Bots of the same name are taken to be the same. Other bots are removed from tables, since in the fitted model a third bot has no effect
    on which of two ends above the other. Raises ValueError if fewer than two bots have a complete block in each tournament, or if none of
    them met in one.
    """
    played = [{each.bots[bot] for table in each.tables for bot in np.unique(table.bots)} for each in games]
    bots = tuple(sorted(set.intersection(*played)))
    if len(bots) < 2:
        raise ValueError("fewer than two bots have a complete block in each of these tournaments")
    tables = [[kept for table in each.tables for kept in _only(table, each.bots, bots)] for each in games]
    seats = [sum(table.bots.size for table in own) for own in tables]
    if not all(seats):
        raise ValueError("in one of these tournaments no two of the bots that have a complete block in each have met")
    return Blocks(
        bots,
        tuple(replace(table, weight=sum(seats) / len(games) / own) for group, own in zip(tables, seats, strict=True) for table in group),
        complete=sum(each.complete for each in games),
        incomplete=sum(each.incomplete for each in games),
        matches_left_out=sum(each.matches_left_out for each in games),
    )


def _only(table: TableBlocks, names: tuple[str, ...], kept: tuple[str, ...]) -> list[TableBlocks]:
    """Return the table's blocks without the bots that are not kept: one table for each number of bots left, from two on."""
    index = np.array([kept.index(name) if name in kept else -1 for name in names], np.int64)[table.bots]
    stays = index >= 0
    left = stays.sum(axis=1)
    parts = []
    for number in range(2, table.bots.shape[1] + 1):
        rows = np.flatnonzero(left == number)
        if rows.size:
            columns = np.nonzero(stays[rows])[1].reshape(rows.size, 1, number)
            place, seat = (np.take_along_axis(values[rows], columns, axis=2) for values in (table.place, table.seat))
            score: Floats = np.take_along_axis(table.score[rows], columns, axis=2)
            forfeit = np.take_along_axis(table.forfeit[rows], columns, axis=2)
            bots = index[rows][stays[rows]].reshape(rows.size, number)
            parts.append(TableBlocks(table.players, bots, place, score, seat, forfeit, table.match[rows]))
    return parts


def field_ranks(blocks: Blocks, replicates: int = REPLICATES, seed: int = SEED) -> tuple[FieldRank, ...]:
    """Return alpha-rank and Copeland's count of each bot, by alpha-rank, best first. Raises ModuleNotFoundError without OpenSpiel."""
    size = len(blocks.bots)
    everybody, prior = np.arange(size), virtual_ties(size)
    samples = bootstraps(blocks, everybody, prior, replicates, np.random.default_rng(seed)).T.reshape(-1, size, size)
    won = np.concatenate([(np.maximum(comparisons(blocks), 0) + prior)[None], samples])
    payoffs = won / (won + won.transpose(0, 2, 1) + np.eye(size)) + np.eye(size) / 2
    alphas = np.array([_alpha_rank(each) for each in payoffs])
    beaten = np.array([_beaten(each) for each in payoffs])
    tail = (1 - CONFIDENCE) / 2
    bounds = [np.quantile(values[1:], (tail, 1 - tail), axis=0) for values in (alphas, beaten)]
    ranks = [
        FieldRank(name, *(float(each) for each in figures))
        for name, *figures in zip(blocks.bots, alphas[0], *bounds[0], beaten[0], *bounds[1], strict=True)
    ]
    return tuple(sorted(ranks, key=lambda each: (-each.alpha_rank, each.bot)))


def _alpha_rank(payoffs: Floats) -> Floats:
    from open_spiel.python.egt import alpharank  # noqa: PLC0415  # an extra

    with np.errstate(over="ignore"):  # for a chance that is then 0
        return np.clip(np.asarray(alpharank.compute([payoffs], alpha=ALPHA)[2], np.float64), 0.0, 1.0)


def _beaten(payoffs: Floats) -> Floats:
    """Return how many others each bot beats by Copeland's rule: every comparison is a vote for one of two bots."""
    from open_spiel.python.voting.base import PreferenceProfile  # noqa: PLC0415  # an extra
    from open_spiel.python.voting.copeland import CopelandVoting  # noqa: PLC0415

    size = len(payoffs)
    profile = PreferenceProfile(alternatives=list(range(size)))
    for one, other in zip(*np.nonzero(~np.eye(size, dtype=bool)), strict=True):
        profile.add_vote([int(one), int(other)], max(1, round(float(payoffs[one, other]) * _VOTES)))
    outcome = CopelandVoting().run_election(profile)
    scores = np.empty(size)
    scores[outcome.ranking] = outcome.scores
    return scores
