"""TrueSkill for matches without teams. The results equal those of the package ``trueskill`` to the last bit.

The package builds a factor graph of about forty objects for a two-player match and passes messages through it. Here, the same operations
are done in the same order on plain numbers, in a tenth of the time. When the probability of a result is too close to 0 or 1 for
floating-point numbers, the package raises an error, but this module uses the mathematical limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, inf, pi, sqrt
from typing import Final, NamedTuple, Self


class Skill(NamedTuple):
    """The normal distribution of a player's skill: ``precision`` is 1 / variance, and ``adjusted`` is the mean times ``precision``."""

    precision: float
    adjusted: float

    @classmethod
    def make(cls, mu: float, sigma: float) -> Self:
        """Return the skill with this mean and standard deviation."""
        precision = sigma**-2
        return cls(precision, precision * mu)

    @property
    def mu(self) -> float:
        """The mean."""
        return self.adjusted / self.precision

    @property
    def sigma(self) -> float:
        """The standard deviation."""
        return sqrt(1 / self.precision)


PASSES: Final = 10
SMALL: Final = 0.0001
"""Messages are passed until no value changes by more than ``SMALL``, but at most ``PASSES`` times."""

_ROOT_2: Final = sqrt(2)
_PEAK: Final = 1 / sqrt(2 * pi)


def rate_players(skills: Sequence[Skill], ranks: Sequence[int], *, beta: float, tau: float, margin: float) -> list[Skill]:
    """Return the skills after a match of two or more players, in the given order. Equal ranks are ties.

    ``margin`` is the largest difference in performance that counts as a tie. If floating-point numbers can't represent the update (the
    skills would have to be millions of deviations apart), the skills are returned unchanged.
    """
    try:
        return _updated(skills, ranks, beta, tau, margin)
    except (ArithmeticError, ValueError):
        return list(skills)


def _updated(skills: Sequence[Skill], ranks: Sequence[int], beta: float, tau: float, margin: float) -> list[Skill]:
    order = sorted(range(len(ranks)), key=ranks.__getitem__)
    drift, noise = tau**2, beta**2
    players = [_Player(skills[seat], drift, noise) for seat in order]
    links = [
        _Link(players[place], players[place + 1], margin, is_tie=ranks[seat] == ranks[order[place + 1]])
        for place, seat in enumerate(order[:-1])
    ]
    for _ in range(PASSES):
        if (links[0].compare() if len(links) == 1 else _sweep(links)) <= SMALL:
            break
    links[0].tell_better()
    links[-1].tell_worse()
    updated = dict(zip(order, (player.skill(noise) for player in players), strict=True))
    return [updated[seat] for seat in range(len(order))]


def _sweep(links: Sequence[_Link]) -> float:
    delta = 0.0
    for link in links[:-1]:
        delta = max(delta, link.compare())
        link.tell_worse()
    for link in links[:0:-1]:
        delta = max(delta, link.compare())
        link.tell_better()
    return delta


class _Player:
    """A player in this match. Each stage of its performance has a precision and an adjusted mean (see ``Skill``)."""

    __slots__ = ("adjusted", "own", "own_adjusted", "play", "play_adjusted", "precision", "skilled", "skilled_adjusted")

    def __init__(self, skill: Skill, drift: float, noise: float) -> None:
        self.skilled = skilled = sqrt(skill.sigma**2 + drift) ** -2
        self.skilled_adjusted = adjusted = skilled * skill.mu
        share = 1.0 / (1.0 + noise * skilled)
        self.play = play = share * skilled
        self.play_adjusted = share * adjusted
        self.own = self.precision = 1.0 / (1 / play)
        self.own_adjusted = self.adjusted = self.own * (self.play_adjusted / play)

    def skill(self, noise: float) -> Skill:
        """Return the skill updated by the messages from the links."""
        message = self.precision - self.own
        mean = (self.adjusted - self.own_adjusted) / message if message else 0.0
        precision = 1.0 / (1 / message) if message else 0.0
        adjusted = self.play_adjusted + precision * mean - self.play_adjusted
        precision = self.play + precision - self.play
        share = 1.0 / (1.0 + noise * precision)
        precision = self.skilled + share * precision
        adjusted = self.skilled_adjusted + share * adjusted
        return Skill.make(adjusted / precision, sqrt(1 / precision))


