"""A value function with weights learned by self-play (``benchmarks.train``). The weights are in files in this package."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from importlib.resources import files
from typing import Any, Final

from bots.reference.valuation.base import FIRST, RankChances, ValueFunction, from_strengths, ranks_of, worths_of
from bots.reference.valuation.models import Model, first_chances, shares_beaten
from engine.core import State

FORMAT: Final = "tile-arena-value/1"


@dataclass(frozen=True, slots=True)
class Sight:
    """What a value function sees of a game's positions: rows of features.

    - ``game``: the name of the game
    - ``names``: the names of the features; ``phase``: the index of the feature that measures how much of the game is left
    - ``rows``: returns the features of a position, a row of numbers for each seat
    - ``key``: returns the key of the model for a position, for instance the number of seats
    """

    game: str
    names: tuple[str, ...]
    phase: int
    rows: Callable[[State], list[list[float]]]
    key: Callable[[State], str]


@dataclass(frozen=True, slots=True)
class _Fitted:
    """A model and its sharpness for each place; see ``base.from_strengths``."""

    model: Model
    sharpness: tuple[float, ...]


class LearnedValue(ValueFunction):
    """Rank chances computed from the seats' strengths according to a model.

    ``read`` returns the weights that ``benchmarks.train`` has written. It is called when the weights are first needed. ValueError is raised
    if these weights are for other features than those in ``sight``.
    """

    is_learned = True

    def __init__(self, sight: Sight, read: Callable[[], Mapping[str, Any]]) -> None:
        self.sight = sight
        self._read = read

    @cached_property
    def weights(self) -> Mapping[str, Any]:
        """The weights of the models, and information about their training. Raises ValueError, and whatever ``read`` raises."""
        weights = self._read()
        if weights.get("format") != FORMAT or tuple(weights["features"]) != self.sight.names:
            game = self.sight.game
            raise ValueError(f"the weights are not for the features of {game}; train them again: python -m benchmarks.train {game}")
        return weights

    @cached_property
    def _fitted(self) -> dict[str, _Fitted]:
        return {key: _fitted(each, self.sight.phase) for key, each in self.weights["models"].items()}

    @cached_property
    def _version(self) -> str:
        return f"{self.sight.game}-{digest_of(self.weights)[:16]}"

    @property
    def version(self) -> str:
        """The game's name and the beginning of the digest of the models."""
        return self._version

    def prepare(self) -> None:
        """Read the weights. Raises ValueError, and whatever ``read`` raises."""
        self._fitted.keys()  # the property is cached

    def model(self, state: State) -> Model:
        """Return the model for a position. Raises ValueError in solo play."""
        return self._of(state).model

    def rank_chances(self, state: State) -> RankChances:
        """Return each seat's chance of each rank. Raises ValueError in solo play."""
        fitted = self._of(state)
        if state.outcome is not None:
            return ranks_of(state.outcome)
        return from_strengths(fitted.model.strengths(self.sight.rows(state)), fitted.sharpness)

    def win_chances(self, state: State) -> list[float]:
        """Return each seat's chance of first place. Raises ValueError in solo play."""
        fitted = self._of(state)
        if state.outcome is not None:
            return [chances[0] for chances in ranks_of(state.outcome)]
        return first_chances(fitted.model.strengths(self.sight.rows(state)))

    def worths(self, state: State) -> list[float]:
        """Return the value that each seat maximises, from its chance of first place and its expected share of rivals beaten.
        That share is computed from pairs of seats, which is faster than computing all ranks."""
        fitted = self._of(state)
        outcome = state.outcome
        if outcome is not None:
            return worths_of(ranks_of(outcome))
        strengths = fitted.model.strengths(self.sight.rows(state))
        firsts = first_chances(strengths)
        if state.players == 2:
            return firsts
        return [FIRST * first + (1 - FIRST) * share for first, share in zip(firsts, shares_beaten(strengths), strict=True)]

    def _of(self, state: State) -> _Fitted:
        if state.players == 1:
            raise ValueError("there are no ranks in solo play")
        return self._fitted[self.sight.key(state)]


def _fitted(numbers: Mapping[str, Any], phase: int) -> _Fitted:
    model = Model(phase, numbers["knots"], numbers["linear"], numbers["hidden"], numbers["bias"], numbers["out"])
    return _Fitted(model, tuple(numbers["sharpness"]))


def digest_of(weights: Mapping[str, Any]) -> str:
    """Return the SHA-256 digest of the models in ``weights``, without the information about their training."""
    return sha256(json.dumps(weights["models"], sort_keys=True).encode()).hexdigest()


def shipped(name: str) -> Mapping[str, Any]:
    """Return the weights in a file in this package."""
    weights: Mapping[str, Any] = json.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))
    return weights
