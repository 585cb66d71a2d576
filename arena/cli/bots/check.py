"""``arena bots check``: try a bot as a host does, with a progress bar, and print the report."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Self

import typer

from arena.cli.options import (
    DEFAULT_DB,
    DbOption,
    GameOption,
    IsolationOption,
    JsonOption,
    OptionsOption,
    RuntimeOption,
    TrustOption,
    is_chosen,
    read_clock,
    read_game,
    read_runtime,
)
from arena.cli.output import Exit, UserError, console, print_json, print_line, print_text, report_errors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.progress import Progress, TaskID

    from arena.entries.bot_check import CheckProgress, CheckTerms
    from arena.entries.check_report import CheckReport, Trouble
    from arena.entries.packages import Need
    from bots.loader.version import BotVersion

PathArgument = Annotated[str, typer.Argument(metavar="PATH", help="A file, a folder or an archive.", show_default=False)]
ClockOption = Annotated[list[str] | None, typer.Option("--clock", metavar="KEY=VALUE", help="A limit, such as move=0.5; may be repeated.")]
TournamentFile = Annotated[
    Path | None,
    typer.Option("--tournament", metavar="FILE.toml", help="Check with the game, options, tables, clock and runtime of this tournament."),
]
PlayersOption = Annotated[
    list[int] | None,
    typer.Option(
        "--players",
        min=1,
        metavar="N",
        help="Play with N seats; may be repeated. Default: the tournament's table sizes, or 2 and 4 (or the nearest possible).",
    ),
]
SecondsOption = Annotated[
    float | None,
    typer.Option("--seconds", min=1, metavar="S", help="Stop after S seconds and judge by the matches played so far; default: 30."),
]
_SHOWN_CAUSES = 5
_SHOWN_LOG = 1000


@report_errors
def check(
    path: PathArgument,
    game: GameOption = None,
    option: OptionsOption = None,
    tournament: TournamentFile = None,
    ladder: Annotated[str | None, typer.Option(metavar="NAME", help="Check the bot as this ladder in the database --db would.")] = None,
    db: DbOption = DEFAULT_DB,
    players: PlayersOption = None,
    quick: Annotated[bool, typer.Option("--quick", help="Play only one match at each table size.")] = False,
    seconds: SecondsOption = None,
    clock: ClockOption = None,
    runtime: RuntimeOption = None,
    isolation: IsolationOption = None,
    trust_bots: TrustOption = False,
    seed: Annotated[int | None, typer.Option(min=0, metavar="S", help="The seed of an earlier check, to repeat its matches.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Start a bot, play it in every seat at a tournament's table sizes, as a host would, and report what to fix.

    The exit code is 1 if the bot did not start or failed in any match. Give the printed seed to repeat the same matches.

    [dim]arena bots check my_bot.py --tournament cup.toml[/dim]
    [dim]arena bots check my_bot.py --ladder league --db league.db[/dim]
    [dim]arena bots check my_bot.py --game NAME --players 2[/dim]
    """
    from arena.entries.check_report import report_data
    from arena.entries.packages import find_needs, needs_data
    from bots.loader.loading import identify

    if ladder is None and is_chosen(db):
        raise UserError("--db is the database of the ladder given with --ladder; give --ladder as well")
    terms, arguments = read_terms(game, option, clock, runtime, tournament, ladder, db)
    version = identify(path, most=terms.runtime.most_bytes)
    report = run_check(version, terms, isolation, trust_bots=trust_bots, seconds=seconds, seed=seed, players=players or (), is_quick=quick)
    needs = () if version.is_installed else find_needs(Path(path.partition(":")[0]), terms.runtime, terms.game, report.isolation)
    if as_json:
        print_json(report_data(report) | {"packages": needs_data(needs)})
    else:
        show_report(report, path, arguments, needs)
    if not report.is_passed:
        raise typer.Exit(Exit.FAILED)


def read_terms(
    game: str | None,
    option: list[str] | None,
    clock: list[str] | None,
    runtime: list[str] | None,
    tournament: Path | None,
    ladder: str | None,
    db: str,
) -> tuple[CheckTerms, tuple[str, ...] | None]:
    """Return the terms of a check, and the arguments that give ``arena match`` the same terms (None if a tournament sets the terms).

    Raises UserError, SpecError, OptionsError, StoreError and NoLadderError.
    """
    from arena.entries.bot_check import CheckTerms

    if tournament is None and ladder is None:
        rules = read_game(game, option)
        given = [("--option", each) for each in option or []] + [("--clock", each) for each in clock or []]
        given += [("--runtime", each) for each in runtime or []]
        arguments = ("--game", rules.name, *(word for pair in given for word in pair))
        return CheckTerms.of_game(rules, read_clock(clock), read_runtime(runtime)), arguments
    from arena.season.entry import find_terms
    from arena.spec.spec import read_spec
    from arena.tournament import check_runtime
    from leaderboard.storage.store import Store

    if tournament is not None and ladder is not None:
        raise UserError("a bot is checked for only one tournament: give either --tournament or --ladder")
    if option or clock or runtime:
        which, whose = ("--tournament", "of the file") if tournament is not None else ("--ladder", "of the ladder")
        raise UserError(f"{which} uses the options, clock and runtime {whose}; leave out --option, --clock and --runtime")
    if tournament is not None:
        spec = read_spec(tournament)
    else:
        with Store.read(db) as store:
            spec = find_terms(store, ladder or "")
    check_runtime(spec, None)
    return CheckTerms.of_tournament(spec), None


