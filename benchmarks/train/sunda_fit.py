"""Fits the models of Sunda to Sahul together, since each of the 36 kinds of match has too few games to be learned separately.

A weight is a sum of parts: one for all kinds of match, and smaller, more heavily penalised parts for a mode, a level and a number of seats.
A weight depends on the fraction of the game that is left: a lead is more valuable the less the rest of the game can change, which is
proportional to the square root of that fraction. Models get the values of these weights at their knots.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.optimize import minimize

from benchmarks.train.fit import Fitted, Shape, order_of, places_loss
from benchmarks.train.positions import Floats, Positions

SOON = 0.08
"""Added to the fraction of the game that is left, so that the value of a lead stays bounded at the end of the game."""
RIDGE = 3e-5
"""The penalty on the sum of the squared weights that are shared by all kinds of match."""
RIDGE_OF_PARTS = 3e-4
"""The penalty for the weights of a mode, a level or a number of seats."""
STEPS = 300
"""The maximum number of steps when weights are fitted."""


def fit_together(parts: Mapping[str, Positions], shape: Shape, seed: int) -> list[Fitted]:
    """Return the model of each kind of match. It is always linear, even if the shape has hidden units; keys are as in Sunda's ``SIGHT``."""
    columns = next(iter(parts.values())).rows.shape[2]
    kinds = {key: kinds_of(key) for key in parts}
    size = 2 * len(next(iter(kinds.values()))) * columns
    penalty = np.full((2, size // columns // 2, columns), RIDGE_OF_PARTS)
    penalty[:, 0] = RIDGE
    flat = penalty.ravel()
    orders = {key: order_of(each.ranks, seed) for key, each in parts.items()}
    bases = {key: basis(each.rows[:, 0, shape.phase]) for key, each in parts.items()}
    total = sum(len(each) for each in parts.values())

    def loss(given: Floats) -> tuple[float, Floats]:
        weights = given.reshape(2, -1, columns)
        found, slope = 0.0, np.zeros_like(weights)
        for key, each in parts.items():
            at = np.einsum("nb,bf->nf", bases[key], np.einsum("k,bkf->bf", kinds[key], weights))
            strengths = np.einsum("nsf,nf->ns", each.rows, at)
            mean, outer, _ = places_loss(strengths, orders[key], np.ones(max(1, strengths.shape[1] - 1)))
            share = len(each) / total
            found += share * mean
            inward = bases[key].T @ np.einsum("nsf,ns->nf", each.rows, outer)
            slope += share * kinds[key][None, :, None] * inward[:, None, :]
        return found + float(flat @ given**2), slope.ravel() + 2 * flat * given

    result = minimize(loss, np.zeros(size), jac=True, method="L-BFGS-B", options={"maxiter": STEPS, "maxcor": 20})
    weights = result.x.reshape(2, -1, columns)
    at_knots = basis(np.array(shape.knots))
    return [
        Fitted(
            Shape(shape.knots, 0, shape.phase),
            at_knots @ np.einsum("k,bkf->bf", kinds[key], weights),
            np.zeros((0, columns)),
            np.zeros(0),
            np.zeros(0),
            np.ones(max(1, each.rows.shape[1] - 1)),
        )
        for key, each in parts.items()
    ]


def basis(left: Floats) -> Floats:
    """Return the two factors with which weights depend on the fraction of the game that is left."""
    scale = 1 / np.sqrt(left + SOON)
    return np.stack([scale, scale * left], axis=1)


def kinds_of(key: str) -> Floats:
    """Return which parts apply to a kind of match: the common part, and the parts of its mode, level and number of seats."""
    seats, mode, number = key.split()
    level = int(number)
    counts = [True, mode == "simultaneous", level == 0, level == 1, level in {2, 3}, level >= 4, level == 5, seats == "2", seats == "4"]
    return np.array(counts, dtype=float)
