"""Gymnasium vector environments: one seat in each of many matches, in solo play or with bots in the other seats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from random import Random
from typing import Any, Final

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from arena.environments.arguments import Form, check_players, read_actions, read_number, read_opponents, read_seeds
from arena.environments.encoding import Array
from arena.environments.game_adapter import GameAdapter
from arena.environments.gym_env import SeatEnv, make_seat
from arena.environments.matches import Matches, Observations, each_array
from arena.spec.secret import derive_seed
from engine.core import OptionValue
from engine.registry import find_game

RANDOM: Final = "random"
"""The bot whose moves the engine can draw without running the bot."""


class SeatsVectorEnv(VectorEnv[Any, Any, Any]):
    """One seat in each of many matches, solo or against ``random``, played by the engine; see ``arena.environments.vector``."""

    def __init__(self, table: GameAdapter, number: int, seat: int | None, mode: AutoresetMode, *, copy: bool) -> None:
        self.table = table
        self.matches = Matches(table, number)
        self.num_envs = number
        self.copy = copy
        self.autoreset_mode = mode
        self.metadata = {**table.metadata, "autoreset_mode": mode}
        self.single_observation_space = table.space()
        self.single_action_space = table.action_space()
        self.observation_space = batch_space(self.single_observation_space, number)
        self.action_space = batch_space(self.single_action_space, number)
        self._fixed_seat = seat
        self._over = np.ones(number, np.bool_)
        self._bots: list[list[Random]] = [[] for _ in range(number if table.players > 1 else 0)]

    def action_masks(self) -> NDArray[np.bool_]:
        """Return a new bool array of shape ``(num_envs, N)``: which of the N actions are legal in each match."""
        return self.matches.arrays.mask.astype(np.bool_)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Begin all matches, or the ones in ``options["reset_mask"]``; match ``i`` gets ``seed + i``, ``seed[i]`` or a random seed."""
        seeds = read_seeds(seed, self.num_envs)
        chosen = self._read_mask((options or {}).get("reset_mask"))
        for match in chosen:
            self._begin(match, seeds[match])
        self.matches.step([], self._bots, chosen)
        self._over[chosen] = self.matches.actors[chosen] < 0
        return self._observations(), self._infos(chosen)

    def _read_mask(self, mask: Any) -> list[int]:
        """Return the matches selected by a mask, or all matches if there is no mask. Raises ValueError for an invalid mask."""
        if mask is None:
            return list(range(self.num_envs))
        array = np.asarray(mask)
        if array.shape != (self.num_envs,) or array.dtype != np.bool_ or not array.any():
            raise ValueError(
                f"options['reset_mask'] must be a bool array of shape ({self.num_envs},) with at least one True, not {mask!r:.80}"
            )
        if len(self.matches.states) < self.num_envs and not array.all():
            raise ResetNeeded("no match has begun: call reset() without a mask first")
        return [int(match) for match in np.nonzero(array)[0]]

    def _begin(self, match: int, seed: int | None) -> None:
        matches = self.matches
        game_seed = matches.begin(match, seed)
        players = self.table.players
        seat = int(matches.generator(match).integers(players)) if self._fixed_seat is None else self._fixed_seat
        matches.observers[match] = seat
        if self._bots:
            self._bots[match] = [Random(derive_seed("environment", game_seed, other)) for other in range(players)]

    def step(self, actions: Any) -> tuple[Observations, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Play a move in each match that has not ended, and then the other seats' moves until it is the seat's turn again.

        An action that isn't a legal move forfeits the match. The autoreset mode determines what happens to a match that is over.
        """
        matches = self.matches
        if not matches.states:
            raise ResetNeeded("no match has begun: call reset() first")
        chosen = read_actions(actions, self.num_envs)
        ended: list[int] = np.nonzero(self._over)[0].tolist()
        if not ended:
            matches.step(chosen, self._bots)
            return self._result()
        if self.autoreset_mode is not AutoresetMode.NEXT_STEP:
            raise _over(ended[0])
        going: list[int] = np.nonzero(~self._over)[0].tolist()
        matches.step([chosen[match] for match in going], self._bots, going)
        for match in ended:
            self._begin(match, None)
        matches.step([], self._bots, ended)
        return self._result()

    def _result(self) -> tuple[Observations, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Return what ``step`` returns; in the mode SameStep, first restart matches that are over."""
        matches = self.matches
        rewards = np.zeros(self.num_envs)
        over = matches.actors < 0
        ended: list[int] = np.nonzero(over)[0].tolist()
        for match in ended:
            rewards[match] = matches.earned(match)[matches.observers[match]]
        infos: dict[str, Any] = {}
        if ended and self.autoreset_mode is AutoresetMode.SAME_STEP:
            infos = self._restart(ended)
        self._over = matches.actors < 0
        return self._observations(), rewards, over, np.zeros(self.num_envs, np.bool_), self._infos(range(self.num_envs), infos)

    def _restart(self, ended: Sequence[int]) -> dict[str, Any]:
        infos: dict[str, Any] = {}
        arrays = self.matches.arrays
        for match in ended:
            last = each_array(arrays.observations(), partial(_part, at=match))
            last_infos = {name: masks[match].copy() for name, masks in arrays.masks_in_infos.items()}
            infos = self._add_info(infos, {"final_obs": last, "final_info": last_infos}, match)
            self._begin(match, None)
        self.matches.step([], self._bots, ended)
        return infos

    def _observations(self) -> Observations:
        observations = self.matches.arrays.observations()
        return each_array(observations, np.copy) if self.copy else observations

    def _infos(self, which: Sequence[int], infos: Mapping[str, Any] | None = None) -> dict[str, Any]:
        all_infos = dict(infos or {})
        has_info = np.zeros(self.num_envs, np.bool_)
        has_info[which] = True
        for name, masks in self.matches.arrays.masks_in_infos.items():
            all_infos |= {name: masks * has_info[:, None], f"_{name}": has_info}
        return all_infos


def _part(array: Array, at: int) -> Array:
    return np.array(array[at])


def _over(match: int) -> ResetNeeded:
    return ResetNeeded(f"match {match} is over: reset(options={{'reset_mask': ...}}) begins the next")


def _same(env: SeatEnv) -> SeatEnv:
    return env


class BotsVectorEnv(SyncVectorEnv):  # not generic at run time before Gymnasium 1.3
    """One seat in each of many matches. Supports any bots, infos and a render mode, but plays the matches one by one in Python."""

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Begin all matches, as ``SyncVectorEnv`` does; match ``i`` gets ``seed + i``, ``seed[i]`` or a random seed."""
        return super().reset(seed=read_seeds(seed, self.num_envs), options=options)

    def step(self, actions: Any) -> tuple[Observations, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Play a move in each match, as ``SyncVectorEnv`` does. Raises ValueError unless there is a valid action for each match."""
        chosen = read_actions(actions, self.num_envs)
        for match, (env, action) in enumerate(zip(self.envs, chosen, strict=True)):
            table = env.unwrapped.table  # type: ignore[attr-defined]
            if table.actor is not None:
                table.read(action)
            elif table.state is not None and self.autoreset_mode is AutoresetMode.DISABLED:
                raise _over(match)
        return super().step(np.array(chosen))

    def action_masks(self) -> NDArray[np.bool_]:
        """Return a new bool array of shape ``(num_envs, N)``: which of the N actions are legal in each match."""
        return np.stack(self.call("action_masks"))


def make_vector(
    game: str,
    players: int,
    number: int,
    options: Mapping[str, OptionValue],
    *,
    opponents: Sequence[str] | None,
    seat: int | None,
    rewards: str | None,
    render_mode: str | None,
    form: Form,
    autoreset_mode: str | AutoresetMode,
    copy: bool,
) -> VectorEnv[Any, Any, Any]:
    """Return a SeatsVectorEnv or, if infos, a render mode or opponents other than ``random`` were requested, a BotsVectorEnv."""
    read_number(number)
    check_players(find_game(game, options), players)
    others = (RANDOM,) * (players - 1) if opponents is None else read_opponents(opponents)
    if len(others) != players - 1:
        raise ValueError(f"with players={players}, there must be {players - 1} opponent{'s' * (players != 2)}, not {len(others)}")
    try:
        mode = AutoresetMode(autoreset_mode)
    except ValueError:
        known = ", ".join(repr(each.value) for each in AutoresetMode)
        raise ValueError(f"autoreset_mode must be one of {known}, not {autoreset_mode!r}") from None
    make = partial(make_seat, game, options, opponents=others, seat=seat, rewards=rewards, render_mode=render_mode, form=form)
    first = make()  # this checks all arguments
    if form.infos or render_mode is not None or any(bot != RANDOM for bot in others):
        return BotsVectorEnv([partial(_same, first), *[make] * (number - 1)], copy=copy, autoreset_mode=mode)
    return SeatsVectorEnv(first.table, number, seat, mode, copy=copy)
