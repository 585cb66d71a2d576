"""Measures how good predicted chances are on held-out games: log loss, and calibration by tenths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.train.fit import order_of, places_loss
from benchmarks.train.positions import Floats, Positions
from bots.reference.valuation.base import from_strengths

TENTHS = 10


@dataclass(frozen=True, slots=True)
class Quality:
    """The measurements for positions from ``games`` different games.

    - ``log_loss``, ``even``: the log loss of the winner with the predicted chances, and with equal chances
    - ``rank_loss``: the log loss of all places together
    - ``errors``: for each tenth of the predicted chances of all ranks, the mean prediction minus the fraction that came true, in percentage
      points, or None if there are fewer than 200 chances
    - ``first_errors``: the same for first place only
    """

    games: int
    positions: int
    log_loss: float
    rank_loss: float
    even: float
    errors: tuple[float | None, ...]
    first_errors: tuple[float | None, ...]

    def numbers(self) -> dict[str, Any]:
        """Return the measurements in the form that is written to a file."""
        return {
            "games": self.games,
            "positions": self.positions,
            "log loss": round(self.log_loss, 4),
            "log loss of equal chances": round(self.even, 4),
            "log loss of all ranks": round(self.rank_loss, 4),
            "errors by tenth, all ranks, in points": self.errors,
            "errors by tenth, first place, in points": self.first_errors,
        }


def measure(positions: Positions, strengths: Floats, sharpness: Floats) -> Quality:
    """Return how good the chances computed from these strengths are."""
    seats = strengths.shape[1]
    chances = np.array([from_strengths(row.tolist(), sharpness.tolist()) for row in strengths])
    order = order_of(positions.ranks, 0)
    places = np.argsort(order, axis=1)
    happened = places[:, :, None] == np.arange(seats)
    winners = chances[np.arange(len(chances)), order[:, 0], 0]
    return Quality(
        games=len(np.unique(positions.games)),
        positions=len(positions),
        log_loss=float(-np.log(np.maximum(winners, 1e-12)).mean()),
        rank_loss=places_loss(strengths, order, sharpness)[0],
        even=float(np.log(seats)),
        errors=tenths(chances.ravel(), happened.ravel()),
        first_errors=tenths(chances[:, :, 0].ravel(), happened[:, :, 0].ravel()),
    )


def tenths(stated: Floats, happened: Any) -> tuple[float | None, ...]:
    """Return, for each tenth, the mean prediction minus the fraction that came true, in points, or None if the tenth has fewer than 200."""
    which = np.minimum((stated * TENTHS).astype(int), TENTHS - 1)
    found: list[float | None] = []
    for tenth in range(TENTHS):
        inside = which == tenth
        error = 100 * float(stated[inside].mean() - happened[inside].mean()) if inside.sum() >= 200 else None
        found.append(None if error is None else round(error, 2))
    return tuple(found)
