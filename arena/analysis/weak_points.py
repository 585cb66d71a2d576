"""The common features of a bot's worst decisions: features of position and move with which it gives away more than its rivals
(``weak_points``).

Every bot gives away most where most is at stake, so a feature is compared twice: with the bot's other decisions, and with its rivals in the
same matches. The test permutes the seats of each match, which would have no effect if all players played alike. Many features at once are
allowed for by comparing each with the largest of all in a permutation (Westfall and Young, *Resampling-Based Multiple Testing*, 1993),
which takes into account that some of them overlap.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from arena.analysis.match_analysis import DecisionAnalysis, MatchAnalysis, Phase, Unit

Figures = npt.NDArray[np.float64]
MOST: Final = 3
"""The most weak points that are named."""
LEVEL: Final = 0.05
"""The probability that anything is named for a bot that plays as its rivals do."""
LEAST_SHARE: Final = 0.2
"""The least share in what a bot gave away for which a feature is named."""
LEAST_LIFT: Final = 1.5
"""How many times as large the odds of a feature must be in what the bot gave away as in its decisions."""
LEAST_DECISIONS: Final = 5
LEAST_MATCHES: Final = 8
PERMUTATIONS: Final = 4999
SAME: Final = 0.6
"""The part of their decisions that two features may share; of those that share more, the first is named."""
MANY_MOVES: Final = 50
FEW_MOVES: Final = 6
_THIRDS: Final = {Phase.OPENING: "first", Phase.MIDDLE: "second", Phase.END: "last"}
_AHEAD: Final = 1.2
"""A seat is ahead if its chances exceed an equal share by this factor, and behind if they fall short of it by this factor."""


@dataclass(frozen=True, slots=True)
class WeakPoint:
    """A feature, in words that follow "what it gave away came", and its shares in losses (of bot and rivals) and decisions.

    ``p`` is the probability that any feature would stand out so much from the rivals if all players played alike.
    """

    words: str
    lost: float
    decisions: float
    rivals: float
    p: float


def weak_point_words(point: WeakPoint) -> str:
    """Return a weak point as a sentence."""
    return (
        f"{100 * point.lost:.0f} % of what it gave away came {point.words} "
        f"({100 * point.decisions:.0f} % of its decisions; {100 * point.rivals:.0f} % of what its rivals gave away)."
    )


def game_features(decision: DecisionAnalysis) -> set[str]:
    """Return the features of a decision that its game has words for."""
    traits = decision.played.traits
    return {*traits.settings, *(f"from {habit}" for habit in traits.habits)}


def features_of(analysis: MatchAnalysis, decision: DecisionAnalysis) -> set[str]:
    """Return the features of a decision: those of any game, and those that its game has words for."""
    traits = decision.played.traits
    features = game_features(decision) | {f"in {traits.kind}"}
    features.add(f"in the {_THIRDS[decision.phase]} third of the match")
    if decision.best is not None and decision.best.traits.kind != traits.kind:
        features.add(f"where it should have thought of {decision.best.traits.kind}")
    if decision.legal >= MANY_MOVES:
        features.add(f"with {MANY_MOVES} moves or more to choose from")
    elif decision.legal <= FEW_MOVES:
        features.add(f"with {FEW_MOVES} moves or fewer to choose from")
    if analysis.unit is Unit.CHANCE:
        share = analysis.players * analysis.chances[decision.index][decision.seat]
        if share >= _AHEAD or share <= 1 / _AHEAD:
            features.add("when it was ahead" if share >= _AHEAD else "when it was behind")
    return features


class _Seat:
    """What a seat's decisions in one match gave away, in all and by feature, and their number."""

    def __init__(self) -> None:
        self.lost: dict[str, float] = defaultdict(float)
        self.number: dict[str, int] = defaultdict(int)

    def add(self, features: Iterable[str], loss: float) -> None:
        for feature in ("", *features):
            self.lost[feature] += loss
            self.number[feature] += 1


