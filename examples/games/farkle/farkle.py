"""Farkle, a dice game, with the most common values."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import combinations

from engine.simple import Chance, Position, simple_game


@cache
def worth(dice: str) -> int:
    """Return the points for dice set aside together, or 0 if one of them doesn't count."""
    faces = {face: dice.count(face) for face in dice}
    if len(faces) == 6 or sorted(faces.values()) == [2, 2, 2]:
        return 1500
    triples = {"1": 1000} | {face: 100 * int(face) for face in "23456"}
    singles = {"1": 100, "5": 50}
    values = [triples[face] * 2 ** (n - 3) if n >= 3 else singles.get(face, 0) * n for face, n in faces.items()]
    return sum(values) if all(values) else 0


@cache
def choices(dice: str) -> tuple[str, ...]:
    """Return the sets of dice that may be set aside from a roll, in descending order of points."""
    kept = {"".join(some) for number in range(1, len(dice) + 1) for some in combinations(dice, number)}
    return tuple(sorted(filter(worth, kept), key=lambda some: (-worth(some), some)))


class Farkle(Position):
    """Set aside dice that count, and stop before a roll counts for nothing; the most points win. For 2 to 6 players."""

    dice: str = ""  # the dice just rolled, sorted
    aside: int = 0  # the points of this turn so far
    left: int = 0  # the turns left, including this one
    banked: list[int] = []

    def setup(self, options: Mapping[str, int], chance: Chance) -> None:
        """Start the game; seat 0 rolls first."""
        self.banked, self.left = [0] * self.players, options["rounds"] * self.players
        self.roll(6, chance)

    def roll(self, number: int, chance: Chance) -> None:
        """Roll that many dice; if nothing counts, the turn is lost and the next seat rolls."""
        self.dice = "".join(sorted(str(chance.roll()) for _ in range(number)))
        if not choices(self.dice):
            chance.tell(f"farkle {self.actor}")
            self.finish(chance)

    def finish(self, chance: Chance) -> None:
        """End the turn and, after the last turn, the game."""
        self.aside, self.left = 0, self.left - 1
        if self.left:
            self.next()
            self.roll(6, chance)
        else:
            self.end(self.banked, "last-turn")

    def moves(self) -> list[str]:
        """Return the dice to set aside, such as ``115``, each with both ways to continue: ``115 roll``, ``115 bank``."""
        return [f"{kept} {then}" for kept in choices(self.dice) for then in ("bank", "roll")]

    def play(self, move: str, chance: Chance) -> None:
        """Set dice aside, then roll the others (all six if none is left) or keep the points."""
        kept, then = move.split()
        self.aside += worth(kept)
        if then == "roll":
            self.roll(len(self.dice) - len(kept) or 6, chance)
        else:
            self.banked[self.actor or 0] += self.aside
            self.finish(chance)

    def tally(self) -> dict[str, list[int]]:
        """Return the safe points, and the points of this turn, which may be lost."""
        return {"points": self.banked, "at risk": [self.aside * (seat == self.actor) for seat in range(self.players)]}

    def show(self) -> str:
        """Return the dice, and the points of all seats."""
        rows = [f"{'>' if seat == self.actor else ' '} seat {seat} {points:6}" for seat, points in enumerate(self.banked)]
        return "\n".join([f"[{'] ['.join(self.dice)}]   at risk: {self.aside}   turns left: {self.left}", *rows])

    @staticmethod
    def explain(move: str) -> str:
        """Return the move in words."""
        kept, then = move.split()
        return f"sets {' '.join(kept)} aside for {worth(kept)} and {'banks' if then == 'bank' else 'rolls on'}"


PLUGIN = simple_game(Farkle, "farkle", title="Farkle", players=(2, 6), options={"rounds": (10, range(1, 21))}, public_luck=True)
