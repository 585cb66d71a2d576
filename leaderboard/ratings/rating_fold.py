"""TrueSkill ratings as a fold over results in schedule order."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import erfc, exp, pi, sqrt
from typing import Final

from engine.core import Score, shared_ranks
from leaderboard.ratings.trueskill_fast import Skill, rate_players

_FAR: Final = 8.0
"""The lead, in standard deviations, beyond which the result of a match gives no information."""


@dataclass(frozen=True, slots=True)
class RatingParameters:
    """TrueSkill's parameters, as in the package ``trueskill`` (Herbrich, Minka and Graepel 2006)."""

    mu: float = 25.0
    sigma: float = 25.0 / 3
    beta: float = 25.0 / 6
    tau: float = 25.0 / 300
    draw_probability: float = 0.1


@dataclass(frozen=True, slots=True)
class Rated:
    """A bot's rating after a match; ``number`` counts the bot's rated matches from 1."""

    bot: str
    number: int
    match: str
    mu: float
    sigma: float


@dataclass(frozen=True, slots=True)
class RatedResult:
    """The input of the ratings from a match: bots and their ranks from 1, ties sharing the better rank.

    A solo match has one bot. Solo matches of the same ``block`` are rated against each other by ``keys``, the larger the better, once
    the block is complete.
    """

    match: str
    bots: tuple[str, ...]
    ranks: tuple[int, ...]
    keys: tuple[tuple[Score, ...], ...] = ()
    block: int = 0


class RatingFold:
    """Folds results, one by one and in schedule order, into a rating for each bot.

    The state after n results depends only on those results and their order.
    """

    def __init__(self, bots: Iterable[str], parameters: RatingParameters) -> None:
        self._parameters = parameters
        self._first = Skill.make(parameters.mu, parameters.sigma)
        self._noise = 2 * parameters.beta**2
        self._margin = _tie_margin(parameters)
        self._skills = dict.fromkeys(bots, self._first)
        self._matches = dict.fromkeys(self._skills, 0)
        self._solo: list[RatedResult] = []

    def add(self, result: RatedResult) -> tuple[Rated, ...]:
        """Rate one result and return the new rating of each bot in it, in the result's order.

        A solo match counts once all bots have played its block; until then the result is empty.
        """
        if len(result.bots) == 1:
            return self._add_solo(result)
        skills = tuple([self._skills[bot] for bot in result.bots])
        rated = _rate_once(skills, result.ranks, self._parameters.beta, self._parameters.tau, self._margin)
        for bot, skill in zip(result.bots, rated, strict=True):
            self._skills[bot] = skill
            self._matches[bot] += 1
        return tuple(self._rated(bot, result.match) for bot in result.bots)

    def enter(self, bot: str) -> None:
        """Add a bot that joins, with the initial rating."""
        self._skills[bot] = self._first
        self._matches[bot] = 0

    def information(self, bot: str, other: str) -> float:
        """Return the share of its variance that a bot's rating is expected to lose by a match against another, ignoring draws.

        A match is a probit comparison whose winner is known: see docs/ratings.md (pairing in a ladder).
        """
        variance, lead = self._difference(bot, other)
        lead = min(abs(lead), _FAR)
        density = exp(-(lead**2) / 2) / sqrt(2 * pi)
        loses = erfc(lead / sqrt(2)) / 2
        return density**2 / (loses * (1 - loses)) / (self._skills[bot].precision * variance)

    def _difference(self, one: str, other: str) -> tuple[float, float]:
        """Return the variance of the difference between two bots' performances, and its mean in standard deviations."""
        first, second = self._skills[one], self._skills[other]
        variance = self._noise + 1 / first.precision + 1 / second.precision
        return variance, (first.adjusted / first.precision - second.adjusted / second.precision) / sqrt(variance)  # the means, inlined

    def _add_solo(self, result: RatedResult) -> tuple[Rated, ...]:
        if self._solo and self._solo[0].block != result.block:
            self._solo = []
        self._solo.append(result)
        if len(self._solo) < len(self._skills):
            return ()
        block, self._solo = self._solo, []
        return self.add(
            RatedResult(
                match=result.match,
                bots=tuple(solo.bots[0] for solo in block),
                ranks=shared_ranks([solo.keys[0] for solo in block]),
            )
        )

    def _rated(self, bot: str, match: str) -> Rated:
        rating = self._skills[bot]
        return Rated(bot, self._matches[bot], match, rating.mu, rating.sigma)

    def table(self) -> tuple[Rated, ...]:
        """Return every bot's rating, best first by conservative score, then by name."""
        return tuple(
            sorted((self._rated(bot, "") for bot in self._skills), key=lambda rated: (-conservative(rated.mu, rated.sigma), rated.bot))
        )


@lru_cache(maxsize=1 << 12)
def _rate_once(skills: tuple[Skill, ...], ranks: tuple[int, ...], beta: float, tau: float, margin: float) -> Sequence[Skill]:
    """Return the skills after a match. Cached, since a ladder's pairing and its standings usually need the same ones."""
    return rate_players(skills, ranks, beta=beta, tau=tau, margin=margin)


def _tie_margin(parameters: RatingParameters) -> float:
    """Return the largest difference in performance that counts as a tie."""
    from trueskill import TrueSkill, calc_draw_margin  # noqa: PLC0415  # slow to load, and readers of standings rate nothing

    margin: float = calc_draw_margin(parameters.draw_probability, 2, TrueSkill(beta=parameters.beta))
    return margin


def conservative(mu: float, sigma: float) -> float:
    """Return the rating that tables are sorted by: three standard deviations below the mean, as TrueSkill's authors do."""
    return mu - 3 * sigma


def ratings_digest(table: Sequence[Rated], digests: dict[str, str]) -> str:
    """Return the digest of a rating table: bots with content hash, number of matches, and ratings to nine decimals, sorted by name."""
    lines = [
        f"{rated.bot} {digests[rated.bot]} {rated.number} {rated.mu:.9f} {rated.sigma:.9f}" for rated in sorted(table, key=lambda r: r.bot)
    ]
    return "sha256:" + hashlib.sha256("\n".join(lines).encode()).hexdigest()