def weak_points(analysed: Sequence[tuple[MatchAnalysis, Sequence[int]]], seed: int = 0) -> tuple[WeakPoint, ...]:
    """Return the weak points of a bot over matches, given with its seats; features described by its game come first.

    Matches chosen by their results are not for this test. There is nothing for fewer than ``LEAST_MATCHES`` matches with rivals.
    """
    matches = [(_seats(analysis), set(seats)) for analysis, seats in analysed if can_compare(analysis, seats)]
    if len(matches) < LEAST_MATCHES:
        return ()
    own = [seat for seats, bot in matches for number, seat in enumerate(seats) if number in bot]
    rivals = [seat for seats, bot in matches for number, seat in enumerate(seats) if number not in bot]
    points = {feature: _point(feature, own, rivals) for feature in {name for seat in own for name in seat.number if name}}
    tested = sorted(
        feature
        for feature, point in points.items()
        if sum(seat.number[feature] for seat in own) >= LEAST_DECISIONS and point.lost >= LEAST_SHARE
    )
    significant = _significant(tested, matches, seed)
    named = [
        WeakPoint(feature, points[feature].lost, points[feature].decisions, points[feature].rivals, p)
        for feature, p in significant.items()
        if _odds(points[feature].lost) >= LEAST_LIFT * _odds(points[feature].decisions)
    ]
    of_game = {feature for analysis, _ in analysed for each in analysis.decisions for feature in game_features(each)}
    named.sort(key=lambda point: (point.words not in of_game, point.p, -point.lost, point.words))  # features described by the game say more
    return tuple(_different(named, analysed))


def can_compare(analysis: MatchAnalysis, seats: Sequence[int]) -> bool:
    """Return whether a bot that had these seats also had rivals."""
    return 0 < len(seats) < analysis.players


def _seats(analysis: MatchAnalysis) -> list[_Seat]:
    """Return the seats of a match, with their own decisions that were compared."""
    seats = [_Seat() for _ in range(analysis.players)]
    for each in analysis.decisions:
        if each.legal > 1 and not each.is_substitute:
            seats[each.seat].add(features_of(analysis, each), each.loss)
    return seats


def _point(feature: str, own: Sequence[_Seat], rivals: Sequence[_Seat]) -> WeakPoint:
    """Return the shares of a feature."""

    def part(seats: Sequence[_Seat], of: str) -> float:
        return sum(seat.lost[of] for seat in seats)

    decisions = sum(seat.number[feature] for seat in own) / max(1, sum(seat.number[""] for seat in own))
    lost, theirs = (part(seats, feature) / (part(seats, "") or 1.0) for seats in (own, rivals))
    return WeakPoint(feature, lost, decisions, theirs, 1.0)


def _significant(tested: Sequence[str], matches: Sequence[tuple[list[_Seat], set[int]]], seed: int) -> dict[str, float]:
    """Return the features with which the bot gave away a larger part than its rivals, and the probability that any would by chance."""
    if not tested:
        return {}
    rng = np.random.default_rng(seed)
    own = np.zeros((PERMUTATIONS + 1, len(tested) + 1))
    everybody = np.zeros(len(tested) + 1)
    for seats, bot in matches:
        lost = np.array([[seat.lost[feature] for feature in (*tested, "")] for seat in seats])
        taken = np.zeros((PERMUTATIONS + 1, len(seats)))
        taken[:, sorted(bot)] = 1.0
        taken[1:] = rng.permuted(taken[1:], axis=1)
        own += taken @ lost
        everybody += lost.sum(axis=0)
    more = _shares(own) - _shares(everybody - own)
    more /= np.maximum(more[1:].std(axis=0), 1e-9)
    most = more[1:].max(axis=1)
    chances = [(1 + np.count_nonzero(most >= each - 1e-9)) / (PERMUTATIONS + 1) for each in more[0]]
    return {feature: float(chance) for feature, chance in zip(tested, chances, strict=True) if chance <= LEVEL}


def _odds(share: float) -> float:
    return share / max(1e-9, 1.0 - share)


def _shares(lost: Figures) -> Figures:
    """Return the part of each feature in what was given away, which is in the last column."""
    shares: Figures = lost[:, :-1] / np.maximum(lost[:, -1:], 1e-9)
    return shares


def _different(points: Sequence[WeakPoint], analysed: Sequence[tuple[MatchAnalysis, Sequence[int]]]) -> Iterator[WeakPoint]:
    """Yield the first points that are not about the same decisions."""
    where: dict[str, dict[tuple[int, int], float]] = {point.words: {} for point in points}
    for number, (analysis, seats) in enumerate(analysed):
        for each in analysis.decisions:
            if each.seat in seats and each.loss and each.legal > 1 and not each.is_substitute:
                for feature in features_of(analysis, each) & where.keys():
                    where[feature][number, each.index] = each.loss
    named: list[WeakPoint] = []
    for point in points:
        mine = where[point.words]
        same = [sum(loss for at, loss in mine.items() if at in where[other.words]) for other in named]
        smaller = [min(sum(mine.values()), sum(where[other.words].values())) for other in named]
        if len(named) < MOST and all(one <= SAME * least for one, least in zip(same, smaller, strict=True)):
            named.append(point)
            yield point
