"""``Position``: the base class of a game's rules; its fields hold the position, and its methods are the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import msgspec

from engine.core import shared_ranks
from engine.simple.chance import Chance


class Position(msgspec.Struct, forbid_unknown_fields=True):
    """A position and its rules: subclasses add fields, each with a type and a default, and write ``moves`` and ``play``.

    Fields hold numbers, strings, True, False, None, and lists, tuples, dicts and structs of these, with declared element types. They must
    hold everything that the rules need. ``hide`` and ``fill`` are for games with secrets; the other methods have useful defaults.
    """

    players: int = 0
    actor: int | None = 0
    """The seat that has to decide; None when the game is over."""
    ending: str = ""
    scores: tuple[int | float, ...] = ()
    ranks: tuple[int, ...] = ()

    def setup(self, options: Mapping[str, Any], chance: Chance) -> None:
        """Set up the first position; ``players`` is already set. Store the options that the rules need later. Dice may be rolled and cards
        shuffled, but no events are announced, since the position shows the results.
        """

    def moves(self) -> Sequence[str]:
        """Return the notations of all legal moves, each once, always in the same order. Not called when the game is over.

        Return no moves if ``hide`` removed what the actor's moves depend on.
        """
        raise NotImplementedError(f"{type(self).__name__} has no method 'moves'")

    def play(self, move: str, chance: Chance) -> None:
        """Play one of ``moves``, and set ``actor`` to the seat that decides next, or call ``end``."""
        raise NotImplementedError(f"{type(self).__name__} has no method 'play'")

    def next(self) -> None:
        """Pass the turn to the next seat."""
        if self.actor is None:
            raise ValueError("next() after end(): the game is over, so no seat is next")
        self.actor = (self.actor + 1) % self.players

    def end(self, scores: Sequence[float], ending: str, *, by: Sequence[float | tuple[float, ...]] | None = None) -> None:
        """End the game. ``ending`` is the reason, in one or a few words.

        The highest score ranks first. If the lowest score wins or ties are broken, pass ``by``: values of which the highest ranks first.
        """
        keys: list[Any] = [key if isinstance(key, tuple) else (key,) for key in (scores if by is None else by)]
        if len(scores) != self.players or not all(isinstance(score, int | float) and isfinite(score) for score in scores):
            raise ValueError(f"the game must end with one finite score for each of {self.players} seats, not with {scores!r:.60}")
        if len(keys) != self.players:
            raise ValueError(f"'by' must have a number or a tuple for each of {self.players} seats, not {by!r:.60}")
        if not ending or not ending.isprintable():
            raise ValueError(f"'ending' must say in printable characters why the game ended, not {ending!r:.60}")
        self.actor, self.scores, self.ranks, self.ending = None, tuple(scores), shared_ranks(keys), ending

    def every_move(self) -> Sequence[str] | None:
        """Return the notations of all moves that can ever be legal with these options and players, always in the same order, each once.

        Called on a first position. Environments number actions according to this list; if None, actions are indices of legal moves.
        """
        return None

    def hide(self, seat: int) -> None:
        """Remove what the seat (-1: a spectator) must not know, so that positions that differ only in this become equal."""

    def fill(self, chance: Chance) -> None:
        """Fill in what ``hide`` removed. The new values are random but consistent with the rest."""

    def tally(self) -> Mapping[str, Sequence[float]]:
        """Return the numbers that players watch: a dict from a name, such as points, to one number per seat."""
        return {"points": self.scores or (0,) * self.players}

    def observation(self, seat: int) -> Sequence[float] | None:
        """Return what the seat may know, for a learning agent: a fixed-length list of numbers, or None to have the notation encoded."""
        return None

    def show(self) -> str:
        """Return the position for people, in any number of lines; by default, its fields."""
        fields = msgspec.structs.asdict(self)
        return "\n".join(f"{name}: {value}" for name, value in fields.items() if name not in Position.__struct_fields__)

    def has_hidden_choice(self, seat: int) -> bool:
        """Return whether the seat's last choice is hidden from the others, permanently or until an event reveals it."""
        return False

    @staticmethod
    def explain(move: str) -> str:
        """Return the move in plain words."""
        return move
