"""``arena bots check``: try a bot as a host does, with a progress bar, and print the report."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Self

import typer

from arena.cli.errors import Exit, UserError, report_errors
from arena.cli.options import (
    GameOption,
    IsolationOption,
    JsonOption,
    OptionsOption,
    RuntimeOption,
    TrustOption,
    read_clock,
    read_game,
    read_runtime,
)
from arena.cli.output import console, print_json, print_line, print_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.progress import Progress, TaskID

    from arena.entries.bot_check import CheckReport, Trouble
    from arena.entries.packages import Need
    from bots.loader.version import BotVersion
    from bots.protocol import ClockSpec
    from bots.runtime import Runtime
    from engine.core import Game

PathArgument = Annotated[str, typer.Argument(metavar="PATH", help="A file, a folder or an archive.", show_default=False)]
ClockOption = Annotated[list[str] | None, typer.Option("--clock", metavar="KEY=VALUE", help="A limit, such as move=0.5; may be repeated.")]
TournamentFile = Annotated[
    Path | None,
    typer.Option("--tournament", metavar="FILE.toml", help="Take the game, its options, the clock and the runtime of this tournament."),
]
_SHOWN_CAUSES = 5
_SHOWN_LOG = 1000


@dataclass(frozen=True, slots=True)
class Terms:
    """What a bot is checked with: the game, the limits, and what it runs in.

    ``arguments`` are those of ``arena match`` for the same, None if a file says it.
    """

    game: Game
    clock: ClockSpec
    runtime: Runtime
    arguments: tuple[str, ...] | None


@report_errors
def check(
    path: PathArgument,
    game: GameOption = None,
    option: OptionsOption = None,
    tournament: TournamentFile = None,
    players: Annotated[int | None, typer.Option(metavar="N", help="Play only at tables of N seats.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Play one match at each table size only.")] = False,
    clock: ClockOption = None,
    runtime: RuntimeOption = None,
    isolation: IsolationOption = None,
    trust_bots: TrustOption = False,
    seed: Annotated[int | None, typer.Option(min=0, metavar="S", help="Repeat the matches of an earlier check.")] = None,
    as_json: JsonOption = False,  # an option
) -> None:
    """Play a bot in every seat at every table size, as a host would, and report what to fix.

    The exit code is 1 if it failed in any match. The printed seed repeats the same matches.

    [dim]arena bots check my_bot.py --tournament cup.toml[/dim]
    [dim]arena bots check my_bot.py --game NAME --quick[/dim]
    """
    from arena.entries.bot_check import report_data
    from arena.entries.packages import find_needs, needs_data
    from bots.loader.loading import identify

    terms = read_terms(game, option, clock, runtime, tournament)
    version = identify(path, most=terms.runtime.most_bytes)
    version, report = run_check(version, terms, isolation, trust_bots=trust_bots, seed=seed, players=players, is_quick=quick)
    needs = () if version.is_installed else find_needs(Path(path.partition(":")[0]), terms.runtime, terms.game, report.isolation)
    if as_json:
        print_json(report_data(report) | {"packages": needs_data(needs)})
    else:
        show_report(report, path, terms.arguments, needs)
    if not report.is_passed:
        raise typer.Exit(Exit.FAILED)


def read_terms(
    game: str | None, option: list[str] | None, clock: list[str] | None, runtime: list[str] | None, tournament: Path | None
) -> Terms:
    """Return the terms to check a bot with. Raises UserError, SpecError and OptionsError."""
    if tournament is None:
        rules = read_game(game, option)
        given = [("--option", each) for each in option or []] + [("--clock", each) for each in clock or []]
        given += [("--runtime", each) for each in runtime or []]
        return Terms(rules, read_clock(clock), read_runtime(runtime), ("--game", rules.name, *(word for pair in given for word in pair)))
    if option or clock or runtime:
        raise UserError("--tournament takes the options, the clock and the runtime of the file; leave --option, --clock and --runtime out")
    from arena.entries.packages import check_runtime
    from arena.spec.spec import read_spec

    spec = read_spec(tournament)
    check_runtime(spec, None)
    return Terms(spec.make_game(), spec.clock.limits, spec.runtime.runtime, None)


def run_check(
    version: BotVersion,
    terms: Terms,
    isolation: str | None,
    *,
    trust_bots: bool,
    seed: int | None = None,
    players: int | None = None,
    is_quick: bool = False,
) -> tuple[BotVersion, CheckReport]:
    """Check a bot, with progress on a terminal; return it as it plays, built if it was source.

    Raises BotError, OptionsError, IsolationError and HostFaultError.
    """
    from arena.entries.bot_check import check_bot
    from arena.play.isolation import BEST, admit, open_player_pool
    from bots.building.builder import build

    if players is not None:
        terms.game.check_start(players, 0)
    with open_player_pool(isolation or BEST, game=terms.game, runtime=terms.runtime) as pool:
        admit([version], pool.level, trusted=trust_bots, clock=terms.clock)
        built = build(version, trusted=trust_bots)
        bot = built.version
        with CheckProgress(f"checking {version.name}") as progress:
            report = check_bot(bot, terms.game, pool, terms.clock, progress.show, seed=seed, players=players, is_quick=is_quick)
    return bot, replace(report, build_log=built.log)


def show_report(report: CheckReport, path: str, arguments: tuple[str, ...] | None, needs: Sequence[Need] = ()) -> None:
    """Print a report, what the bot ``needs``, and the command that plays a failed match again: ``arguments`` are those of `Terms`."""
    matches = "1 match" if report.matches == 1 else f"{report.matches} matches"
    print_line(f"{report.bot}@{report.version[:8]}: {matches} of {report.game}, {report.coverage}")
    print_line(f"isolation {report.isolation}, seed {report.seed}")
    if report.build_log:
        print_text(f"the log of its build:\n{report.build_log}")
    for name, times in (("time of a decision", report.seconds), ("CPU time", report.cpu_seconds)):
        if times:
            print_line(f"{name}: " + ", ".join(f"{which} {1000 * value:.2f} ms" for which, value in times.items()))
    if report.memory is not None:
        print_line(f"memory: {report.memory / (1 << 20):.0f} MiB at most")
    for need in needs:
        print_line(f"package: {need}")
    installed = [need for need in needs if need.version]
    if arguments is not None and not all(need.is_allowed for need in installed):
        print_line(f"to try it with what is installed: --runtime packages={','.join(dict.fromkeys(need.package for need in installed))}")
    for alike in report.causes[:_SHOWN_CAUSES]:
        _show_cause(alike, path, arguments)
    if len(report.causes) > _SHOWN_CAUSES:
        print_line(f"and {len(report.causes) - _SHOWN_CAUSES} more faults")
    for note in report.notes:
        print_line(f"note: {note}")
    for hint in report.hints:
        print_line(f"hint: {hint}")
    if report.log and not report.is_passed:
        print_text("the end of its log:\n" + report.log[-_SHOWN_LOG:])
    if not report.is_passed:
        print_line(report.failure)
    elif report.is_complete:
        print_line("passed: it can be submitted")
    else:
        print_line("passed as far as it was checked; before it is submitted, every seat at every table is")


def _show_cause(alike: tuple[Trouble, ...], path: str, arguments: tuple[str, ...] | None) -> None:
    """Print the first of the matches in which a bot failed for one cause."""
    first = alike[0]
    print_line(f"FAILED: {first.fault.kind.value}: {first.fault.detail}")
    more = f", and in {len(alike) - 1} more" if len(alike) > 1 else ""
    print_line(f"  with {first.players} players in seat {first.seat}, decision {first.fault.index + 1}{more}")
    if arguments is not None:
        line_up = [path if seat == first.seat else "random" for seat in range(first.players)]
        print_line("  again: " + shlex.join(["arena", "match", *line_up, *arguments, "--seed", str(first.seed)]))
    if first.traceback:
        print_text(first.traceback)


class CheckProgress:
    """Shows how many matches of a check are over. Use it in a ``with`` statement and call ``show``; the bar goes away at its end."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        import sys

        if sys.stderr.isatty():
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

            columns = TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TextColumn("matches")
            self._bar = Progress(*columns, TimeElapsedColumn(), console=console(err=True), transient=True)
            self._task = self._bar.add_task(self._what, total=None)
            self._bar.start()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, done: int, total: int) -> None:
        """Show that so many matches are over, of a total that is not known as long as it is 0."""
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=done, total=total or None)
