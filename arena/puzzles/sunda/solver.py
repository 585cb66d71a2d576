"""Solves puzzles of Sunda to Sahul (RULES 8) as exact covers, with OR-Tools' CP-SAT. ``engine.sunda.puzzle`` defines puzzles and checks
solutions.

Every triangle must be covered once, and every tile used at most once; what a tile shows at its corners and sides is tied to a variable
for each vertex and side. The solver uses one worker and a limit in deterministic time, so the answer depends only on the puzzle and the
release of OR-Tools.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Final

from ortools.sat.python import cp_model

from engine.sunda.board.tiles import IS_TURNED, N_PATTERNS, TILE_OF_PATTERN, corner_type, side_kind
from engine.sunda.board.trigrid import TRIANGLES, corners_of, half_turned, lozenge_of, triangles_of
from engine.sunda.puzzle import Laid, Puzzle

EFFORT: Final = 240.0
"""How long CP-SAT searches for a solution, in units of its deterministic time; four units took about a second when this was measured."""

COUNTING: Final = 20.0
"""How long CP-SAT counts solutions or inner borders, in the same units as ``EFFORT``."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a search: a solution or None, whether this is certain, the number of branches, and the effort (see ``EFFORT``)."""

    solution: tuple[Laid, ...] | None
    is_certain: bool
    branches: int
    effort: float


@dataclass(frozen=True, slots=True)
class Count:
    """A count: exactly ``number``, or at least ``number`` if counting ended at the bound or when the effort was used up."""

    number: int
    is_exact: bool

    def __str__(self) -> str:
        return str(self.number) if self.is_exact else f"at least {self.number}"


def solve(puzzle: Puzzle, *, effort: float = EFFORT) -> Answer:
    """Search for a solution; its tiles are listed in ascending order of placements."""
    return _Model(puzzle).search(effort)


def count_solutions(puzzle: Puzzle, bound: int, *, effort: float = COUNTING) -> Count:
    """Count the solutions up to a bound."""
    counter = _Counter(bound)
    solver = _solver(effort)
    solver.parameters.enumerate_all_solutions = True
    status = solver.solve(_Model(puzzle).model, counter)
    return Count(counter.number, counter.number < bound and status in {cp_model.OPTIMAL, cp_model.INFEASIBLE})


def count_borders(puzzle: Puzzle, bound: int, *, known: Sequence[Laid] = (), effort: float = COUNTING) -> Count:
    """Count the different inner borders of the solutions, up to a bound; solutions with tiles on the same lozenges have the same borders.

    One solution, if it is known already, can be given as ``known``, so that it need not be found again.
    """
    model = _Model(puzzle)
    if known:
        model.forbid(known)
    for number in range(1 if known else 0, bound):
        answer = model.search(effort)
        effort = max(0.0, effort - answer.effort)
        if answer.solution is None:
            return Count(number, answer.is_certain)
        model.forbid(answer.solution)
    return Count(bound, is_exact=False)


class _Counter(cp_model.CpSolverSolutionCallback):
    def __init__(self, bound: int) -> None:
        super().__init__()
        self.bound = bound
        self.number = 0

    def on_solution_callback(self) -> None:
        self.number += 1
        if self.number >= self.bound:
            self.stop_search()


def _solver(effort: float) -> cp_model.CpSolver:
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    solver.parameters.max_deterministic_time = effort
    return solver


