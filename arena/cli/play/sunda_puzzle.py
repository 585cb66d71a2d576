"""``arena puzzle``: create, draw and solve Sunda to Sahul puzzles, and check solutions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.files import read_text, write_text
from arena.cli.options import JsonOption
from arena.cli.output import Exit, UserError, console, print_error, print_line, print_text, report_errors
from arena.puzzles.sunda.difficulty import BOUND, Difficulty

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.puzzles.sunda.generator import Measures
    from engine.sunda.puzzle import Laid, Puzzle

puzzle_app = typer.Typer(help="Create, draw, solve and check Sunda to Sahul puzzles.", no_args_is_help=True, rich_markup_mode="rich")

FileArgument = Annotated[Path, typer.Argument(metavar="PUZZLE", help="A puzzle file.", show_default=False)]
SvgOption = Annotated[Path | None, typer.Option("--svg", metavar="OUT", help="Draw it as a picture instead of in the terminal.")]
BoundOption = Annotated[int, typer.Option("--bound", min=1, max=100_000, metavar="N", help="Count at most this many solutions.")]


@puzzle_app.command("new")
@report_errors
def new(
    seed: Annotated[int, typer.Option(min=0, metavar="S", help="The seed of the puzzle.", show_default=False)],
    difficulty: Annotated[Difficulty, typer.Option(help="The difficulty.")] = Difficulty.EASY,
    bound: BoundOption = BOUND,
    save: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the puzzle to this file.")] = None,
    svg: SvgOption = None,
    as_json: JsonOption = False,
) -> None:
    """Create a puzzle; the same seed and difficulty give the same puzzle.

    A puzzle is an island without its inner borders: fill it with different tiles that match.
    docs/puzzles.md explains the numbers that are printed.

    [dim]arena puzzle new --seed 7 --difficulty medium --save puzzle.json[/dim]
    """
    _need_solver()
    from arena.puzzles.sunda.codec import puzzle_text
    from arena.puzzles.sunda.generator import make, measure
    from arena.puzzles.sunda.solver import solve as find

    puzzle = make(seed, difficulty)
    measures = measure(puzzle, find(puzzle), bound=bound)
    made = {"seed": seed, "difficulty": str(difficulty), **measures.record()}
    text = puzzle_text(puzzle, made)
    if save is not None:
        write_text(save, text)
    if as_json:
        print_text(text, end="")
        return
    _draw(puzzle, (), svg)
    _show_measures(f"{difficulty}, seed {seed}", measures)
    if save is not None:
        print_line(f"Wrote {save}; solve it yourself, or with: arena puzzle solve {save}")


@puzzle_app.command("show")
@report_errors
def show(
    file: FileArgument,
    solution: Annotated[Path | None, typer.Option(metavar="FILE", help="A solution, whose inner borders are drawn as well.")] = None,
    svg: SvgOption = None,
) -> None:
    """Draw a puzzle, or a solution of it, in the terminal or as a picture.

    [dim]arena puzzle show puzzle.json --svg puzzle.svg[/dim]
    """
    puzzle = _read_puzzle(file)
    laid = _read_solution(solution) if solution is not None else []
    if solution is not None and (fault := puzzle.fault(laid)) is not None:
        raise UserError(f"{solution} does not solve {file}: {fault}")
    _draw(puzzle, laid, svg)


@puzzle_app.command("solve")
@report_errors
def solve(
    file: FileArgument,
    save: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the solution to this file.")] = None,
    svg: SvgOption = None,
    count: Annotated[bool, typer.Option("--count", help="Also count the solutions, and those with different inner borders.")] = False,
    bound: BoundOption = BOUND,
    as_json: JsonOption = False,
) -> None:
    """Find a solution to a puzzle.

    The exit code is 1 if there is none, or 4 if none was found but there may be one.

    [dim]arena puzzle solve puzzle.json --save solution.json --svg solution.svg[/dim]
    """
    puzzle = _read_puzzle(file)
    _need_solver()
    from arena.puzzles.sunda.codec import solution_text
    from arena.puzzles.sunda.generator import measure
    from arena.puzzles.sunda.solver import solve as find

    answer = find(puzzle)
    if answer.solution is None:
        if answer.is_certain:
            print_error(f"{file} has no solution: the tiles in the box cannot fill it")
            raise typer.Exit(Exit.FAILED)
        print_error(f"{file}: no solution was found, but there may be one; {answer.branches:,} branches were tried")
        raise typer.Exit(Exit.UNDECIDED)
    text = solution_text(answer.solution)
    if save is not None:
        write_text(save, text)
    if as_json:
        print_text(text, end="")
        return
    _draw(puzzle, answer.solution, svg)
    if count:
        _show_measures("solved", measure(puzzle, answer, bound=bound))
    else:
        print_line(f"Solved with {len(answer.solution)} tiles, {answer.branches:,} branches.")
    if save is not None:
        print_line(f"Wrote {save}.")


@puzzle_app.command("check")
@report_errors
def check(
    file: FileArgument,
    solution: Annotated[Path, typer.Argument(metavar="SOLUTION", help="A solution file.", show_default=False)],
) -> None:
    """Check a solution of a puzzle: exit code 0 if it is right, or 1 with the reason if it is wrong.

    [dim]arena puzzle check puzzle.json solution.json[/dim]
    """
    puzzle = _read_puzzle(file)
    laid = _read_solution(solution)
    fault = puzzle.fault(laid)
    if fault is not None:
        print_error(f"{solution} does not solve {file}: {fault}")
        raise typer.Exit(Exit.FAILED)
    print_line(f"{solution} solves {file} with {len(laid)} tiles.")


def _need_solver() -> None:
    from importlib.util import find_spec

    if find_spec("ortools") is None:
        raise UserError("OR-Tools is needed to make or solve puzzles: pip install 'tile-arena[puzzles]'")


def _read_puzzle(path: Path) -> Puzzle:
    from arena.puzzles.sunda.codec import parse_puzzle
    from engine.sunda.puzzle import PuzzleError

    try:
        return parse_puzzle(read_text(path))
    except PuzzleError as error:
        raise UserError(f"{path}: {error}") from None


def _read_solution(path: Path) -> list[Laid]:
    from arena.puzzles.sunda.codec import parse_solution
    from engine.sunda.puzzle import PuzzleError

    try:
        return parse_solution(read_text(path))
    except PuzzleError as error:
        raise UserError(f"{path}: {error}") from None


def _draw(puzzle: Puzzle, solution: Sequence[Laid], svg: Path | None) -> None:
    from rich.text import Text

    from engine.sunda.render import outline

    if svg is not None:
        write_text(svg, outline.svg(puzzle, solution))
        print_line(f"Wrote {svg}.")
        return
    screen = console()
    lines = outline.lines(puzzle, solution, width=screen.width, color=screen.is_terminal and not screen.no_color)
    if not lines:
        print_line("It is too wide for this terminal; draw it with --svg.")
    for line in lines:
        screen.print(Text.from_ansi(line), soft_wrap=True)


def _show_measures(title: str, measures: Measures) -> None:
    print_line(f"{title}: room for {measures.tiles} tiles, {measures.given} of {measures.vertices} vertices given")
    print_line(f"solutions: {measures.solutions}; with different inner borders: {measures.borders}")
    print_line(f"tightness: {100 * measures.tightness:.0f}%; branches to the first solution: {measures.branches:,}")
