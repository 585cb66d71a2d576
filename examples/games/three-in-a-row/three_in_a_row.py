"""Three in a row: nine squares, and whoever first has three of them in a line wins."""

from __future__ import annotations

from engine.simple import Chance, Position, simple_game

SQUARES = [f"{column}{row}" for row in "123" for column in "abc"]
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class ThreeInARow(Position):
    """``cells`` are the squares a1, b1, ... c3: ``.``, ``x`` of seat 0, ``o`` of seat 1."""

    cells: str = "........."

    def moves(self) -> list[str]:
        """Every free square."""
        return [square for square, mark in zip(SQUARES, self.cells, strict=True) if mark == "."]

    def play(self, move: str, chance: Chance) -> None:
        """Mark the square."""
        at, mark = SQUARES.index(move), "xo"[self.actor or 0]
        self.cells = self.cells[:at] + mark + self.cells[at + 1 :]
        if any(all(self.cells[cell] == mark for cell in line) for line in LINES):
            self.end([int(seat == self.actor) for seat in range(2)], "line")
        elif "." not in self.cells:
            self.end([0, 0], "full")
        else:
            self.next()

    def show(self) -> str:
        """The board, with its last row on top."""
        rows = [f"{row + 1} {' '.join(self.cells[3 * row : 3 * row + 3])}" for row in (2, 1, 0)]
        return "\n".join([*rows, "  a b c"])


PLUGIN = simple_game(ThreeInARow, "three-in-a-row", title="Three in a row", players=(2, 2))
