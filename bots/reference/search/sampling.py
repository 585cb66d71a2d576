"""Samples full states that agree with a view, for bots that try moves."""

from __future__ import annotations

import random

from engine.core import EngineError, State, View


class NoSampleError(EngineError):
    """The game can't fill in what a seat does not know, so bots can't try moves in it."""


def sample(view: View[State], rng: random.Random) -> State:
    """Return ``view.sample(rng)``. Raises NoSampleError if the game can't sample its hidden information."""
    try:
        return view.sample(rng)
    except (EngineError, NotImplementedError) as error:
        reason = f": {error}" if str(error) else ""
        raise NoSampleError(f"{view.game.name} can't sample its hidden information, so bots can't try moves in it{reason}") from error
