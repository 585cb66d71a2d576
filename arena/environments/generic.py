"""The encoder for games that don't provide one. It encodes moves by their notation, and positions by theirs or by numbers from the game.

It isn't tailored to a game, so agents learn slowly or little from it (docs/environments.md).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from arena.environments.encoding import Array, Column, Encoder, Field
from engine.core import Game, Move, OptionsError, State, View

LIMIT: Final = 1e6
"""The numbers that a game provides are clipped to the range from -LIMIT to LIMIT."""
CHARACTERS: Final = 1024
"""How many characters of a position's notation, from the first on, are encoded one by one."""
WORDS: Final = 256
"""The number of buckets into which the words of a position's notation are hashed."""
MOVE_CHARACTERS: Final = 16
"""How many characters of a move's notation, from the first on, are encoded one by one."""
MOVE_WORDS: Final = 32
"""The number of buckets into which the words of a move's notation are hashed."""
GAMES: Final = 8
"""How many random games are played to estimate the maximum number of legal moves."""
DECISIONS: Final = 1000
"""The maximum number of decisions in each of the ``GAMES`` random games."""

_MOST: Final = 32_767
_WORD: Final = re.compile(r"[^\W\d_]+|\d+|[^\w\s]")


class GenericEncoder(Encoder):
    """Encodes any game.

    ``actions`` is the maximum number of legal moves; by default the smallest power of 2 that is at least twice the maximum seen in random
    games.
    """

    row_type = np.int16

    def __init__(self, game: Game, players: int, actions: int | None = None) -> None:
        self._players = players
        first = game.new(players, 0).view(0)
        numbers = first.position.observation(0)
        self._length = None if numbers is None else len(numbers)
        self._tallies = tuple(first.position.tally())
        self.actions = actions or _likely_actions(game, players)
        self.columns = (
            Column("index", 0, min(self.actions - 1, _MOST)),
            Column("length", 0, _MOST),
            *(Column(f"character_{place}", 0, _MOST) for place in range(MOVE_CHARACTERS)),
            *(Column(f"word_{bucket}", 0, _MOST) for bucket in range(MOVE_WORDS)),
        )
        self.fields = {"tally": Field((len(self._tallies), players), np.float32, -LIMIT, LIMIT)}  # widest first, so all are aligned
        if self._length is None:
            self.fields |= {"text": Field((CHARACTERS,), np.int16, 0, _MOST), "words": Field((WORDS,), np.int16, 0, _MOST)}
        else:
            self.fields |= {"numbers": Field((self._length,), np.float32, -LIMIT, LIMIT)}
        self.fields |= {"turn": Field((2,), np.int8, 0, [players, players - 1])}

    def pack(self, state: State, seat: int) -> bytes:
        """Return the arrays of ``fields`` as bytes. Raises OptionsError for a game whose observations differ in length."""
        arrays = self._arrays(state.view(seat))
        return b"".join([arrays[name].tobytes() for name in self.fields])

    def _arrays(self, view: View[State]) -> dict[str, Array]:
        state = view.position
        seats = [(view.seat + step) % self._players for step in range(self._players)]
        counted = state.tally()
        rows = [[counted[name][seat] for seat in seats] if name in counted else [0.0] * len(seats) for name in self._tallies]
        tally = np.array(rows, np.float64)
        actor = 0 if state.actor is None else (state.actor - view.seat) % self._players + 1
        arrays: dict[str, Array] = {
            "turn": np.array([actor, view.seat], np.int8),
            "tally": _bounded(tally.reshape(self.fields["tally"].shape)),
        }
        if self._length is None:
            text = state.text
            return arrays | {"text": _characters(text, CHARACTERS), "words": _buckets(text, WORDS)}
        numbers = state.observation(view.seat)
        if numbers is None or len(numbers) != self._length:
            raise OptionsError(f"all observations of this game must have length {self._length}, but this one has {len(numbers or ())}")
        return arrays | {"numbers": _bounded(np.asarray(numbers, np.float64))}

    def rows(self, view: View[State], moves: Sequence[Move]) -> Array:
        """Return a row for each of the moves."""
        rows = np.zeros((len(moves), len(self.columns)), np.int16)
        for index, notation in enumerate(map(str, moves)):
            rows[index, :2] = min(index, _MOST), min(len(notation), _MOST)
            rows[index, 2 : 2 + MOVE_CHARACTERS] = _characters(notation, MOVE_CHARACTERS)
            rows[index, 2 + MOVE_CHARACTERS :] = _buckets(notation, MOVE_WORDS)
        return rows


def _bounded(numbers: NDArray[np.float64]) -> Array:
    bounded: NDArray[np.float64] = np.clip(np.nan_to_num(numbers, posinf=LIMIT, neginf=-LIMIT), -LIMIT, LIMIT)
    return bounded.astype(np.float32)


def _characters(text: str, length: int) -> Array:
    points = np.frombuffer(text[:length].encode("utf-32-le", "surrogatepass"), np.uint32)
    codes = np.zeros(length, np.int16)
    codes[: len(points)] = np.minimum(points, _MOST)
    return codes


def _buckets(text: str, number: int) -> Array:
    """Return how many words (runs of letters, runs of digits, single signs) fall into each bucket; the result is always the same."""
    counts = np.zeros(number, np.int64)
    for word in _WORD.findall(text):
        counts[crc32(word.encode(errors="replace")) % number] += 1
    return np.minimum(counts, _MOST).astype(np.int16)


def _likely_actions(game: Game, players: int) -> int:
    """Return the smallest power of 2 that is at least twice the maximum number of legal moves seen in random games."""
    most = 1
    for seed in range(GAMES):
        state, rng = game.new(players, seed), Random(seed)
        for _ in range(DECISIONS):
            if state.actor is None:
                break
            most = max(most, state.count_moves())
            state.play(state.random_move(rng))
    return 1 << (2 * most - 1).bit_length()


def encoder(game: Game, players: int) -> GenericEncoder:
    """Return an encoder for a game that doesn't provide one."""
    return GenericEncoder(game, players)