class _Link:
    """The difference in performance of two players with adjacent ranks, the constraint on it, and the messages to both players."""

    __slots__ = (
        "adjusted",
        "better",
        "better_adjusted",
        "better_message",
        "difference",
        "difference_adjusted",
        "is_tie",
        "margin",
        "precision",
        "result",
        "result_adjusted",
        "worse",
        "worse_adjusted",
        "worse_message",
    )

    def __init__(self, better: _Player, worse: _Player, margin: float, *, is_tie: bool) -> None:
        self.better = better
        self.worse = worse
        self.margin = margin
        self.is_tie = is_tie
        self.precision = self.adjusted = 0.0
        self.difference = self.difference_adjusted = 0.0
        self.result = self.result_adjusted = 0.0
        self.better_message = self.better_adjusted = 0.0
        self.worse_message = self.worse_adjusted = 0.0

    def compare(self) -> float:
        """Recompute the difference in performance given the result, and return by how much it changed."""
        better, worse = self.better, self.worse
        upper, lower = better.precision - self.better_message, worse.precision - self.worse_message
        difference = 1.0 / (1 / upper + 1 / lower)
        difference_adjusted = difference * (
            (better.adjusted - self.better_adjusted) / upper - (worse.adjusted - self.worse_adjusted) / lower
        )
        before = self.precision - self.difference + difference
        before_adjusted = self.adjusted - self.difference_adjusted + difference_adjusted
        self.difference, self.difference_adjusted = difference, difference_adjusted
        precision, adjusted = before - self.result, before_adjusted - self.result_adjusted
        root = sqrt(precision)
        v, w = (_tied if self.is_tie else _won)(adjusted / root, self.margin * root)
        rest = 1.0 - w
        self.precision = after = precision / rest
        self.adjusted = after_adjusted = (adjusted + root * v) / rest
        self.result = after + self.result - before
        self.result_adjusted = after_adjusted + self.result_adjusted - before_adjusted
        change = abs(before - after)
        return 0.0 if change == inf else max(abs(before_adjusted - after_adjusted), sqrt(change))

    def tell_better(self) -> None:
        """Update the better player with the message from the difference and the worse player."""
        player, other = self.better, self.worse
        link, lower = self.precision - self.difference, other.precision - self.worse_message
        message = adjusted = 0.0
        if link:  # 0 if the result gives no information
            message = 1.0 / (1 / link + 1 / lower)
            adjusted = message * ((self.adjusted - self.difference_adjusted) / link + (other.adjusted - self.worse_adjusted) / lower)
        player.precision = player.precision - self.better_message + message
        player.adjusted = player.adjusted - self.better_adjusted + adjusted
        self.better_message, self.better_adjusted = message, adjusted

    def tell_worse(self) -> None:
        """Update the worse player with the message from the difference and the better player."""
        other, player = self.better, self.worse
        upper, link = other.precision - self.better_message, self.precision - self.difference
        message = adjusted = 0.0
        if link:
            message = 1.0 / (1 / upper + 1 / link)
            adjusted = message * ((other.adjusted - self.better_adjusted) / upper - (self.adjusted - self.difference_adjusted) / link)
        player.precision = player.precision - self.worse_message + message
        player.adjusted = player.adjusted - self.worse_adjusted + adjusted
        self.worse_message, self.worse_adjusted = message, adjusted


def _won(difference: float, margin: float) -> tuple[float, float]:
    """Return v and w (see the paper) for a win: by how much the mean and the variance of a difference change."""
    x = difference - margin
    chance = _cumulative(x)
    v = _density(x) / chance if chance else -x
    w = v * (v + x)
    if 0 < w < 1:
        return v, w
    return (0.0, 0.0) if x > 0 else _limit(x)


def _tied(difference: float, margin: float) -> tuple[float, float]:
    size = abs(difference)
    high, low = margin - size, -margin - size
    sign = -1 if difference < 0 else 1
    chance = _cumulative(high) - _cumulative(low)
    if not chance:
        v, w = _limit(high)
        return -v * sign, w
    at_high, at_low = _density(high), _density(low)
    v = (at_low - at_high) / chance
    return v * sign, v**2 + (high * at_high - low * at_low) / chance


def _limit(x: float) -> tuple[float, float]:
    """Return the limits of v and w for a nearly impossible result, for which ``x`` is far below 0."""
    return -x, 1 - 1 / x**2


def _density(x: float) -> float:
    return _PEAK * exp(-(x**2 / 2))


def _cumulative(x: float) -> float:
    """Return the cumulative standard normal distribution, approximated as in the package (Numerical Recipes, ``erfcc``)."""
    y = -x / _ROOT_2
    z = abs(y)
    t = 1.0 / (1.0 + z / 2.0)
    inner = -0.18628806 + t * (0.27886807 + t * (-1.13520398 + t * (1.48851587 + t * (-0.82215223 + t * 0.17087277))))
    r = t * exp(-z * z - 1.26551223 + t * (1.00002368 + t * (0.37409196 + t * (0.09678418 + t * inner))))
    return 0.5 * (2.0 - r if y < 0 else r)
