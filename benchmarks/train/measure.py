"""How good stated chances are on games that were not learned from: log loss, and calibration by tenths."""

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
    """What was measured on positions of ``games`` games.

    ``log_loss`` is of the winner, ``rank_loss`` of all places together; ``even`` is the log loss of equal chances. ``errors`` has for each
    tenth of stated chances, over all ranks, the stated mean less the share that came true, in points of a hundred; ``first_errors`` is the
    same of the first place alone. None where fewer than 200 chances fall.
    """

    games: int
    positions: int
    log_loss: float
    rank_loss: float
    even: float
    errors: tuple[float | None, ...]
    first_errors: tuple[float | None, ...]

    def numbers(self) -> dict[str, Any]:
        """Return all of it for a file."""
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
    """Return how good the chances are that follow from strengths."""
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
    """Return for each tenth the mean of stated chances less the share that came true, in points; None with fewer than 200 of them."""
    which = np.minimum((stated * TENTHS).astype(int), TENTHS - 1)
    found: list[float | None] = []
    for tenth in range(TENTHS):
        inside = which == tenth
        error = 100 * float(stated[inside].mean() - happened[inside].mean()) if inside.sum() >= 200 else None
        found.append(None if error is None else round(error, 2))
    return tuple(found)
