"""``arena run``: play a tournament from its file. This module also defines how commands choose executors and handle Ctrl-C."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import monotonic
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Final, Self

import typer
from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from arena.cli.options import (
    DEFAULT_DB,
    LONG_RUN,
    AddressOption,
    DbOption,
    ExecutorName,
    ExecutorOption,
    IsolationOption,
    RequireOption,
    TrustOption,
    WorkersOption,
)
from arena.cli.output import Exit, UserError, console, duration, print_line, print_warning, report_errors

if TYPE_CHECKING:
    from arena.play.executors.base import Executor
    from arena.run.runner import Progress as RunProgress
    from arena.run.runner import Summary
    from arena.spec.spec import BotEntry
    from arena.tournament import Tournament
    from bots.limits import Level
    from bots.loader.version import BotVersion
    from leaderboard.storage.store import Store


@report_errors
def run(
    spec: Annotated[Path, typer.Argument(metavar="SPEC", help="The tournament's TOML file.", show_default=False)],
    db: DbOption = DEFAULT_DB,
    workers: WorkersOption = None,
    executor: ExecutorOption = ExecutorName.AUTO,
    address: AddressOption = None,
    isolation: IsolationOption = None,
    require_isolation: RequireOption = None,
    trust_bots: TrustOption = False,
    public_value: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The public value to mix into the secret, once the value is known.")
    ] = None,
    allow_open_seed: Annotated[
        bool, typer.Option("--allow-open-seed", help="Let submitted bots play even though anyone can compute the decks.")
    ] = False,
    go_on_anyway: Annotated[bool, typer.Option("--go-on-anyway", help="Don't pause when most bots fail or become slow.")] = False,
    key: Annotated[Path | None, typer.Option(metavar="FILE", envvar="ARENA_KEY", help="Sign seals with the host key in this file.")] = None,
) -> None:
    """Play a tournament, or continue one that was stopped.

    Pressing Ctrl-C once lets the matches in progress finish; pressing it twice stops at once. The same command continues later.
    If most bots fail in the last 20 matches, or take ten times as long as before, the run pauses and prints why (exit code 6).
    At the end, it prints digests of the seal, the results and the ratings; results and ratings are the same for any number of workers.

    [dim]arena run examples/quickstart.toml --db quickstart.db[/dim]
    """
    print_line(f"Reading {spec}; results go to {db}")  # before anything that takes time
    from contextlib import ExitStack, closing

    from arena.bots import choose_level
    from arena.run.runner import find_finished
    from arena.spec.spec import read_spec
    from arena.tournament import prepare
    from leaderboard.storage.database import find_database
    from leaderboard.storage.seal_chain import read_key
    from leaderboard.storage.store import Store

    read = read_spec(spec)
    level = choose_level(isolation or read.isolation, require_isolation)
    signer = None if key is None else read_key(key)
    with ExitStack() as stack:

        def open_store() -> Store:
            store = stack.enter_context(Store.create(db))
            if (exposed := store.exposure()) is not None:
                print_warning(exposed)
            store.signer = signer
            _refuse_stage(store, read.name)
            return store

        prepared = prepare(
            read,
            open_store() if find_database(db).exists() else open_store,  # a new database is created only if the bots can play
            base=spec.parent,
            level=level,
            trusted=trust_bots,
            public_value=public_value,
            allow_open_seed=allow_open_seed,
        )
        out = console()
        _show_start(prepared, out)  # what has changed is printed before workers are started
        summary = find_finished(prepared)
        if summary is None:
            find = partial(find_newcomer, prepared, spec.parent, trusted=trust_bots)
            total = prepared.stored.total
            left = None if total is None else total - prepared.store.count_matches(prepared.stored)
            where, why = choose_executor(executor, address, left)
            with closing(make_executor(where, workers, address)) as player:
                summary = play(prepared, player, out, interrupts=Interrupts(), find_newcomer=find, go_on_anyway=go_on_anyway, why=why)
        _show(summary, prepared, out)
        _show_ending(summary, spec, prepared.store.name)
        keep_seals(summary, prepared.store, db)
    if summary.void:
        raise typer.Exit(Exit.FAILED)
    if not summary.is_complete:
        raise typer.Exit(Exit.INTERRUPTED)


def _refuse_stage(store: Store, name: str) -> None:
    from leaderboard.storage.tournaments import seasons

    for season in seasons(store):
        if any(stage.tournament == name for stage in season.stages):
            plays = "which 'arena season run' plays; give this tournament a different name"
            raise UserError(f"'{name}' is a stage of the season '{season.name}', {plays}")


def find_newcomer(run: Tournament, base: Path, entry: BotEntry, *, trusted: bool) -> BotVersion:
    """Return the version of a bot that has entered a running ladder. Raises BotError."""
    from arena.bots import admit, find_entry
    from bots.limits import Level

    most = run.spec.runtime.runtime.most_bytes
    version = find_entry(entry, base, run.store, in_process=run.level is Level.NONE, most=most)
    admit([version], run.level, trusted=trusted, clock=run.spec.clock.limits)
    return version


def _show_start(run: Tournament, out: Console) -> None:
    from rich.text import Text

    from arena.report.leaderboard_table import authors_line, seed_line

    for added in run.added:
        out.print(Text(f"Added since the run began: {added}"))
    if uneven := authors_line(run.spec):
        out.print(Text(uneven))
    out.print(Text(seed_line(run.stored)), soft_wrap=True)


def _show(summary: Summary, tournament: Tournament, out: Console) -> None:
    from rich.text import Text

    from arena.cli.output import terminal
    from arena.report.leaderboard_table import blocks_line, leaderboard_table, places_table
    from arena.run.results import placed, standings

    lines = placed(standings(tournament.store, summary.tournament), summary.places)
    out.print(terminal(leaderboard_table(lines, summary.tournament), out.width))
    out.print(Text(blocks_line(*tournament.blocks())))
    if summary.places:
        out.print(terminal(places_table(summary.places, tournament.spec.schedule.format), out.width))
    if summary.conclusion:
        out.print(Text(summary.conclusion))


def keep_seals(summary: Summary, store: Store, db: str) -> None:
    """Append the seals to the file next to the database. Raises UserError if that fails; the seals stay in the database."""
    from leaderboard.storage.seal_chain import append_seals, seals_path

    path = seals_path(db)
    if path is None:
        return
    try:
        strange = append_seals(store, summary.tournament, path)
    except OSError as error:
        raise UserError(
            f"the seals can't be written to {path}: {error.strerror}; they are also in the database: 'arena export --db {db} --seals FILE'"
        ) from None
    if strange:
        numbers = ", ".join(map(str, strange))
        print_line(
            f"Warning: {path} has seals of {summary.tournament.name} that the database lacks (number {numbers}): it is an older copy, or "
            "the seals were removed from it; 'arena verify' will fail for anyone who has these seals"
        )


def _show_ending(summary: Summary, spec: Path, db: str) -> None:
    for void in summary.void[:5]:
        print_line(f"match {void.ticket.id} ({', '.join(void.ticket.seats)}) is void: {void.reason}")
    again = f"arena run {spec} --db {db}"
    total = summary.tournament.total
    if summary.blocked is not None:
        print_line(f"Round {summary.blocked + 1} is incomplete; the next round can't be paired.")
    if summary.void:
        print_line(f"{len(summary.void)} matches failed on the host and are not rated; try them again with: {again}")
    elif not summary.is_complete and total is None:
        print_line(f"Stopped after {summary.stored} matches; continue with: {again}")
    elif not summary.is_complete:
        print_line(f"Stopped with {(total or 0) - summary.stored} of {total} matches left; continue with: {again}")
    elif not summary.played:
        print_line(f"All {summary.stored} matches had already been played; nothing was left to play.")
    print_line(f"seal {summary.seal}")
    print_line(f"results {summary.results_digest}")
    print_line(f"ratings {summary.ratings_digest}")
    if summary.is_complete and summary.tournament.secret is not None:
        print_line(f"secret {summary.tournament.secret.secret}")


LINE_SECONDS: Final = 5.0
"""The seconds between two lines of progress if there is no terminal."""
SHOWN_BOTS: Final = 8


def choose_executor(name: ExecutorName, address: str | None, matches: int | None) -> tuple[ExecutorName, str]:
    """Return where to play and a few words on why. ``matches`` is how many are left to play, or None for a run without an end."""
    if address is not None:
        return ExecutorName.RAY, "because of --address"
    if name is not ExecutorName.AUTO:
        return name, "because of --executor"
    if matches is None:
        return ExecutorName.PROCESSES, "since the run has no end"
    if matches > LONG_RUN:
        return ExecutorName.RAY, f"since more than {LONG_RUN:,} matches are left"
    return ExecutorName.PROCESSES, f"Ray is for more than {LONG_RUN:,} matches"


def executor_at(level: Level) -> Executor:
    """Return an executor for a command that has no --executor: at ``Level.NONE`` it plays in this process, else in one process per core."""
    from bots.limits import Level

    return make_executor(ExecutorName.INLINE if level is Level.NONE else ExecutorName.PROCESSES, None, None)


def make_executor(name: ExecutorName, workers: int | None, address: str | None) -> Executor:
    """Return the requested executor, ready to play; ``AUTO`` means processes. Raises HostError."""
    if name is ExecutorName.INLINE:
        from arena.play.executors.base import InlineExecutor

        return InlineExecutor()
    notify = partial(print_line, err=True)
    if name is ExecutorName.RAY or address is not None:
        from arena.play.executors.ray_executor import RayExecutor

        return RayExecutor(workers, address, notify=notify)
    from arena.play.executors.process_executor import ProcessExecutor

    return ProcessExecutor(workers, notify)


class ProgressView:
    """Shows the progress of a run. Use it in a ``with`` statement and call ``show`` repeatedly."""

    def __init__(self, console: Console, name: str, total: int | None, where: str, database: str) -> None:
        self._console = console
        self._began = monotonic()
        self._last_line, self._stored = self._began, -1
        self._is_open = total is None
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            console=console,
            expand=True,
        )
        self._task = self._bar.add_task("matches", total=total, rate="")
        self._live = Live(console=console, refresh_per_second=4, transient=True) if console.is_terminal else None
        matches = f"{total} matches" if total is not None else "an open number of matches"
        console.print(Text(f"{name}: {matches} on {where}, results in {database}"))

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
            self._live.update(self._bar)
        return self

    def __exit__(self, *exception: object) -> None:
        if self._live is not None:
            self._live.stop()

    def print_line(self, sentence: str) -> None:
        """Print a sentence on its own line."""
        self._console.print(Text(sentence), soft_wrap=True)

    def show(self, progress: RunProgress) -> None:
        """Show the progress of the run."""
        now = monotonic()
        rate = progress.played / max(now - self._began, 1e-9)
        if self._live is not None:
            description = f"round {progress.round + 1}" if progress.round else "matches"
            self._bar.update(self._task, description=description, completed=progress.stored, rate=f"{rate:.1f}/s")
            self._live.update(Group(self._bar, _standings(progress)))
        elif now - self._last_line >= LINE_SECONDS and progress.stored != self._stored:  # a ladder may wait for its next round for hours
            self._last_line, self._stored = now, progress.stored
            self._console.print(Text(_line(progress, rate, is_open=self._is_open)))


def _standings(progress: RunProgress) -> Table:
    from leaderboard.ratings.fold import conservative

    table = Table(box=None, pad_edge=False, title="so far", title_justify="left", title_style="dim")
    for header in ("#", "rating", "matches"):
        table.add_column(header, justify="right", style="dim" if header == "#" else None)
    table.add_column("bot", overflow="ellipsis", no_wrap=True)
    for place, rated in enumerate(progress.table[:SHOWN_BOTS], start=1):
        table.add_row(str(place), f"{conservative(rated.mu, rated.sigma):.2f}", str(rated.number), Text(rated.bot))
    if len(progress.table) > SHOWN_BOTS:
        table.add_row("", "", "", Text(f"and {len(progress.table) - SHOWN_BOTS} more", style="dim"))
    return table


def _line(progress: RunProgress, rate: float, *, is_open: bool) -> str:
    if is_open or progress.total is None:
        return f"{progress.stored} matches, round {progress.round + 1}, {rate:.1f}/s"
    left = (progress.total - progress.stored) / rate if rate else 0.0
    return f"{progress.stored}/{progress.total} matches, {rate:.1f}/s, {duration(left)} left"


@contextmanager
def handling(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Inside the block, make Ctrl-C, SIGTERM and, unless it is ignored, SIGHUP call this handler, even if Ray has set other handlers."""
    numbers = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # ignored under nohup
        numbers.append(signal.SIGHUP)
    before = [(number, signal.signal(number, handler)) for number in numbers]
    try:
        yield
    finally:
        for number, earlier in before:
            signal.signal(number, earlier)