def run_check(
    version: BotVersion,
    terms: CheckTerms,
    isolation: str | None,
    *,
    trust_bots: bool,
    seconds: float | None = None,
    seed: int | None = None,
    players: Sequence[int] = (),
    is_quick: bool = False,
) -> CheckReport:
    """Check a bot, showing progress on a terminal. Raises BotError, OptionsError, IsolationError and HostFaultError."""
    from arena.bots import BEST, admit, open_player_pool
    from arena.entries.bot_check import CHECK_SECONDS, check_bot

    for size in players:
        terms.game.check_start(size, 0)
    with open_player_pool(isolation or BEST, game=terms.game, runtime=terms.runtime) as pool:
        admit([version], pool.level, trusted=trust_bots, clock=terms.clock)
        with CheckBar(version.name) as bar:
            return check_bot(
                version,
                terms,
                pool,
                bar.show,
                seed=seed,
                players=players,
                is_quick=is_quick,
                seconds=seconds or CHECK_SECONDS,
            )


def show_report(report: CheckReport, path: str, arguments: tuple[str, ...] | None, needs: Sequence[Need] = ()) -> None:
    """Print a report, the bot's ``needs``, and a command that repeats a failed match; ``arguments`` are those from ``read_terms``."""
    played = f"{report.matches} of {report.planned}" if report.matches < report.planned else f"{report.planned}"
    matches = f"{played} {'match' if report.planned == 1 else 'matches'}"
    print_line(f"{report.bot}@{report.version[:8]}: {matches} of {report.game}, {report.coverage}")
    print_line(f"isolation {report.isolation}, seed {report.seed}")
    if report.start_seconds is not None:
        print_line(f"ready after {1000 * report.start_seconds:.0f} ms")
    for name, times in (("time of a decision", report.seconds), ("CPU time", report.cpu_seconds)):
        if times:
            print_line(f"{name}: " + ", ".join(f"{which} {1000 * value:.2f} ms" for which, value in times.items()))
    if report.memory is not None:
        print_line(f"memory: {report.memory / (1 << 20):.0f} MiB at most")
    for need in needs:
        print_line(f"package: {need}")
    installed = [need for need in needs if need.version]
    if arguments is not None and not all(need.is_allowed for need in installed):
        print_line(f"to try it with installed packages: --runtime packages={','.join(dict.fromkeys(need.package for need in installed))}")
    for alike in report.causes[:_SHOWN_CAUSES]:
        _show_cause(alike, path, arguments)
    if len(report.causes) > _SHOWN_CAUSES:
        print_line(f"and {len(report.causes) - _SHOWN_CAUSES} more faults")
    for note in report.notes:
        print_line(f"note: {note}")
    for hint in report.hints:
        print_line(f"hint: {hint}")
    if arguments is not None and report.troubles and (fine := sorted(report.fine_sizes)):
        print_line(f"hint: check a bot for {fine[0]} players with --players {fine[0]}, or a bot for a tournament with --tournament")
    if report.log and not report.is_passed:
        print_text("the end of its log:\n" + report.end_of_log(_SHOWN_LOG))
    if not report.is_passed:
        print_line(f"not passed: it {report.failure} (stage: {report.stage})")
    elif report.ended_after is not None:
        print_line("passed in the matches played; --seconds S plays for longer")
    elif report.is_complete:
        print_line("passed: it can be submitted")
    else:
        print_line("passed as far as it was checked; submitting it checks more seats or tables")


def _show_cause(alike: tuple[Trouble, ...], path: str, arguments: tuple[str, ...] | None) -> None:
    first = alike[0]
    print_line(f"FAILED: {first.fault.kind.value}: {first.fault.detail}")
    more = f", in {len(alike)} matches in all" if len(alike) > 1 else ""
    when = "while it started" if first.stage == "start" else f"decision {first.fault.index + 1}"
    print_line(f"  with {first.players} players in seat {first.seat}, {when}{more}")
    if arguments is not None:
        line_up = [path if seat == first.seat else "random" for seat in range(first.players)]
        print_line("  again: " + shlex.join(["arena", "match", *line_up, *arguments, "--seed", str(first.seed)]))
    if first.traceback:
        print_text(first.traceback)


class CheckBar:
    """Shows the progress of a bot's check: a line when the bot has started, and a bar, which is removed at the end.

    Use it in a ``with`` statement and call ``show``. Without a terminal it shows nothing.
    """

    def __init__(self, bot: str) -> None:
        self._bot = bot
        self._stage = ""
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        import sys

        if sys.stderr.isatty():
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

            columns = TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TextColumn("matches")
            self._bar = Progress(*columns, TimeElapsedColumn(), console=console(err=True), transient=True)
            self._task = self._bar.add_task(f"{self._bot}: waits", total=None)
            self._bar.start()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, check: CheckProgress) -> None:
        """Show the progress."""
        if self._bar is None or self._task is None:
            return
        if (self._stage, check.stage) == ("start", "play"):
            self._bar.console.print(f"{self._bot} has started", markup=False)
        self._stage = check.stage
        from engine.text import counted

        played = f"failed in {check.failed}" if check.failed else f"no failure in {counted(check.decisions, 'decision')}"
        doing = "starts" if check.stage == "start" else played
        self._bar.update(self._task, description=f"{self._bot}: {doing}", completed=check.done, total=check.planned or None)
