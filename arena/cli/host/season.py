"""``arena season``: run a season according to the calendar in its file, and publish its results (docs/season.md)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.options import (
    DEFAULT_DB,
    DbOption,
    ExecutorName,
    ExecutorOption,
    IsolationOption,
    RequireOption,
    TrustOption,
    WorkersOption,
)
from arena.cli.output import Exit, UserError, console, print_line, report_errors
from arena.cli.run.run import make_executor

if TYPE_CHECKING:
    from arena.run.runner import Summary
    from arena.season.stages import Season
    from arena.spec.spec import Spec
    from arena.tournament import Tournament
    from bots.limits import Level

season_app = typer.Typer(
    help="Run and publish a competition with several stages.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)
NoReplaysOption = Annotated[bool, typer.Option("--no-replays", help="Leave out replays and boards, which take up most of the space.")]
OutOption = Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Where the results are published.")]
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
    go_on_anyway: Annotated[bool, typer.Option("--go-on-anyway", help="Don't pause when most bots fail or become slow.")] = False,
    key: Annotated[Path | None, typer.Option(metavar="FILE", envvar="ARENA_KEY", help="Sign seals with the host key in this file.")] = None,
    out: OutOption = Path("public"),
    no_replays: NoReplaysOption = False,
) -> None:
    """Begin or continue a season, and follow its calendar until its results are published.

    Keep this command running. If it is stopped or killed, or the machine sleeps, the same command catches up.

    [dim]arena season run season.toml --db season.db[/dim]
    """
    from arena.bots import choose_level
    from arena.cli.run.run import Interrupts, find_newcomer, keep_seals, play
    from arena.run.runner import find_finished
    from arena.season.driver import SeasonHost, run_season
    from arena.season.season_file import read_season
    from arena.season.times import MachineClock
    from leaderboard.storage.seal_chain import read_key
    from leaderboard.storage.store import Store

    season = read_season(file)
    signer = None if key is None else read_key(key)
    interrupts, screen, base = Interrupts(), console(), file.parent

    def find_level(spec: Spec) -> Level:
        return choose_level(isolation or spec.isolation, require_isolation)

    def play_stage(run: Tournament, may_begin: Callable[[int], bool]) -> Summary:
        summary = find_finished(run)
        if summary is None:
            player = make_executor(executor, workers, None)
            try:
                find = partial(find_newcomer, run, base, trusted=trust_bots)
                summary = play(
                    run,
                    player,
                    screen,
                    interrupts=interrupts,
                    find_newcomer=find,
                    go_on_anyway=go_on_anyway,
                    may_begin=may_begin,
                    by_calendar=season.stage(run.stored.name).is_ladder,
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
            lambda: _publish(db, out, season, has_replays=not no_replays),
            print_line,
            interrupts.is_stopping,
            trust_bots,
        )
        is_over = run_season(season, store, MachineClock(), host)
    if not is_over:
        print_line(f"Stopped; continue with: arena season run {file} --db {db}")
        raise typer.Exit(Exit.INTERRUPTED)
    print_line(f"The season '{season.name}' is over.")


@season_app.command("extend")
@report_errors
def extend(
    stage: Annotated[str, typer.Argument(metavar="STAGE", help="The tournament, such as summer-qualification.", show_default=False)],
    freeze: Annotated[str, typer.Option(metavar="TIME", help="New deadline (season's zone): '2027-07-05 06:00:00'.", show_default=False)],
    why: Annotated[str, typer.Option(metavar="TEXT", help="The reason, which is published.", show_default=False)],
    db: DbOption = DEFAULT_DB,
) -> None:
    """Give the authors more time: move the submission deadline of a stage that has begun. The new deadline and the reason are sealed.

    [dim]arena season extend summer-practice --freeze "2027-06-27 21:00:00" --why "the server was down" --db season.db[/dim]
    """
    from datetime import datetime

    from arena.season import times
    from arena.season.deadline import extend
    from arena.season.times import read_time
    from leaderboard.storage.store import Store

    def read(season: Season) -> datetime:
        try:
            return read_time(datetime.fromisoformat(freeze), season.zone)
        except ValueError as error:
            raise UserError(f"--freeze: {error}") from None

    with Store.join(db) as store:
        until = extend(store, stage, read, why, times.now())
    print_line(f"Submissions to '{stage}' close on {until}.")


@season_app.command("publish")
@report_errors
def publish(
    out: Annotated[Path, typer.Argument(metavar="FOLDER", help="A new folder to write, or an older site to replace.", show_default=False)],
    db: DbOption = DEFAULT_DB,
    season: Annotated[str | None, typer.Option("--season", metavar="NAME", help="The season; default: the newest.")] = None,
    no_replays: NoReplaysOption = False,
) -> None:
    """Publish what the calendar of a season allows so far: a site, bundles, and a page that explains how to check them.

    'arena season run' does this when the season ends. Results that are still hidden are left out.

    [dim]arena season publish public/ --db season.db[/dim]
    """
    from arena.season.season_file import stored_season
    from leaderboard.storage.store import Store
    from leaderboard.storage.tournaments import seasons

    with Store.read(db) as store:
        stored = seasons(store)
    chosen = next((each for each in stored if season in {None, each.name}), None)
    if chosen is None:
        there = ", ".join(each.name for each in stored) or "none"
        raise UserError(f"there is no season{f' {season!r}' if season else ''} in {db}; its seasons: {there}")
    _publish(db, out, stored_season(chosen), has_replays=not no_replays)


def _publish(db: str, out: Path, season: Season, *, has_replays: bool) -> None:
    from arena.season import times
    from arena.web.static_site import publish_season

    bundles = publish_season(db, out, season, times.now, has_replays=has_replays)
    print_line(f"Published in {out}; the results are in {out / 'season' / f'{season.name}.html'}.")
    for name in bundles:
        print_line(f"Anyone can check it with: arena verify {out / 'bundles' / f'{name}.arena'}")
