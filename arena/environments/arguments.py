"""Checks the arguments of environments: players, opponents, rewards, the form of observations, seeds and actions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from operator import index
from typing import Any, Final, NamedTuple

import gymnasium
import numpy as np

from arena.spec.secret import SEED_BITS
from engine.core import Game, OptionsError


class Rewards(StrEnum):
    """How a seat is rewarded when the game is over; until then every reward is 0."""

    RANKS = "ranks"
    SCORE = "score"


class Form(NamedTuple):
    """The options that determine what observations, infos and actions consist of; see ``arena.environments.aec``."""

    moves: bool | None = None
    infos: bool = True
    flat: bool = False
    mask: bool = False
    ids: bool = False

    @property
    def has_moves(self) -> bool:
        """Whether observations contain rows of the legal moves."""
        return not self.flat and not self.ids if self.moves is None else self.moves


NESTED: Final = Form()


def check_players(game: Game, players: int) -> None:
    """Raise OptionsError unless the game allows that number of players."""
    if isinstance(players, bool) or not isinstance(players, int):
        raise OptionsError(f"the number of players must be an integer, not {players!r}")
    game.check_start(players, 0)


def read_rewards(rewards: str | None, players: int) -> Rewards:
    """Return the kind of rewards; None means ranks for several players and the score for one. Raises ValueError for an invalid kind."""
    if rewards is None:
        return Rewards.SCORE if players == 1 else Rewards.RANKS
    if rewards not in tuple(Rewards):
        raise ValueError(f"rewards must be {' or '.join(repr(each.value) for each in Rewards)}, not {rewards!r}")
    if players == 1 and rewards == Rewards.RANKS:
        raise ValueError("rewards='ranks' needs at least two players; with one, use 'score'")
    return Rewards(rewards)


def read_opponents(opponents: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the bots. Raises ValueError if ``opponents`` is not a list of names."""
    if isinstance(opponents, str) or not isinstance(opponents, Sequence) or not all(isinstance(bot, str) for bot in opponents):
        example = [opponents] if isinstance(opponents, str) else ["greedy"]
        raise ValueError(f"opponents must be a list of bots, such as {example}, not {opponents!r}")
    return tuple(opponents)


def draw_seed(random: np.random.Generator) -> int:
    """Draw the seed of a game."""
    return int(random.integers(1 << SEED_BITS))


def read_seed(seed: Any) -> int:
    """Return a seed as an integer. Raises ``gymnasium.error.Error`` for an invalid seed."""
    try:
        number = index(seed)
    except TypeError:
        number = -1
    if number < 0:
        raise gymnasium.error.Error(f"a seed must be a non-negative integer or None, not {seed!r:.80}")
    return number


def read_action(action: Any) -> int:
    """Return an action as an integer. Raises ValueError if it is not an integer."""
    try:
        return index(action)
    except TypeError:
        raise ValueError(f"an action must be an integer (the index of a legal move, or an id), not {action!r:.80}") from None


def read_number(number: int) -> int:
    """Return the number of matches. Raises ValueError unless it is a positive integer."""
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise ValueError(f"the number of matches must be an integer of at least 1, not {number!r}")
    return number


def read_seeds(seed: int | Sequence[int | None] | None, number: int) -> list[int | None]:
    """Return a seed for each match: the listed seeds, consecutive integers starting with ``seed``, or None for every match.

    Raises ``gymnasium.error.Error`` for an invalid seed and ValueError for a list of the wrong length.
    """
    if seed is None:
        return [None] * number
    if not isinstance(seed, Iterable) or getattr(seed, "ndim", 1) == 0:
        first = read_seed(seed)
        return [first + match for match in range(number)]
    seeds = [None if each is None else read_seed(each) for each in seed]
    if len(seeds) != number:
        raise ValueError(f"the list of seeds must have length {number}, one seed for each match, but it has length {len(seeds)}")
    return seeds


def read_actions(actions: Any, number: int) -> list[int]:
    """Return the actions as integers. Raises ValueError unless there is one integer for each match."""
    array = np.asarray(actions)
    if array.shape != (number,) or not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"actions must be integers of shape ({number},), one for each match, not {array.dtype} of shape {array.shape}")
    indices: list[int] = array.tolist()
    return indices
