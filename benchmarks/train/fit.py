"""Fits a model (``bots.reference.valuation.models``) to positions and their final ranks, by maximising the Plackett-Luce likelihood.

A model has a linear part that changes with the phase of the game, and optionally a network with one layer; all weights are fitted together,
with L-BFGS. First, a common model is fitted to the positions of all keys. Then a model is fitted for each key, with a penalty that keeps it
close to the common model, so that a kind of match with few games learns from the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from benchmarks.train.positions import Floats, Integers, Positions

RIDGE = 0.5
"""The penalty on the sum of squared weights, which is divided by the number of games."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The family of a model: the knots of its linear part, and its number of hidden units (0 means a linear model)."""

    knots: tuple[float, ...]
    hidden: int
    phase: int


@dataclass(frozen=True, slots=True)
class Fitted:
    """The weights of a model, in the form that ``Model`` accepts, and the sharpness of each place."""

    shape: Shape
    linear: Floats
    inner: Floats
    bias: Floats
    out: Floats
    sharpness: Floats

    def strengths(self, rows: Floats) -> Floats:
        """Return the strengths of seats, of shape (positions, seats)."""
        weights = hats(self.shape, rows) @ self.linear
        found: Floats = np.einsum("nsf,nf->ns", rows, weights)
        return found + np.maximum(rows @ self.inner.T + self.bias, 0.0) @ self.out

    def numbers(self) -> dict[str, Any]:
        """Return the model in the form that is written to a file of weights, rounded to six digits."""
        return {
            "knots": list(self.shape.knots),
            "linear": _rounded(self.linear),
            "hidden": _rounded(self.inner),
            "bias": _rounded(self.bias),
            "out": _rounded(self.out),
            "sharpness": _rounded(self.sharpness),
        }


def hats(shape: Shape, rows: Floats) -> Floats:
    """Return the weight of each knot at the phase of each position, of shape (positions, knots)."""
    phase = np.clip(rows[:, 0, shape.phase], shape.knots[0], shape.knots[-1])
    return (
        np.stack([np.interp(phase, shape.knots, row) for row in np.eye(len(shape.knots))], axis=1)
        if len(shape.knots) > 1
        else phase[:, None] * 0 + 1
    )


def order_of(ranks: Integers, seed: int) -> Integers:
    """Return the seats from first place to last, with tied seats in random order."""
    ties = np.random.default_rng(seed).random(ranks.shape)
    found: Integers = np.argsort(ranks + 0.5 * ties, axis=1)
    return found


def fit(positions: Sequence[Positions], shape: Shape, seed: int, steps: int = 400) -> list[Fitted]:
    """Return, for each collection of positions, the model that maximises the likelihood of its ranks, close to the common model."""
    parts = [_Likelihood(each, shape, seed) for each in positions]
    common = parts[0].begin(seed)[: parts[0].shared]
    if len(parts) > 1:
        common = _least(_Common(parts, common), common, steps)
    found = []
    for part in parts:
        part.centre[: part.shared] = common if len(parts) > 1 else 0.0
        begin = np.concatenate([common, np.zeros(part.sizes[-1])])
        found.append(part.unpack(_least(part, begin, steps)))
    return found


def _least(function: Callable[[Floats], tuple[float, Floats]], begin: Floats, steps: int) -> Floats:
    """Return the minimum of a function that returns its value and its gradient."""
    found: Floats = minimize(function, begin, jac=True, method="L-BFGS-B", options={"maxiter": steps, "maxcor": 20}).x
    return found


class _Common:
    """The mean of several likelihoods with the same weights and the same sharpness for all places."""

    def __init__(self, parts: Sequence[_Likelihood], centre: Floats) -> None:
        self.parts = parts
        self.games = sum(part.games for part in parts)
        self.size = len(centre)

    def __call__(self, given: Floats) -> tuple[float, Floats]:
        ridge = RIDGE / self.games
        loss, slope = ridge * float(given @ given), 2 * ridge * given
        for part in self.parts:
            own, own_slope = part.places(np.concatenate([given, np.zeros(part.sizes[-1])]))
            share = part.games / self.games
            loss += share * own
            slope = slope + share * own_slope[: self.size]
        return loss, slope


