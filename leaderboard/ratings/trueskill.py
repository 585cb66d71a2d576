"""Ratings as a fold over results in schedule order. It owns TrueSkill and the order of the fold; it reads and stores nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from engine.core import shared_ranks
from leaderboard.ratings.trueskill_fast import Skill, rate_players

if TYPE_CHECKING:
    from trueskill import Rating


@dataclass(frozen=True, slots=True)
class Anchor:
    """A bot whose rating is known beforehand: matches with it rate the others, and leave it where it is."""

    bot: str
    mu: float
    sigma: float


@dataclass(frozen=True, slots=True)
class RatingParameters:
    """TrueSkill's parameters, as in the package ``trueskill`` (Herbrich, Minka and Graepel 2006), and whose ratings are fixed."""

    mu: float = 25.0
    sigma: float = 25.0 / 3
    beta: float = 25.0 / 6
    tau: float = 25.0 / 300
    draw_probability: float = 0.1
    anchors: tuple[Anchor, ...] = ()


@dataclass(frozen=True, slots=True)
class Rated:
    """A bot's rating after a match; ``number`` counts its rated matches from 1."""

    bot: str
    number: int
    match: str
    mu: float
    sigma: float


@dataclass(frozen=True, slots=True)
class RatedResult:
    """What the fold needs of a match: bots and their ranks, 1-based, ties share the better one.

    A solo match has one bot; those of the same ``block`` are rated against each other by ``keys``, the larger the better, once the
    block is complete.
    """

    match: str
    bots: tuple[str, ...]
    ranks: tuple[int, ...]
    keys: tuple[tuple[int, ...], ...] = ()
    block: int = 0


class RatingFold:
    """Folds results, one by one and in schedule order, into a rating for each bot.

    The state after n results depends on those n results and their order alone. An anchor takes part in every update with the rating
    that it came with, and its own update is dropped.
    """

    def __init__(self, bots: Iterable[str], parameters: RatingParameters) -> None:
        self._parameters = parameters
        self._package = _Package(parameters)
        self._margin = self._package.margin
        self._anchors = {each.bot: each for each in parameters.anchors}
        self._skills = {bot: self._first(bot) for bot in bots}
        self._matches = dict.fromkeys(self._skills, 0)
        self._solo: list[RatedResult] = []

    def add(self, result: RatedResult) -> tuple[Rated, ...]:
        """Rate one result; gives the new rating of each bot that was rated by it, in the result's order.

        A solo match counts when all bots have played its block; until then it gives nothing.
        """
        if len(result.bots) == 1:
            return self._add_solo(result)
        skills = [self._skills[bot] for bot in result.bots]
        for bot, skill in zip(result.bots, self._rate(skills, result.ranks), strict=True):
            if bot not in self._anchors:
                self._skills[bot] = skill
            self._matches[bot] += 1
        return tuple(self._rated(bot, result.match) for bot in result.bots)

    def _rate(self, skills: Sequence[Skill], ranks: Sequence[int]) -> Sequence[Skill]:
        beta, tau = self._parameters.beta, self._parameters.tau
        try:
            return rate_players(skills, ranks, beta=beta, tau=tau, margin=self._margin)
        except (ArithmeticError, ValueError):
            return self._package.rate(skills, ranks)

    def enter(self, bot: str) -> None:
        """A bot has joined; unless it is an anchor, it begins with a fresh rating."""
        self._skills[bot] = self._first(bot)
        self._matches[bot] = 0

    def _first(self, bot: str) -> Skill:
        """What a bot begins with."""
        known = self._anchors.get(bot, self._parameters)
        return Skill.make(known.mu, known.sigma)

    def quality(self, one: str, other: str) -> float:
        """TrueSkill's match quality of two bots, from 0 to 1: how likely a draw is, compared with two of equal, certain skill."""
        return self._package.quality(self._skills[one], self._skills[other])

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
        rating = self._anchors.get(bot, self._skills[bot])  # an anchor's to the last bit
        return Rated(bot, self._matches[bot], match, rating.mu, rating.sigma)

    def table(self) -> tuple[Rated, ...]:
        """The rating of every bot, best first by conservative score, then by name."""
        return tuple(
            sorted((self._rated(bot, "") for bot in self._skills), key=lambda rated: (-conservative(rated.mu, rated.sigma), rated.bot))
        )


class _Package:
    """The package ``trueskill``: for what is asked seldom, and for what ``free_for_all`` leaves to it."""

    def __init__(self, parameters: RatingParameters) -> None:
        from trueskill import TrueSkill, calc_draw_margin  # noqa: PLC0415  # those who only read standings rate nothing

        self._environment: TrueSkill = TrueSkill(
            mu=parameters.mu,
            sigma=parameters.sigma,
            beta=parameters.beta,
            tau=parameters.tau,
            draw_probability=parameters.draw_probability,
            backend=None,
        )
        self.margin: Final[float] = calc_draw_margin(parameters.draw_probability, 2, self._environment)
        """How far apart two play at most when they tie."""

    def rate(self, skills: Sequence[Skill], ranks: Sequence[int]) -> list[Skill]:
        """The skills after a match. Raises FloatingPointError for a result that has no chance."""
        rated = self._environment.rate([(self._rating(skill),) for skill in skills], ranks=list(ranks))
        return [Skill(rating.pi, rating.tau) for (rating,) in rated]

    def quality(self, one: Skill, other: Skill) -> float:
        """How likely a draw is, compared with two of equal, certain skill."""
        quality: float = self._environment.quality([(self._rating(one),), (self._rating(other),)])
        return quality

    def _rating(self, skill: Skill) -> Rating:
        rating = self._environment.create_rating()
        rating.pi, rating.tau = skill  # through mean and deviation the last bits would be lost
        return rating


def conservative(mu: float, sigma: float) -> float:
    """The score a table is sorted by: three standard deviations below the mean, TrueSkill's own choice."""
    return mu - 3 * sigma


def ratings_digest(table: Sequence[Rated], digests: dict[str, str]) -> str:
    """The digest of a rating table: bots with their content hash, matches, and ratings to nine decimals, sorted by name."""
    lines = [
        f"{rated.bot} {digests[rated.bot]} {rated.number} {rated.mu:.9f} {rated.sigma:.9f}" for rated in sorted(table, key=lambda r: r.bot)
    ]
    return "sha256:" + hashlib.sha256("\n".join(lines).encode()).hexdigest()
