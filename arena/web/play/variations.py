"""Variations from a position: a tree of moves, written in addresses as ``3.17(2.5).8``.

A move is the number of a legal move, from 1 in the order of ``State.list_moves``. As in PGN, parentheses after a move hold others that
could be played instead, with what follows them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Self

from arena.web.errors import NotFoundError, UnusableError
from engine.core import Move, State

MOST: Final = 100
"""The most moves of a tree."""
LONGEST: Final = 1000
"""The most characters of a tree."""
_PART: Final = re.compile(r"[0-9]+|[.()]|.", re.DOTALL)


@dataclass(eq=False, slots=True)
class Node:
    """A position of a tree, with the ``move`` that leads to it: the legal move ``choice`` of its parent, counted from 1.

    The first of ``children`` continues the line, the others are variations.
    """

    state: State
    move: Move | None = None
    choice: int = 0
    parent: Self | None = None
    children: list[Self] = field(default_factory=list)

    def play(self, choice: int, move: Move) -> Self:
        """Return the position after a legal move, which is added unless it is there."""
        for child in self.children:
            if child.choice == choice:
                return child
        state = self.state.copy()
        state.play(move)
        child = type(self)(state, move, choice, self)
        self.children.append(child)
        return child

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves from the root to here."""
        return () if self.parent is None or self.move is None else (*self.parent.moves, self.move)


def read_tree(text: str, start: State) -> Node:
    """Return the root of a tree from a position. Raises UnusableError for a text that can't be read or played."""
    here = root = Node(start)
    open_at: list[Node] = []
    count, wants_move = 0, bool(text)
    for part in _PART.findall(text):
        if part.isascii() and part.isdigit() and wants_move:
            count += 1
            here, wants_move = _played(here, int(part), count), False
        elif part == ")" and open_at and not wants_move:
            here = open_at.pop()
        elif part in {".", "("} and not wants_move:
            wants_move = True
            if part == "(":
                assert here.parent is not None, "a move came before"
                open_at.append(here)
                here = here.parent
        else:
            raise _malformed()
    if wants_move or open_at:
        raise _malformed()
    return root


def _malformed() -> UnusableError:
    return UnusableError("line", "a line is written as 3.17(2.5).8, the numbers of legal moves, with variations in parentheses")


def _played(here: Node, choice: int, count: int) -> Node:
    if count > MOST:
        raise UnusableError("line", f"a tree has at most {MOST} moves")
    legal = here.state.count_moves() if here.state.outcome is None else 0
    if not 1 <= choice <= legal:
        told = f"there are {legal} legal moves" if legal else "the game is over"
        raise UnusableError("line", f"move {count} is number {choice}, but {told} in that position")
    if any(child.choice == choice for child in here.children):
        raise UnusableError("line", f"move {count} is number {choice}, which is already in the tree at that position")
    return here.play(choice, here.state.move_at(choice - 1))


def walk(node: Node, depth: int = 0, without: Node | None = None) -> Iterator[tuple[int, Node]]:
    """Yield the moves below a position in the order in which they are written, each with the number of variations that it is within.

    ``without`` is left out, with everything after it.
    """
    while children := [child for child in node.children if child is not without]:
        node, *others = children
        yield depth, node
        for other in others:
            yield depth + 1, other
            yield from walk(other, depth + 1, without)


def write_tree(node: Node, without: Node | None = None) -> str:
    """Return the tree below a position as text; ``without`` is left out, with everything after it."""
    parts = []
    while children := [child for child in node.children if child is not without]:
        node, *others = children
        within = (".".join(filter(None, (str(other.choice), write_tree(other, without)))) for other in others)
        parts.append(f"{node.choice}{''.join(f'({line})' for line in within)}")
    return ".".join(parts)


def nodes_of(root: Node) -> list[Node]:
    """Return all positions by number: the root is 0, the others follow in the order in which they are written."""
    return [root, *(node for _, node in walk(root))]


def chosen_node(root: Node, number: int | None) -> Node:
    """Return the position of that number; without one, the end of the main line. Raises NotFoundError."""
    nodes = nodes_of(root)
    if number is None:
        return [root, *(node for depth, node in walk(root) if not depth)][-1]
    if number >= len(nodes):
        moves = len(nodes) - 1
        raise NotFoundError(f"This tree has {moves} move{'' if moves == 1 else 's'}, so there is no move {number}.")
    return nodes[number]
