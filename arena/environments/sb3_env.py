"""The vector environment of Stable-Baselines3, over that of Gymnasium (``vector_env``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import VectorEnv
from stable_baselines3.common.vec_env import VecEnv


class SeatsVecEnv(VecEnv):  # type: ignore[misc]  # seen only where Stable-Baselines3 is installed
    """Many matches of one seat; see ``arena.environments.sb3``. MaskablePPO finds ``action_masks``."""

    def __init__(self, envs: VectorEnv[Any, Any, Any]) -> None:
        """``envs`` begin the next match in the same step and keep their arrays apart."""
        self.envs = envs
        self.render_mode = None
        super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)
        self._actions: Any = None

    def reset(self) -> Any:  # SB3's type of an observation
        """Begin all matches, with the seeds of ``seed`` or drawn ones, and return the observations."""
        observations, _ = self.envs.reset(seed=self._seeds if any(seed is not None for seed in self._seeds) else None)
        self._reset_seeds()
        self._reset_options()
        return observations

    def step_async(self, actions: Any) -> None:
        """Store the actions for ``step_wait``."""
        self._actions = actions

    def step_wait(self) -> tuple[Any, Any, Any, list[dict[str, Any]]]:
        """Play a move in each match. Where one has ended, the observation is the first of the next, and the info has the last."""
        observations, rewards, ended, truncated, more = self.envs.step(self._actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for match in np.nonzero(ended | truncated)[0].tolist():
            infos[match] = {"terminal_observation": more["final_obs"][match], "TimeLimit.truncated": False}
        return observations, rewards.astype(np.float32), ended | truncated, infos

    def close(self) -> None:
        """Close the environments."""
        self.envs.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute for each of the matches, which share it."""
        value = self.action_masks if attr_name == "action_masks" else getattr(self.envs, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute, which all matches share."""
        setattr(self.envs, attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Return the mask of each of the matches for ``action_masks``. Raises AttributeError for other methods."""
        if method_name != "action_masks":
            raise AttributeError(f"'{method_name}' is no method of a single match here: all of them are played in one call")
        masks = self.action_masks()
        return [masks[match] for match in self._get_indices(indices)]

    def action_masks(self) -> Any:
        """Return which actions are legal moves, of shape ``(num_envs, N)``."""
        masks: Any = self.envs
        return masks.action_masks()

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        """Return False for each of the matches: they have no wrappers."""
        return [False for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[Any]:
        """Return nothing: matches that are played together have no pictures."""
        return []
