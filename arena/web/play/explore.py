"""The explorer: a visitor plays moves for every seat from a position of a match, and sees chances of winning and the best moves.

The moves form a tree in the page's address, such as ``3.17(2.5).8``. A move is the number of a legal move, counted from 1 in the order
of ``State.list_moves``. As in PGN, parentheses after a move hold alternatives to it, each with the moves that follow it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, Self
from urllib.parse import quote

from fastapi import Request, Response
from fastapi.responses import RedirectResponse
from markupsafe import Markup
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from arena.analysis.match_analysis import PositionAnalysis
from arena.web.analyses import answer_or_progress
from arena.web.analysis_worker import Failure, PositionAnswer, PositionJob
from arena.web.errors import NotFoundError, UnusableError
from arena.web.play.seat_view import SeatInfo, SeatView, view_of_position
from arena.web.rendering.replay_files import SharedReplay
from arena.web.rendering.templates import render
from arena.web.settings import site_url
from arena.web.viewer.documents import write
from arena.web.viewer.small_board import picture_address, small_board
from engine.core import InvalidMoveError, Move, State
from engine.records import Replay
from engine.render import drawing
from engine.render.drawing import named
from engine.replay.format import read_replay
from engine.replay.verifier import shown_names, state_at

_SECONDS: Final = 10.0
_LISTED: Final = 200
"""The most legal moves that a page lists for browsers without scripts."""
_NO_STORE: Final = {"cache-control": "no-store"}
MOST: Final = 100
"""The most moves in a tree."""
LONGEST: Final = 1000
"""The most characters in the text of a tree."""
_PART: Final = re.compile(r"[0-9]+|[.()]|.", re.DOTALL)


@dataclass(eq=False, slots=True)
class Node:
    """A position in a tree, and the ``move`` that leads to it, which is number ``choice`` (from 1) of the parent's legal moves.

    The first of ``children`` continues the line; the others are variations.
    """

    state: State
    move: Move | None = None
    choice: int = 0
    parent: Self | None = None
    children: list[Self] = field(default_factory=list)

    def play(self, choice: int, move: Move) -> Self:
        """Return the position after a legal move, and add it to the tree if it is new."""
        for child in self.children:
            if child.choice == choice:
                return child
        state = self.state.copy()
        state.play(move)
        child = type(self)(state, move, choice, self)
        self.children.append(child)
        return child

    def dismantle(self) -> None:
        """Break all reference cycles below this position, since a tree is too large to leave to the garbage collector."""
        for node in nodes_of(self):
            node.parent, node.children = None, []

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves from the root to this position."""
        return () if self.parent is None or self.move is None else (*self.parent.moves, self.move)


def read_tree(text: str, root: Node) -> None:
    """Read a tree and add it to ``root``. Raises UnusableError if the text can't be read or a move is illegal."""
    here = root
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


def _malformed() -> UnusableError:
    return UnusableError("line", "a line must be numbers of legal moves, with variations in parentheses, such as 3.17(2.5).8")


def _played(here: Node, choice: int, count: int) -> Node:
    if count > MOST:
        raise UnusableError("line", f"a tree can have at most {MOST} moves")
    legal = here.state.count_moves() if here.state.outcome is None else 0
    if not 1 <= choice <= legal:
        told = f"the legal moves there have the numbers 1 to {legal}" if legal else "the game is over there"
        raise UnusableError("line", f"move {count} of the line is {choice}, but {told}")
    if any(child.choice == choice for child in here.children):
        raise UnusableError("line", f"move {count} of the line is {choice}, which is given twice in the same position")
    return here.play(choice, here.state.move_at(choice - 1))


def walk(node: Node, depth: int = 0, without: Node | None = None) -> Iterator[tuple[int, Node]]:
    """Yield the nodes below ``node`` in written order, each after its depth: how many variations it is nested in.

    The node ``without`` and everything below it are left out.
    """
    while children := [child for child in node.children if child is not without]:
        node, *others = children
        yield depth, node
        for other in others:
            yield depth + 1, other
            yield from walk(other, depth + 1, without)


