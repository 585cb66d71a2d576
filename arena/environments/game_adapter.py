"""What all environments share: a game's actions, observations, rewards and pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Space
from numpy.typing import NDArray

from arena.environments.arguments import NESTED, Form, Rewards, check_players, read_action, read_rewards
from arena.environments.encoding import Array, Encoder, Flat, find_ids
from arena.environments.generic import GenericEncoder
from engine.core import Game, Move, OptionValue, State, View
from engine.core.observer import Chronicle
from engine.registry import find_game, find_part
from engine.render.drawing import lines

Seen: TypeAlias = Any  # an Observation or a FlatObservation, depending on the form

VERSION: Final = 0
"""The version of the environments, a part of their Gymnasium ids. It increases when observations, actions or rewards change."""
RENDER_MODES: Final = ("ansi", "human")
_ALL: Final = 2**31 - 1


def find_encoder(game: Game, players: int) -> Encoder:
    """Return the encoder that the game provides, or a GenericEncoder if it provides none."""
    make: Callable[[Game, int], Encoder] | None = find_part(game.name, "encoder")
    return GenericEncoder(game, players) if make is None else make(game, players)


def by_ranks(ranks: Sequence[int]) -> tuple[float, ...]:
    """Return each seat's reward: the fraction of opponents that it beat minus the fraction that beat it. All rewards add up to 0."""
    others = len(ranks) - 1
    return tuple(sum((rank < other) - (rank > other) for other in ranks) / others for rank in ranks)


def _withdraw(seen: Mapping[str, Any] | Array) -> None:
    if isinstance(seen, Mapping):
        for name, array in seen.items():
            if name in {"action_mask", "moves"}:
                array[:] = 0
            elif name == "observation":
                _withdraw(array)


