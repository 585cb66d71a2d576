"""Full states that agree with a view, for bots that try moves."""

from __future__ import annotations

import random

from engine.core import EngineError, State, View


class NoSampleError(EngineError):
    """Raised in a game that can't fill in what a seat does not know, so that no move can be tried in it."""


def sample(view: View[State], rng: random.Random) -> State:
    """Return ``view.sample(rng)``. Raises NoSampleError, which names the game, if the game can't sample its hidden information."""
    try:
        return view.sample(rng)
    except (EngineError, NotImplementedError) as error:
        reason = f": {error}" if str(error) else ""
        raise NoSampleError(f"{view.game.name} can't be sampled, so no bot can try moves in it{reason}") from error