def write_tree(node: Node, without: Node | None = None) -> str:
    """Return the tree below a node as text; the node ``without`` and everything below it are left out."""
    parts = []
    while children := [child for child in node.children if child is not without]:
        node, *others = children
        within = (".".join(filter(None, (str(other.choice), write_tree(other, without)))) for other in others)
        parts.append(f"{node.choice}{''.join(f'({line})' for line in within)}")
    return ".".join(parts)


def nodes_of(root: Node) -> list[Node]:
    """Return all positions in the order of their numbers: the root is number 0, and the others follow in written order."""
    return [root, *(node for _, node in walk(root))]


def chosen_node(root: Node, number: int | None) -> Node:
    """Return the position with that number, or the end of the main line if the number is None. Raises NotFoundError."""
    nodes = nodes_of(root)
    if number is None:
        return [root, *(node for depth, node in walk(root) if not depth)][-1]
    if number >= len(nodes):
        moves = len(nodes) - 1
        raise NotFoundError(f"This tree has {moves} move{'' if moves == 1 else 's'}, so there is no move {number}.")
    return nodes[number]


class Place(BaseModel):
    """A position in a tree of moves. ``line`` is the tree as text, whose root is position ``at`` of the match.

    ``on`` is the number of the position in the tree. ``move`` is a move to add after it, in notation.
    """

    at: int = Field(0, ge=0, le=1_000_000)
    line: str = Field("", max_length=LONGEST)
    on: int | None = Field(None, ge=0, le=MOST)
    move: str = Field("", max_length=400)


@dataclass(frozen=True, slots=True)
class Row:
    """A move of the tree, as a row on the page. ``depth`` is how many variations the move is nested in."""

    number: int
    decision: int
    depth: int
    seat: SeatInfo
    notation: str
    words: str
    is_variation: bool
    is_here: bool


@dataclass(frozen=True, slots=True)
class _Study:
    """A tree that begins at a position of a match, and the position in the tree that is shown."""

    replay: Replay
    names: tuple[str, ...]
    at: int
    root: Node
    here: Node

    @classmethod
    @contextmanager
    def read(cls, shared: SharedReplay, place: Place) -> Iterator[Self]:
        """Yield the study that ``place`` describes. Raises HTTPException and EngineError."""
        at = place.at
        shared.check(at)
        replay = read_replay(shared.read())
        root = Node(state_at(replay, at))
        try:
            read_tree(place.line, root)
            yield cls(replay, shown_names(replay), at, root, chosen_node(root, place.on))
        finally:
            root.dismantle()

    @property
    def state(self) -> State:
        """The position that is shown."""
        return self.here.state

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves that lead from the match to the position, in notation."""
        return tuple(map(str, self.here.moves))

    def branch(self) -> tuple[int, tuple[str, ...]]:
        """Return the last position of the match on the way to the shown position, and the moves that lead on from there."""
        at, moves = self.at, self.moves
        while moves and at < len(self.replay.decisions) and moves[0] == self.replay.decisions[at].move:
            at, moves = at + 1, moves[1:]
        return at, moves

    def view(self) -> SeatView:
        """Return what the seat to move may see and choose."""
        last = None
        if self.here.parent is not None and self.here.move is not None:
            last = self.here.parent.state, self.here.move
        elif self.at:
            before = state_at(self.replay, self.at - 1)
            last = before, before.game.parse(self.replay.decisions[self.at - 1].move)
        return view_of_position(self.state, self.names, self.at + len(self.moves), last)

    def rows(self, seats: list[SeatInfo]) -> list[Row]:
        """Return the moves of the tree in written order."""
        rows = []
        for number, (depth, node) in enumerate(walk(self.root), start=1):
            assert node.parent is not None, "only the root has no parent"
            assert node.parent.state.actor is not None, "somebody decided"
            assert node.move is not None, "a move led here"
            seat, decision = seats[node.parent.state.actor], self.at + len(node.moves)
            is_variation = node.parent.children[0] is not node
            words = self.words(node.parent.state, node.move)
            rows.append(Row(number, decision, depth, seat, str(node.move), words, is_variation, node is self.here))
        return rows

    def words(self, state: State, move: Move) -> str:
        """Return a move in words, with the players' names."""
        return named(drawing.describe_move(state, move), self.names)