class Interrupts:
    """Counts how often Ctrl-C is pressed: the first lets the matches in progress finish, the second stops at once."""

    def __init__(self) -> None:
        self.count = 0

    def is_stopping(self) -> bool:
        """Whether no new match should begin."""
        return self.count > 0

    @contextmanager
    def caught(self) -> Iterator[None]:
        """Listen for Ctrl-C, and for SIGTERM and SIGHUP, which count as a first Ctrl-C."""

        terminals = [stream for stream in (1, 2) if os.isatty(stream)]

        def interrupt(number: int, _frame: object) -> None:
            if number == signal.SIGHUP:
                _discard(terminals)  # the terminals are gone
                if self.count:  # the system and the shell may both send one
                    return
            self.count += 1
            if self.count > 1:
                raise KeyboardInterrupt
            sys.stderr.write("\nFinishing the matches in progress; press Ctrl-C again to stop now.\n" if number == signal.SIGINT else "")

        with handling(interrupt):
            yield


def _discard(streams: Sequence[int]) -> None:
    null = os.open(os.devnull, os.O_WRONLY)
    for each in streams:
        os.dup2(null, each)
    os.close(null)


def play(
    run: Tournament,
    player: Executor,
    out: Console,
    *,
    interrupts: Interrupts,
    find_newcomer: Callable[[BotEntry], BotVersion] | None = None,
    go_on_anyway: bool = False,
    may_begin: Callable[[int], bool] | None = None,
    by_calendar: bool = False,
    why: str = "",
) -> Summary:
    """Play the remaining matches of a run, showing progress (without a total if ``by_calendar``). ``why`` says why the executor is used."""
    from arena.run.runner import run_prepared

    stored = run.stored
    total = None if by_calendar else stored.total
    where = f"{player.description} ({why})" if why else player.description
    view = ProgressView(out, stored.name, total, f"{where}, isolation {run.level}", run.store.name)
    with interrupts.caught(), view:
        return run_prepared(
            run,
            player,
            find_newcomer=find_newcomer,
            is_stopping=interrupts.is_stopping,
            on_progress=view.show,
            notify=view.print_line,
            go_on_anyway=go_on_anyway,
            may_begin=may_begin,
        )
