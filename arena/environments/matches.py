"""Plays many matches of one game at once, and writes their observations to shared arrays.

The environments in ``batch_env`` and ``vector_env`` use this module.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Final, TypeAlias

import numpy as np
from gymnasium.utils.seeding import np_random
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from arena.environments.arguments import Form, draw_seed, read_number
from arena.environments.encoding import ActionIds, Array, Encoder
from arena.environments.game_adapter import GameAdapter
from engine import batch
from engine.core import State

Observations: TypeAlias = Any  # an array, or a nested dictionary of arrays, depending on the space


class SharedArrays:
    """The observations of a fixed number of matches; each ``fill`` overwrites them."""

    def __init__(self, encoder: Encoder, form: Form, number: int, actions: int) -> None:
        self._encoder = encoder
        self._number = number
        self._form = form
        fields = encoder.fields
        self._arrays: dict[str, Array] = {}
        self._flat: NDArray[np.float32] = np.zeros((number, sum(field.size for field in fields.values()) if form.flat else 0), np.float32)
        begin = 0
        for name, field in fields.items():
            if form.flat:  # views of the flat array
                self._arrays[name] = self._flat[:, begin : begin + field.size]
                begin += field.size
            else:
                self._arrays[name] = np.zeros((number, *field.shape), field.dtype)
        types = {field.dtype for field in fields.values()}
        self._only_type = types.pop() if form.flat and len(types) == 1 else None
        row_shape = (number, encoder.actions, len(encoder.columns))
        self._rows: Array | None = np.zeros(row_shape, encoder.row_type) if form.has_moves else None
        self._written = [0] * number
        steps = np.repeat(np.array([1, 0], np.int8), encoder.actions)
        self._masks = sliding_window_view(steps, encoder.actions)[::-1]  # the mask for each number of legal moves
        self.mask: NDArray[np.int8] = np.zeros((number, actions), np.int8)

    def fill(self, packed: bytes, counts: NDArray[np.int32], which: Sequence[int] | None = None) -> None:
        """Overwrite the observations of the matches in ``which`` (None: all) with the output ``packed`` of ``engine.batch.step``.

        ``counts`` holds the number of legal moves of each of these matches.
        """
        records = np.frombuffer(packed, self._encoder.layout)
        where: Any = slice(None) if which is None else list(which)
        if self._only_type is not None:
            self._flat[where] = np.frombuffer(packed, self._only_type).reshape(len(records), -1)
        else:
            for name, array in self._arrays.items():
                array[where] = records[name].reshape(len(records), *array.shape[1:])
        if not self._form.ids:
            self.mask[where] = self._masks[counts]

    def fill_ids(self, ids: ActionIds, states: Sequence[State], counts: NDArray[np.int32], which: Sequence[int] | None = None) -> None:
        """Overwrite the masks of the matches in ``which`` (None: all). A mask has a 1 for each legal id if it is the observer's turn."""
        for match in range(self._number) if which is None else which:
            self.mask[match] = 0
            if counts[match]:
                self.mask[match, ids.of(states[match])] = 1

    def fill_rows(
        self, states: Sequence[State], seats: Sequence[int], counts: NDArray[np.int32], which: Sequence[int] | None = None
    ) -> None:
        """Overwrite the rows of legal moves of the matches in ``which`` (None: all); rows without a legal move are zeros."""
        if self._rows is None:
            return
        for match in range(self._number) if which is None else which:
            packed = self._encoder.pack_rows(states[match], seats[match]) if counts[match] else b""
            rows = np.frombuffer(packed, self._encoder.row_type).reshape(-1, len(self._encoder.columns))
            self._rows[match, : len(rows)] = rows
            self._rows[match, len(rows) : self._written[match]] = 0
            self._written[match] = len(rows)

    def observations(self) -> Observations:
        """Return the shared arrays, not copies, in the structure of the observation space."""
        rows = {} if self._rows is None else {"moves": self._rows}
        if not self._form.flat:
            return {"observation": self._arrays | rows, "action_mask": self.mask}
        masks = {"action_mask": self.mask} if self._form.mask else {}
        return {"observation": self._flat} | rows | masks if rows or masks else self._flat

    @property
    def masks_in_infos(self) -> dict[str, NDArray[np.int8]]:
        """The masks of all matches under the key ``action_mask``, or an empty dictionary if the observations contain the masks."""
        return {"action_mask": self.mask} if self._form.flat and not self._form.mask else {}


