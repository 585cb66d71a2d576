"""Three in a row, on nine squares."""

from __future__ import annotations

from engine.simple import Chance, Position, simple_game

SQUARES = [f"{column}{row}" for row in "123" for column in "abc"]
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class ThreeInARow(Position):
    """Take turns to mark squares; the first player with three in a line wins. For 2 players."""

    cells: str = "........."  # a1, b1, ... c3: x is seat 0, o is seat 1

    def every_move(self) -> list[str]:
        """Return all squares."""
        return SQUARES

    def moves(self) -> list[str]:
        """Return all free squares."""
        return [SQUARES[at] for at, mark in enumerate(self.cells) if mark == "."]

    def play(self, move: str, chance: Chance) -> None:
        """Mark the square."""
        at, mark = SQUARES.index(move), "xo"[self.actor or 0]
        self.cells = cells = self.cells[:at] + mark + self.cells[at + 1 :]
        if any(cells[one] == cells[two] == cells[three] == mark for one, two, three in LINES):
            self.end([int(seat == self.actor) for seat in range(2)], "line")
        elif "." not in cells:
            self.end([0, 0], "full")
        else:
            self.next()

    def show(self) -> str:
        """Return the board, with its last row on top."""
        rows = [f"{row + 1}  {'  '.join(self.cells[3 * row : 3 * row + 3])}" for row in (2, 1, 0)]
        return "\n".join([*rows, "   a  b  c"])

    @staticmethod
    def explain(move: str) -> str:
        """Return the move in words."""
        return f"marks {move}, " + ("the centre" if move == "b2" else "an edge" if "b" in move or "2" in move else "a corner")


PLUGIN = simple_game(ThreeInARow, "three-in-a-row", title="Three in a row", players=(2, 2))
