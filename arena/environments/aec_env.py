"""The PettingZoo environment, in which agents decide one at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Discrete, Space
from gymnasium.utils.seeding import np_random
from pettingzoo import AECEnv

from arena.environments.arguments import Form, draw_seed, read_action, read_seed
from arena.environments.game_adapter import GameAdapter, Seen
from engine.core import Move, OptionValue

_NO_GAME: Final = "no game has begun, or it is over: call reset() first"


class GameEnv(AECEnv):  # type: ignore[misc]  # PettingZoo ships no types
    """A game whose agents ``seat_0``, ``seat_1``, ... act one at a time, in the order of the rules; see ``arena.environments.aec``."""

    def __init__(
        self, game: str, players: int, options: Mapping[str, OptionValue], *, rewards: str | None, render_mode: str | None, form: Form
    ) -> None:
        super().__init__()
        self.table = GameAdapter(game, players, options, rewards=rewards, render_mode=render_mode, form=form)
        self.metadata = self.table.metadata
        self.render_mode = render_mode
        self.possible_agents = [f"seat_{seat}" for seat in range(players)]
        self.agents: list[str] = []
        self._observation_spaces = {agent: self.table.space() for agent in self.possible_agents}
        self._action_spaces = {agent: self.table.action_space() for agent in self.possible_agents}
        self._random: np.random.Generator | None = None
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._infos: dict[str, dict[str, Any]] = {}  # infos that were requested since the last step

    def observation_space(self, agent: str) -> Space[Any]:
        """Return the space of an agent's observations."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """Return the space of an agent's actions."""
        return self._action_spaces[agent]

    @property
    def legal_moves(self) -> tuple[Move, ...]:
        """The legal moves of the current agent. An action is an index into them, unless the environment was made with ``ids``."""
        return tuple(self.table.legal_moves)

    @property
    def infos(self) -> dict[str, dict[str, Any]]:
        """The info of each agent, computed on first use after a step."""
        for agent in self.agents:
            self._info(agent)
        return self._infos

    def _info(self, agent: str) -> dict[str, Any]:
        info = self._infos.get(agent)
        if info is None:
            info = self._infos[agent] = self.table.info(self._seat_of[agent])
        return info

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game with ``seed`` or, if it is None, a seed from a generator initialised by the last ``seed``. Ignores ``options``."""
        given = None if seed is None else read_seed(seed)
        if self._random is None or given is not None:
            self._random, _ = np_random(given)
        self.agents = self.possible_agents.copy()
        actor = self.table.begin(draw_seed(self._random) if given is None else given).actor
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._infos = {}
        self.agent_selection = self.possible_agents[actor or 0]

    def observe(self, agent: str) -> Seen:
        """Return what an agent may know now, as its observation; the action mask is all zeros if it is another agent's turn."""
        return self.table.observe(self._seat_of[agent])

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:  # as PettingZoo has it
        """Return the current agent's observation, reward since its last action, termination, truncation and info."""
        if not self.agents:
            raise ResetNeeded(_NO_GAME)
        agent = self.agent_selection
        seen = self.table.observe(self._seat_of[agent]) if observe else None
        return seen, self._cumulative_rewards[agent], self.terminations[agent], self.truncations[agent], self._info(agent)

    def step(self, action: int | np.integer[Any] | None) -> None:
        """Play a move for the current agent: ``action`` is its index or id, or None after the end. An illegal action forfeits the game."""
        if not self.agents:
            raise ResetNeeded(_NO_GAME)
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"it is {agent}'s turn, so the action must not be None; None is only for agents whose game is over")
        self.table.act(read_action(action))
        self._infos = {}
        actor = self.table.actor
        if actor is None:
            self._end()
        else:
            self.agent_selection = self.possible_agents[actor]
        if self.render_mode == "human":
            self.render()

    def _end(self) -> None:
        self.rewards = dict(zip(self.agents, self.table.earned(), strict=True))
        self._cumulative_rewards = self.rewards.copy()
        self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.possible_agents[0]

    def render(self) -> Any:  # as PettingZoo has it
        """Render the position according to the render mode."""
        return self.table.render()

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def __str__(self) -> str:
        return str(self.metadata["name"])