class _Likelihood:
    """The mean negative log likelihood of the ranks, and its gradient."""

    def __init__(self, positions: Positions, shape: Shape, seed: int) -> None:
        self.rows = positions.rows
        self.shape = shape
        self.hats = hats(shape, positions.rows)
        self.order = order_of(positions.ranks, seed)
        self.size, self.seats, self.columns = positions.rows.shape
        self.flat = positions.rows.reshape(-1, self.columns)
        self.games = len(np.unique(positions.games))
        knots, units = len(shape.knots), shape.hidden
        self.sizes = [knots * self.columns, units * self.columns, units, units, max(0, self.seats - 2)]
        self.shared = sum(self.sizes[:-1])
        self.centre = np.zeros(sum(self.sizes))

    def begin(self, seed: int) -> Floats:
        """Return the starting point: no linear part, small random hidden units, and the same sharpness for all places."""
        rng = np.random.default_rng(seed)
        parts = [np.zeros(size) for size in self.sizes]
        parts[1] = 0.3 * rng.standard_normal(self.sizes[1])
        parts[2] = 0.3 * rng.standard_normal(self.sizes[2])
        parts[3] = 0.1 * rng.standard_normal(self.sizes[3])
        return np.concatenate(parts)

    def unpack(self, given: Floats) -> Fitted:
        """Return the model for a vector of all parameters."""
        linear, inner, bias, out, later = np.split(given, np.cumsum(self.sizes)[:-1])
        sharpness = np.concatenate([[1.0], np.exp(later)])[: max(1, self.seats - 1)]
        return Fitted(self.shape, linear.reshape(-1, self.columns), inner.reshape(-1, self.columns), bias, out, sharpness)

    def __call__(self, given: Floats) -> tuple[float, Floats]:
        loss, slope = self.places(given)
        away = given - self.centre
        ridge = RIDGE / self.games
        return loss + ridge * float(away @ away), slope + 2 * ridge * away

    def places(self, given: Floats) -> tuple[float, Floats]:
        """Return the loss without the penalty, and its gradient."""
        model = self.unpack(given)
        strengths = np.einsum("nsf,nf->ns", self.rows, self.hats @ model.linear)
        lit = np.maximum(self.flat @ model.inner.T + model.bias, 0.0)
        strengths = strengths + (lit @ model.out).reshape(self.size, self.seats)
        loss, slope, sharper = places_loss(strengths, self.order, model.sharpness)
        weighted = np.einsum("nsf,ns->nf", self.rows, slope)
        outer = slope.reshape(-1, 1)
        inward = np.where(lit > 0.0, outer * model.out, 0.0)
        parts = [(self.hats.T @ weighted).ravel(), (inward.T @ self.flat).ravel(), inward.sum(0), (lit.T @ outer).ravel(), sharper[1:]]
        return loss, np.concatenate(parts)


def places_loss(strengths: Floats, order: Integers, sharpness: Floats) -> tuple[float, Floats, Floats]:
    """Return the mean loss over positions, and its gradients for the strengths and for the logarithms of the places' sharpness."""
    size, seats = strengths.shape
    sorted_ones = np.take_along_axis(strengths, order, axis=1)
    slope = np.zeros_like(sorted_ones)
    sharper = np.zeros(len(sharpness))
    loss = 0.0
    for place in range(seats - 1):
        factor = sharpness[place]
        left = sorted_ones[:, place:]
        scaled = factor * left
        top = scaled.max(axis=1, keepdims=True)
        weights = np.exp(scaled - top)
        total = weights.sum(axis=1, keepdims=True)
        chances = weights / total
        loss += float((np.log(total) + top - scaled[:, :1]).sum())
        slope[:, place:] += factor * chances
        slope[:, place] -= factor
        sharper[place] = factor * float(((chances * left).sum(axis=1) - left[:, 0]).sum())
    back = np.empty_like(slope)
    np.put_along_axis(back, order, slope, axis=1)
    return loss / size, back / size, sharper / size


def _rounded(numbers: Floats) -> Any:
    return [_rounded(each) for each in numbers] if numbers.ndim > 1 else [float(f"{each:.5g}") for each in numbers]