def explore_page(request: Request, shared: SharedReplay, place: Place) -> Response:
    """Show a position of a tree or, if ``place`` has a move, redirect to the tree with that move added. Raises HTTPException."""
    address = site_url(request, f"{shared.path}/explore")
    with _Study.read(shared, place) as study:
        return _with_move(study, place, address) if place.move else _page(request, shared, study, address)


def _page(request: Request, shared: SharedReplay, study: _Study, address: str) -> Response:
    analysis, progress, sentence = _analysis(request, shared, study)
    view, (branch, others) = study.view(), study.branch()
    goes_on = not others and branch < len(study.replay.decisions)
    played = study.state.game.parse(study.replay.decisions[branch].move) if goes_on else None
    here, line, legal = nodes_of(study.root).index(study.here), write_tree(study.root), view.offers.notations() if view.offers else []
    return render(
        request,
        "explore.html",
        headers=_NO_STORE,
        shared=shared,
        at=study.at,
        line=line,
        here=here,
        parent=None if study.here.parent is None else nodes_of(study.root).index(study.here.parent),
        child=nodes_of(study.root).index(study.here.children[0]) if study.here.children else None,
        tree=_address(address, study.at, line),
        pruned=_address(address, study.at, write_tree(study.root, study.here)),
        address=address,
        back=site_url(request, shared.path),
        rows=study.rows(view.seats),
        view=view,
        board=picture_address(small_board(study.state)),
        position=Markup(write(view)),  # noqa: S704  # our own JSON, with no < > &
        played=None if played is None else (str(played), study.words(study.state, played)),
        choices=[(text, study.words(study.state, study.state.game.parse(text))) for text in legal] if len(legal) <= _LISTED else [],
        analysis=analysis,
        progress=progress,
        sentence=sentence,
    )


def _with_move(study: _Study, place: Place, address: str) -> Response:
    if study.state.outcome is not None:
        raise HTTPException(409, "The game is over in this position, so no move can be added.")
    try:
        move = study.state.game.parse(place.move)
    except InvalidMoveError as error:
        raise UnusableError("move", f"{error}") from None
    if not study.state.is_legal(move):
        raise UnusableError("move", f"'{move}' is not legal in this position")
    added = study.here.play(1 + list(study.state.list_moves()).index(move), move)
    nodes = nodes_of(study.root)
    if len(nodes) > MOST + 1:
        raise UnusableError("move", f"a tree can have at most {MOST} moves; remove some of them first")
    return RedirectResponse(f"{_address(address, study.at, write_tree(study.root))}&on={nodes.index(added)}", 303)


def _address(page: str, at: int, line: str) -> str:
    return f"{page}?at={at}" + (f"&line={quote(line, safe='().')}" if line else "")


def _analysis(request: Request, shared: SharedReplay, study: _Study) -> tuple[PositionAnalysis | None, str, str]:
    """Return the analysis of the position, its progress while it is being computed, and a sentence on why there is none."""
    if study.state.outcome is not None:
        return None, "", ""
    if not request.app.state.settings.has_analyses:
        return None, "", "Positions are not analysed on this server, so chances and best moves are not shown."
    at, moves = study.branch()
    key = ("position", shared.key, at, moves)
    answer = answer_or_progress(request, key, lambda: PositionJob(shared.read(), at, moves, _SECONDS), _SECONDS)
    if isinstance(answer, PositionAnswer):
        return answer.analysis, "", ""
    return (None, "", answer.sentence) if isinstance(answer, Failure) else (None, str(answer), "")
