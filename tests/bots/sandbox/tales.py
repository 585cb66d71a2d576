"""A game told as a tree, so that a test says in a few lines what a search has to find."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from bots.reference.heuristics.base import Heuristic
from engine.core import Game, IllegalMoveError, Move, Outcome, State, shared_ranks


@dataclass(frozen=True)
class Choice:
    """A seat decides; where it is secret, the next seat decides without knowing, and that seat's decision opens both."""

    seat: int
    moves: Mapping[str, Tale]
    is_secret: bool = False


@dataclass(frozen=True)
class Chance:
    """A coin that was tossed before the game, and is seen now."""

    heads: Tale
    tails: Tale


Tale: TypeAlias = "Choice | Chance | tuple[int, ...]"
"""What happens next, or the score."""


class End(StrEnum):
    """Why a tale ends."""

    TOLD = "told"


@dataclass(frozen=True)
class Word(Move):
    """A move, by its name."""

    text: str

    def __str__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Word) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


class Telling(State):
    """A tale, as far as it was told."""

    def __init__(self, players: int, tale: Tale) -> None:
        super().__init__(players)
        self.tale = tale
        self.is_heads = True
        self.secret: int | None = None

    @property
    def game(self) -> Game:
        raise NotImplementedError("a search asks for no facts of the game")

    @property
    def actor(self) -> int | None:
        return self.tale.seat if isinstance(self.tale, Choice) else None

    @property
    def outcome(self) -> Outcome | None:
        if not isinstance(self.tale, tuple):
            return None
        return Outcome(self.tale, shared_ranks([(score,) for score in self.tale]), End.TOLD)

    @property
    def text(self) -> str:
        return repr(self.tale)

    def play(self, move: Move) -> None:
        assert isinstance(self.tale, Choice)
        if str(move) not in self.tale.moves:
            raise IllegalMoveError(f"{move} is not legal")
        self.events = ()
        self.secret = self.tale.seat if self.tale.is_secret else None
        self.tale = self.tale.moves[str(move)]
        if isinstance(self.tale, Chance):
            self.events = ("heads" if self.is_heads else "tails",)
            self.tale = self.tale.heads if self.is_heads else self.tale.tails

    def copy(self) -> Telling:
        other = type(self)(self.players, self.tale)
        other.is_heads, other.secret, other.events = self.is_heads, self.secret, self.events
        return other

    def list_moves(self) -> Sequence[Move]:
        return [Word(text) for text in self.tale.moves] if isinstance(self.tale, Choice) else []

    def is_legal(self, move: Move) -> bool:
        return move in self.list_moves()

    def redact(self, seat: int) -> None:
        self.is_heads = True

    def determinize(self, rng: random.Random) -> None:
        self.is_heads = rng.random() < 0.5

    def tally(self) -> dict[str, tuple[int, ...]]:
        return {"points": self.tale if isinstance(self.tale, tuple) else (0,) * self.players}

    def has_hidden_choice(self, seat: int) -> bool:
        return self.secret == seat


class Innocent(Heuristic[Telling]):
    """A heuristic that sees no difference between anything, until it is over."""

    def __init__(self) -> None:
        self.looks = 0

    def choose(self, view: object, rng: random.Random) -> Move:
        raise NotImplementedError("a search decides for itself")

    def scores(self, state: Telling, moves: Sequence[Move]) -> list[float]:
        return [0.0] * len(moves)

    def evaluate(self, state: Telling) -> list[float]:
        self.looks += 1
        return [0.0] * state.players
