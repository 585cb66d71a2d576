"""The PettingZoo environment of the Parallel API, in which all seats that choose at the same time act together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gymnasium.error import ResetNeeded
from pettingzoo import ParallelEnv

from arena.environments.aec_env import SeatAgents
from arena.environments.arguments import Form
from arena.environments.game_adapter import GameAdapter, Seen
from engine.core import OptionValue, State


class RoundEnv(SeatAgents, ParallelEnv):  # type: ignore[misc]  # PettingZoo ships no types
    """A game in which a step is one choice of every seat that decides without knowing the others'; see ``arena.environments.parallel``.

    ``deciding`` are the agents whose actions the next step plays; the masks of the others are all zeros and their actions ignored.
    """

    def __init__(
        self, game: str, players: int, options: Mapping[str, OptionValue], *, rewards: str | None, render_mode: str | None, form: Form
    ) -> None:
        super().__init__(game, players, options, rewards=rewards, render_mode=render_mode, form=form)
        self.metadata = {**self.table.metadata, "is_parallelizable": True}
        self._round: list[tuple[int, State]] = []

    @property
    def deciding(self) -> list[str]:
        """The agents that have to decide now, in the order of the rules."""
        return [self.possible_agents[seat] for seat, _ in self._round]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Seen], dict[str, Any]]:
        """Begin the game with ``seed``, or with a seed drawn from the generator that the last one given began. ``options`` are ignored."""
        self.begin(seed)
        return self._seen()

    def step(
        self, actions: Mapping[str, int]
    ) -> tuple[dict[str, Seen], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Any]]:
        """Play the actions of the agents that have to decide. A number that stands for no legal move forfeits the game.

        Raises ValueError, with nothing played, if an agent that has to decide has no action, or one that is not an integer or not an id.
        """
        if not self.agents:
            raise ResetNeeded("no game has begun, or it is over: call reset() first")
        for agent in self.deciding:
            if agent not in actions:
                raise ValueError(f"{agent} has to decide, but has no action")
        chosen = [self.table.read(actions[agent]) for agent in self.deciding]  # all are read before any is played
        for (seat, _), action in zip(self._round, chosen, strict=True):
            if self.table.actor != seat:  # earlier choices have ended the game
                break
            self.table.act(action)
        is_over = self.table.actor is None
        observations, infos = self._seen()
        rewards = dict(zip(self.agents, self.table.earned(), strict=True))
        overs = dict.fromkeys(self.agents, is_over)
        truncations = dict.fromkeys(self.agents, False)
        if is_over:
            self.agents = []
        if self.render_mode == "human":
            self.render()
        return observations, rewards, overs, truncations, infos

    def _seen(self) -> tuple[dict[str, Seen], dict[str, Any]]:
        """Find the agents that have to decide now, and return the observations and infos of all."""
        self._round = _round_of(self.table)
        now, places = self.table.current, dict(self._round)
        observations: dict[str, Seen] = {}
        infos: dict[str, Any] = {}
        for seat, agent in enumerate(self.agents):
            self.table.state = places.get(seat, now)
            observations[agent] = self.table.observe(seat)
            infos[agent] = self.table.info(seat)
        self.table.state = now
        return observations, infos


def _round_of(table: GameAdapter) -> list[tuple[int, State]]:
    """Return the seats that decide before any choice is revealed, each with a position in which it is its turn.

    The choices made on the way there are any legal ones: they are hidden from the seat, so they change nothing that it sees.
    """
    if table.actor is None:
        return []
    found: list[tuple[int, State]] = []
    state = table.current
    while (seat := state.actor) is not None and seat not in dict(found):
        found.append((seat, state))
        state = state.copy()
        state.play(state.list_moves()[0])
        if not state.has_hidden_choice(seat):
            break
    return found