def each_array(observations: Observations, change: Callable[[Array], Array]) -> Observations:
    """Return the same structure with the function applied to each array."""
    if isinstance(observations, dict):
        return {name: each_array(inner, change) for name, inner in observations.items()}
    return change(observations)


class Matches:
    """A fixed number of matches. Each plays one game of ``table`` after another, with its own generator of seeds.

    - ``observers``: the seat that observes in each match, or -1 for whichever seat has to decide
    - ``actors``, ``counts``: as of the last observation, the seat that has to decide in each match (-1 when the game is over), and how many
      legal moves the observer has
    - ``forfeits``: maps each match whose current game was forfeited to the seat that forfeited it
    """

    def __init__(self, table: GameAdapter, number: int) -> None:
        """Raises ValueError unless the number of matches is a positive integer."""
        read_number(number)
        self.table: Final = table
        self.number: Final = number
        self.states: Final[list[State]] = []
        self.observers: Final = [-1] * number
        self.seeds: Final = [0] * number
        self.forfeits: Final[dict[int, int]] = {}
        self.actors: NDArray[np.int32] = np.full(number, -1, np.int32)
        self.counts: NDArray[np.int32] = np.zeros(number, np.int32)
        self.arrays: Final = SharedArrays(table.encoder, table.form, number, table.actions)
        self._generators: list[np.random.Generator | None] = [None] * number

    def generator(self, match: int) -> np.random.Generator:
        """Return a match's seed generator."""
        generator = self._generators[match]
        if generator is None:
            generator, _ = np_random()
            self._generators[match] = generator
        return generator

    def begin(self, match: int, seed: int | None) -> int:
        """Begin a game with ``seed``, or with a seed drawn from the match's generator; return the seed.

        Raises OptionsError for a negative seed.
        """
        if seed is not None:
            self._generators[match], _ = np_random(seed)
        game_seed = draw_seed(self.generator(match)) if seed is None else seed
        state = self.table.begin(game_seed)
        if len(self.states) == match:
            self.states.append(state)
        else:
            self.states[match] = state
        self.seeds[match] = game_seed
        self.forfeits.pop(match, None)
        return game_seed

    def step(self, actions: Sequence[int], bots: Sequence[list[Random]], which: Sequence[int] | None = None) -> None:
        """In the matches in ``which`` (None: all), play the actions, then the bots' moves until it is the observer's turn, and observe.

        An action that isn't a legal move forfeits the match. If there are no actions, as at the beginning of a game, only the bots play.
        ``bots`` holds, for each match, the random generator of each seat's bot; it is empty if there are no bots.
        """
        states, seats = self._chosen(which)
        generators = list(bots) if which is None or not bots else [bots[match] for match in which]
        table = self.table
        played = list(actions)
        if table.ids is not None:
            played = [table.index_of(state, action) for state, action in zip(states, actions, strict=False)]  # there may be no actions
        refused, packed, decisions = batch.step(states, played, seats, generators, table.most, table.encoder.packer())
        for place in refused:
            actor = states[place].actor
            assert actor is not None, "the game goes on"
            self.forfeits[place if which is None else which[place]] = actor
        self._show(packed, decisions, which)

    def _chosen(self, which: Sequence[int] | None) -> tuple[list[State], list[int]]:
        if which is None:
            return self.states, self.observers
        return [self.states[match] for match in which], [self.observers[match] for match in which]

    def _show(self, packed: bytes, decisions: bytes, which: Sequence[int] | None) -> None:
        pairs = np.frombuffer(decisions, "<i4").reshape(-1, 2)
        where: Any = slice(None) if which is None else list(which)
        self.actors[where], self.counts[where] = pairs[:, 0], pairs[:, 1]
        if self.forfeits:
            lost = list(self.forfeits)
            self.actors[lost], self.counts[lost] = -1, 0
        self.arrays.fill(packed, self.counts[where], which)
        if self.table.ids is not None:
            self.arrays.fill_ids(self.table.ids, self.states, self.counts, which)
        if self.table.form.has_moves:
            actors: list[int] = self.actors.tolist()
            observers = [actor if seat < 0 else seat for actor, seat in zip(actors, self.observers, strict=True)]
            self.arrays.fill_rows(self.states, observers, self.counts, which)

    def earned(self, match: int) -> tuple[float, ...]:
        """Return the reward of each seat of a match, which is 0 until the match is over."""
        self.table.state = self.states[match]
        self.table.forfeit = self.forfeits.get(match)
        return self.table.earned()