class GameAdapter:
    """Plays games in which moves are given as actions, that is, as indices of legal moves or as ids. ``begin`` starts a new game."""

    def __init__(
        self,
        name: str,
        players: int,
        options: Mapping[str, OptionValue],
        *,
        rewards: str | None,
        render_mode: str | None,
        form: Form = NESTED,
    ) -> None:
        """Raises OptionsError for a game that can't be played with these arguments, and ValueError for any other invalid argument."""
        self.game = find_game(name, options)
        check_players(self.game, players)
        if render_mode is not None and render_mode not in RENDER_MODES:
            listed = f"{', '.join(map(repr, RENDER_MODES[:-1]))} or {RENDER_MODES[-1]!r}"
            raise ValueError(f"render_mode must be None, {listed}, not {render_mode!r}")
        if form.mask and not form.flat:
            raise ValueError("mask=True is only for flat=True: other observations always contain their mask")
        if form.ids and form.has_moves:
            raise ValueError("moves=True can't be combined with ids=True: the feature rows of legal moves go with indices, not ids")
        self.players = players
        self.rewards = read_rewards(rewards, players)
        self.render_mode = render_mode
        self.encoder = find_encoder(self.game, players)
        self.form = form
        self._has_moves = form.has_moves
        self._flat = Flat(self.encoder, moves=self._has_moves, mask=form.mask) if form.flat else None
        self.ids = find_ids(self.game, players, self.encoder) if form.ids else None
        if self.ids is not None:
            self.ids.check_dense()
        self.actions = self.encoder.actions if self.ids is None else self.ids.count
        """The number of actions."""
        self.state: State | None = None
        self.seed = 0
        self.forfeit: int | None = None
        self.keeps_history = False
        """Whether the views of games that begin from now on include a history, which is slower."""
        self._chronicle: Chronicle | None = None
        self._last: Move | None = None
        self._mover: int | None = None

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata for PettingZoo and Gymnasium."""
        return {"render_modes": list(RENDER_MODES), "name": f"{self.game.name}_v{VERSION}", "is_parallelizable": False, "render_fps": 2}

    def begin(self, seed: int) -> State:
        """Start a new game with this seed. Raises OptionsError for a negative seed."""
        self.game.check_start(self.players, seed)
        self.state = self.game.new(self.players, seed)
        self._chronicle = Chronicle(self.state) if self.keeps_history else None
        self.seed = seed
        self.forfeit = None
        self._last = self._mover = None
        return self.state

    @property
    def current(self) -> State:
        """The current position. Raises RuntimeError before the first ``begin``."""
        if self.state is None:
            raise RuntimeError("no game has begun: call reset() first")
        return self.state

    @property
    def actor(self) -> int | None:
        """The seat that has to decide, or None before the first game, when the game is over, and after a forfeit."""
        state = self.state
        return None if state is None or self.forfeit is not None else state.actor

    @property
    def legal_moves(self) -> Sequence[Move]:
        """The legal moves that actions can refer to, in the order of the rules; empty when the game is over."""
        return () if self.actor is None else self.current.list_moves()[: self.most]

    @property
    def most(self) -> int:
        """The maximum number of legal moves that actions can refer to."""
        return self.encoder.actions if self.ids is None else _ALL

    def read(self, action: Any) -> int:
        """Return an action as an integer. Raises ValueError if it isn't an integer, or is an invalid id."""
        number = read_action(action)
        if self.ids is not None:
            self.ids.check(number)
        return number

    def index_of(self, state: State, action: int) -> int:
        """Return the index of the move that an action means, or -1 if it can't be legal. Raises ValueError for an invalid id."""
        if self.ids is None:
            return action if 0 <= action < self.encoder.actions else -1
        self.ids.check(action)
        legal = self.ids.of(state)
        return legal.index(action) if action in legal else -1

    def act(self, action: int) -> None:
        """Play the move that an action means; an illegal action forfeits the game. Raises ValueError for an invalid id."""
        assert self.forfeit is None, "the game goes on"
        state = self.current
        index = self.index_of(state, action)
        try:
            move = state.move_at(index) if index >= 0 else None
        except IndexError:
            move = None
        if move is None:
            self.forfeit = state.actor
        else:
            self.play(move)

    def play(self, move: Move) -> None:
        """Play a move. Raises the same errors as ``State.play``."""
        state = self.current
        mover = state.actor
        state.play(move)
        self._last, self._mover = move, mover
        if self._chronicle is not None and mover is not None:
            self._chronicle.record(mover, move, state)

    def view(self, seat: int) -> View[State]:
        """Return what the seat may know now, including the history if it is kept."""
        return self.current.view(seat) if self._chronicle is None else self._chronicle.view(seat, self.current)

    def last_move(self, seat: int) -> str:
        """Return the notation of the last move, ``?`` if it is hidden from the seat, or an empty string if there is no last move."""
        if self._last is None or self._mover is None:
            return ""
        return "?" if self._mover != seat and self.current.has_hidden_choice(self._mover) else str(self._last)

    def info(self, seat: int) -> dict[str, Any]:
        """Return the info for the seat's observation."""
        info: dict[str, Any] = {}
        if self.form.infos:
            info = {"move": self.last_move(seat), "legal": self.count_moves(seat), "illegal": self.forfeit == seat}
        if self._flat is not None and not self.form.mask:
            info["action_mask"] = self.mask(seat)
        return info

    def count_moves(self, seat: int) -> int:
        """Return how many legal moves the seat has, or 0 if it is another seat's turn."""
        return self.current.count_moves() if self.actor == seat else 0

    def mask(self, seat: int) -> NDArray[np.int8]:
        """Return the mask of the seat's actions, as a new array."""
        if self.ids is None:
            return self.encoder.mask(self.count_moves(seat))
        return self.ids.mask(self.current) if self.actor == seat else np.zeros(self.actions, np.int8)

    def action_space(self) -> Discrete:
        """Return the space of actions: indices of legal moves in the order of the rules, or action ids (``ids=True``)."""
        return Discrete(self.actions)

    def space(self) -> Space[Any]:
        """Return the space of a seat's observations."""
        space = self.encoder.observation_space(moves=self._has_moves) if self._flat is None else self._flat.space()
        if isinstance(space, Dict) and "action_mask" in space.spaces:
            space["action_mask"] = Box(0, 1, (self.actions,), np.int8)
        return space

    def observe(self, seat: int) -> Seen:
        """Return the observation of a seat."""
        state = self.current
        if self._flat is None:
            seen: Seen = self.encoder.observe(state, seat, moves=self._has_moves)
        else:
            seen = self._flat.observe(state, seat)
        if self.ids is not None and isinstance(seen, dict):
            seen["action_mask"] = self.mask(seat)
        if self.forfeit is not None:
            _withdraw(seen)
        return seen

    def earned(self) -> tuple[float, ...]:
        """Return the reward of each seat, which is 0 until the game is over."""
        if self.forfeit is not None:
            return self._after_forfeit(self.forfeit)
        outcome = self.current.outcome
        if outcome is None:
            return (0.0,) * self.players
        return tuple(map(float, outcome.scores)) if self.rewards is Rewards.SCORE else by_ranks(outcome.ranks)

    def _after_forfeit(self, seat: int) -> tuple[float, ...]:
        """Return the rewards after a forfeit. With ranks, ``seat`` is last and all others are first; with scores, it gets 0."""
        if self.rewards is Rewards.RANKS:
            return by_ranks([2 if each == seat else 1 for each in range(self.players)])
        points = self.current.tally().get("points", (0,) * self.players)
        return tuple(0.0 if each == seat else float(points[each]) for each in range(self.players))

    def render(self) -> str | None:
        """Render the position according to the render mode: return it as text, or print it and return None."""
        if self.render_mode is None:
            return None
        last = self._last if self._mover is None or not self.current.has_hidden_choice(self._mover) else None
        drawing = "\n".join(lines(self.current, last=last, color=self.render_mode == "human"))
        if self.render_mode == "ansi":
            return drawing
        print(drawing)  # noqa: T201  # this mode prints
        return None