def lozenges_in(region: frozenset[int]) -> list[int]:
    """Return the lozenges within a region, ascending."""
    lozenges: set[int] = set()
    for triangle in region:
        for d, (first, _) in enumerate(TRIANGLES):
            if (triangle - first) % 2 == 0:
                lozenge = 6 * ((triangle - first) // 2) + d
                if region.issuperset(triangles_of(lozenge)):
                    lozenges.add(lozenge)
    return sorted(lozenges)


def patterns_on(puzzle: Puzzle, lozenge: int) -> list[int]:
    """Return the patterns that a tile on a lozenge may show without contradicting the given types of vertices."""
    corners = corners_of(lozenge)
    return [
        pattern
        for pattern in range(N_PATTERNS)
        if all(puzzle.types.get(vertex, corner_type(pattern, i)) == corner_type(pattern, i) for i, vertex in enumerate(corners))
    ]


class _Model:
    """The puzzle as a CP-SAT model."""

    def __init__(self, puzzle: Puzzle) -> None:
        self.model = model = cp_model.CpModel()
        self.lozenges = lozenges_in(puzzle.region)
        self.lies = {lozenge: model.new_bool_var(f"z{lozenge}") for lozenge in self.lozenges}
        self.shows: dict[tuple[int, int], cp_model.IntVar] = {}
        vertices: dict[int, cp_model.IntVar] = {}
        sides: dict[tuple[int, int], cp_model.IntVar] = {}
        covers: defaultdict[int, list[cp_model.IntVar]] = defaultdict(list)
        users: defaultdict[int, list[cp_model.IntVar]] = defaultdict(list)
        diagonals: dict[tuple[int, int], int] = {}
        for lozenge in self.lozenges:
            lies = self.lies[lozenge]
            patterns = patterns_on(puzzle, lozenge)
            shows = {pattern: model.new_bool_var(f"y{lozenge}.{pattern}") for pattern in patterns}
            self.shows.update(((lozenge, pattern), shown) for pattern, shown in shows.items())
            model.add(sum(shows.values()) == lies)
            for triangle in triangles_of(lozenge):
                covers[triangle].append(lies)
            for pattern, shown in shows.items():
                users[TILE_OF_PATTERN[pattern]].append(shown)
            c = corners_of(lozenge)
            for i, vertex in enumerate(c):
                if vertex not in puzzle.types:
                    if vertex not in vertices:
                        vertices[vertex] = model.new_bool_var(f"t{vertex}")
                    self._tie(vertices[vertex], {pattern: corner_type(pattern, i) for pattern in patterns}, shows)
                a, b = vertex, c[(i + 1) % 4]
                edge = (min(a, b), max(a, b))
                if edge not in sides:
                    sides[edge] = model.new_bool_var(f"s{edge}")
                flip = a > b  # the two tiles at a side run along it in opposite directions
                self._tie(sides[edge], {pattern: side_kind(pattern, i) ^ flip for pattern in patterns}, shows)
            diagonals[min(c[1], c[3]), max(c[1], c[3])] = lozenge
        for edge, lozenge in diagonals.items():
            if edge in sides:  # if a tile lies across the edge, the edge is not a side
                model.add_implication(self.lies[lozenge], sides[edge].negated())
        for triangle in sorted(puzzle.region):
            model.add_exactly_one(covers[triangle])
        for each in users.values():
            model.add_at_most_one(each)

    def _tie(self, variable: cp_model.IntVar, bits: dict[int, int], shows: dict[int, cp_model.IntVar]) -> None:
        """Tie patterns to a variable: a pattern whose bit is 1 requires the variable to be 1, and a pattern whose bit is 0 requires 0."""
        self.model.add(sum(shows[pattern] for pattern, bit in bits.items() if bit) <= variable)
        self.model.add(sum(shows[pattern] for pattern, bit in bits.items() if not bit) <= 1 - variable)

    def search(self, effort: float) -> Answer:
        solver = _solver(effort)
        status = solver.solve(self.model)
        solution = None
        if status in {cp_model.OPTIMAL, cp_model.FEASIBLE}:
            laid = [key for key, shown in self.shows.items() if solver.boolean_value(shown)]
            solution = tuple(sorted((_as_laid(*each) for each in laid), key=itemgetter(1)))
        return Answer(solution, solution is not None or status == cp_model.INFEASIBLE, solver.num_branches, solver.deterministic_time)

    def forbid(self, solution: Sequence[Laid]) -> None:
        """Exclude all solutions that have the same inner borders as this solution."""
        self.model.add(sum(self.lies[lozenge_of(placement)] for _, placement in solution) < len(solution))


def _as_laid(lozenge: int, pattern: int) -> Laid:
    return TILE_OF_PATTERN[pattern], half_turned(lozenge) if IS_TURNED[pattern] else lozenge
