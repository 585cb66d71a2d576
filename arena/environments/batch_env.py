"""The environment for all seats of many matches: in each match, the seat that has to decide observes and acts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Space
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from arena.environments.arguments import Form, read_actions, read_seeds
from arena.environments.game_adapter import GameAdapter
from arena.environments.matches import Matches, Observations, each_array
from engine.core import Move, OptionValue


class BatchEnv:
    """Many matches of a game; see ``arena.environments.batch``.

    Every array has a row for each match. ``actors`` holds the seat that has to decide in each match; this seat observes and acts.
    """

    def __init__(
        self, game: str, players: int, number: int, options: Mapping[str, OptionValue], *, rewards: str | None, form: Form, copy: bool
    ) -> None:
        """Raises OptionsError for a game that can't be played with these arguments, and ValueError for any other invalid argument."""
        self.table = GameAdapter(game, players, options, rewards=rewards, render_mode=None, form=form)
        self.matches = Matches(self.table, number)
        self.number = number
        self.copy = copy
        self.single_observation_space: Space[Any] = self.table.space()
        self.single_action_space = self.table.action_space()
        self.observation_space = batch_space(self.single_observation_space, number)
        self.action_space = batch_space(self.single_action_space, number)

    @property
    def actors(self) -> NDArray[np.int32]:
        """The seat that has to decide in each match, as a new array."""
        return self.matches.actors.copy()

    @property
    def seeds(self) -> list[int]:
        """The seed of the game in each match."""
        return self.matches.seeds.copy()

    def legal_moves(self, match: int) -> tuple[Move, ...]:
        """Return the legal moves of a match. An action is an index into them, unless the environment was made with ``ids``."""
        return tuple(self.matches.states[match].list_moves()[: self.table.most])

    def action_masks(self) -> NDArray[np.bool_]:
        """Return a new bool array of shape ``(number, N)``: which of the N actions are legal in each match."""
        return self.matches.arrays.mask.astype(np.bool_)

    def reset(self, seed: int | Sequence[int | None] | None = None) -> tuple[Observations, dict[str, Any]]:
        """Begin all matches; match ``i`` gets ``seed + i``, ``seed[i]`` or, if ``seed`` is None, a seed that it draws itself."""
        for match, own in enumerate(read_seeds(seed, self.number)):
            self.matches.begin(match, own)
        self.matches.step([], [], range(self.number))
        return self._observations(), self._infos(np.full(self.number, -1, np.int32))

    def step(self, actions: Any) -> tuple[Observations, NDArray[np.float64], NDArray[np.bool_], dict[str, Any]]:
        """Play a move in each match, and return ``(observations, rewards, ended, infos)``. When a match ends, the next begins immediately.

        ``rewards`` has shape ``(number, players)`` and is 0 except where a match has ``ended``; there, the observation is already the
        first one of the next match. For each match, ``infos["illegal"]`` is the seat that forfeited it in this step, or -1.
        """
        matches = self.matches
        if not matches.states:
            raise ResetNeeded("no match has begun: call reset() first")
        matches.step(read_actions(actions, self.number), [])
        rewards = np.zeros((self.number, self.table.players))
        ended = matches.actors < 0
        illegal = np.full(self.number, -1, np.int32)
        begun: list[int] = np.nonzero(ended)[0].tolist()
        for match in begun:
            illegal[match] = matches.forfeits.get(match, -1)
            rewards[match] = matches.earned(match)
            matches.begin(match, None)
        if begun:
            matches.step([], [], begun)
        return self._observations(), rewards, ended, self._infos(illegal)

    def _observations(self) -> Observations:
        observations = self.matches.arrays.observations()
        return each_array(observations, np.copy) if self.copy else observations

    def _infos(self, illegal: NDArray[np.int32]) -> dict[str, Any]:
        return {"illegal": illegal} | {name: mask.copy() for name, mask in self.matches.arrays.masks_in_infos.items()}
