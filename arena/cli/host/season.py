"""``arena season``: run a season by the calendar in its file, rehearse it, and publish its results (docs/season.md)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.errors import Exit, report_errors
from arena.cli.options import (
    DEFAULT_DB,
    DbOption,
    ExecutorName,
    ExecutorOption,
    IsolationOption,
    RequireOption,
    TrustOption,
    WorkersOption,
    make_executor,
)
from arena.cli.output import console, print_line

if TYPE_CHECKING:
    from arena.run.prepare import PreparedRun
    from arena.run.runner import Summary
    from arena.spec.spec import Spec
    from bots.sandbox.levels import Level

season_app = typer.Typer(
    help="Run a competition of several stages by the calendar in one file.", no_args_is_help=True, rich_markup_mode="rich"
)
FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="The season's TOML file.", show_default=False)]


@season_app.command("run")
@report_errors
def run(
    file: FileArgument,
    db: DbOption = DEFAULT_DB,
    workers: WorkersOption = None,
    executor: ExecutorOption = ExecutorName.PROCESSES,
    isolation: IsolationOption = None,
    require_isolation: RequireOption = None,
    trust_bots: TrustOption = False,
    go_on_anyway: Annotated[
        bool, typer.Option("--go-on-anyway", help="Don't pause when most bots fail, or all become slow.")
    ] = False,  # an option
    key: Annotated[Path | None, typer.Option(metavar="FILE", envvar="ARENA_KEY", help="Sign seals with the host key in this file.")] = None,
) -> None:
    """Begin a season, or continue it, and do what its calendar says until its results are published.

    Keep it running; if it was stopped or killed, or the machine slept, the same command does what was missed.

    [dim]arena season run season.toml --db season.db[/dim]
    """
    from arena.cli.run.progress import Interrupts, play
    from arena.cli.run.run import find_newcomer, keep_seals
    from arena.play.isolation import choose_level
    from arena.run.runner import find_finished
    from arena.season.clock import MachineClock
    from arena.season.driver import SeasonHost, run_season
    from arena.season.season_file import read_season
    from leaderboard.seals.signing import read_key
    from leaderboard.storage.store import Store

    season = read_season(file)
    signer = None if key is None else read_key(key)
    interrupts, out, base = Interrupts(), console(), file.parent

    def find_level(spec: Spec) -> Level:
        return choose_level(isolation or spec.isolation, require_isolation)

    def play_stage(run: PreparedRun, may_begin: Callable[[int], bool]) -> Summary:
        summary = find_finished(run)
        if summary is None:
            player = make_executor(executor, workers, None)
            try:
                find = partial(find_newcomer, run, base, trusted=trust_bots)
                summary = play(
                    run, player, out, interrupts=interrupts, find_newcomer=find, go_on_anyway=go_on_anyway, may_begin=may_begin
                )
            finally:
                player.close()
        keep_seals(summary, store, db)
        return summary

    with Store.create(db) as store, interrupts.caught():
        store.signer = signer
        host = SeasonHost(
            base,
            find_level,
            play_stage,
            lambda: None,
            print_line,
            interrupts.is_stopping,
            trust_bots,
        )
        is_over = run_season(season, store, MachineClock(), host)
    if not is_over:
        print_line(f"Stopped; continue with: arena season run {file} --db {db}")
        raise typer.Exit(Exit.INTERRUPTED)
    print_line(f"The season '{season.name}' is over.")
