"""Fits the models of Sunda to Sahul together: 36 kinds of table have too few games each to be learned one by one.

A weight is a sum of parts: one for all tables, and smaller ones for a mode, a level or a number of seats, which are penalised more. How it
changes with the share of the game that is left has a form of its own: what a lead is worth grows as the spread of what is still to come
shrinks, with the root of what is left. Models get these weights at their knots.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.optimize import minimize

from benchmarks.train.fit import Fitted, Shape, order_of, places_loss
from benchmarks.train.positions import Floats, Positions

SOON = 0.08
"""What keeps a lead from counting without end as the game comes to its end."""
RIDGE = 3e-5
"""The penalty on the sum of the squared weights of all tables."""
RIDGE_OF_PARTS = 3e-4
"""The same for those of a mode, a level, a number of seats."""
STEPS = 300
"""The most steps of the search for the weights."""


def fit_together(parts: Mapping[str, Positions], shape: Shape, seed: int) -> list[Fitted]:
    """Return the model of each kind of table, linear whatever the shape's hidden units; keys are those of Sunda's ``SIGHT``."""
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
    """Return the two factors by which weights change with the share of the game that is left."""
    scale = 1 / np.sqrt(left + SOON)
    return np.stack([scale, scale * left], axis=1)


def kinds_of(key: str) -> Floats:
    """Return which parts count for a kind of table: all, and those of its mode, level and seats."""
    seats, mode, number = key.split()
    level = int(number)
    counts = [True, mode == "simultaneous", level == 0, level == 1, level in {2, 3}, level >= 4, level == 5, seats == "2", seats == "4"]
    return np.array(counts, dtype=float)
