"""``arena stats``: statistics of bots and seats from stored results, as tables, CSV files and pictures."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.errors import UserError, report_errors
from arena.cli.files import write_text
from arena.cli.options import (
    DEFAULT_DB,
    DatabaseArgument,
    DbOption,
    JsonOption,
    TournamentOption,
    choose_database,
    find_tournament,
    open_tournament,
)
from arena.cli.output import console, print_line, print_text, print_warning

if TYPE_CHECKING:
    from arena.analysis.statistics import LessLuck, Section, Statistics
    from arena.report.table import Table
    from leaderboard.storage.store import Store, StoredTournament

FORMATS = ("png", "svg", "both")


@report_errors
def stats(
    database: DatabaseArgument = None,
    db: DbOption = DEFAULT_DB,
    tournament: TournamentOption = None,
    section: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Only this section: standings, head-to-head, balance, seats, places, margins, play, faults or history; may be repeated.",
        ),
    ] = None,
    as_json: JsonOption = False,  # an option
    over: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Standings over several tournaments, each with the same weight: give --over for each of them."),
    ] = None,
    adjusted: Annotated[
        bool,
        typer.Option(
            "--adjusted",
            help="Also show strengths and shares adjusted for the luck of draws and dice; the first time this replays all matches.",
        ),
    ] = False,
    csv: Annotated[Path | None, typer.Option(metavar="DIR", help="Also write each section as CSV to this folder.")] = None,
    plots: Annotated[Path | None, typer.Option(metavar="DIR", help="Also draw pictures in this folder.")] = None,
    plot_format: Annotated[str, typer.Option("--format", metavar="KIND", help="Format of the pictures: png, svg or both.")] = "both",
) -> None:
    """Print strengths with intervals, head-to-head results, seats, places, margins, time, memory and faults.

    The unit is the block: one line-up played in a balanced set of seatings. docs/ratings.md explains each figure.

    [dim]arena stats --db quickstart.db --plots pictures[/dim]
    [dim]arena stats --db out/demo.db --over tongiaki --over sunda[/dim]
    """
    from arena.analysis.statistics import Section, gather
    from arena.report.statistics_tables import adjusted_tables, section_table, statistics_json

    if plot_format not in FORMATS:
        raise UserError(f"--format {plot_format}: there is {', '.join(FORMATS)}")
    if plots is not None and find_spec("matplotlib") is None:
        raise UserError("matplotlib is needed to draw pictures: pip install 'tile-arena[plots]'")
    if over:
        if tournament is not None or section or adjusted or plots is not None:
            raise UserError("--over can't be combined with --tournament, --section, --adjusted or --plots")
        _over(choose_database(database, db), over, as_json, csv)
        return
    sections = _sections(section)
    wanted = list(Section) if plots is not None else sections
    with open_tournament(database, db, tournament) as (store, chosen):
        for folder in (csv, plots):
            if folder is not None:
                _make_folder(folder)
        statistics = gather(store, chosen, wanted)
        less_luck = _adjust_stored(store, chosen) if adjusted else None
    tables = [section_table(statistics, each) for each in sections]
    if less_luck is not None:
        tables += adjusted_tables(less_luck, statistics.strengths)
    if as_json:
        without = {} if less_luck is None else {"adjusted-without": less_luck.adjustment.without}
        print_text(statistics_json(statistics, *tables, without))
    else:
        _show(statistics, tables)
    if csv is not None:
        _write_csv(tables, csv)
    if plots is not None:
        _draw(statistics, plots, ("png", "svg") if plot_format == "both" else (plot_format,))


def _over(database: str, names: list[str], as_json: bool, csv: Path | None) -> None:
    """Print the standings over tournaments of one database."""
    from arena.analysis.statistics import gather_over
    from arena.report.statistics_tables import over_games_table
    from arena.report.table import json_text
    from arena.report.terminal import terminal
    from leaderboard.storage.store import Store

    if len(set(names)) < max(2, len(names)):
        raise UserError("--over needs the names of two or more tournaments, each once: --over NAME --over OTHER")
    with Store.read(database) as store:
        tournaments = [find_tournament(store, name) for name in names]
        try:
            standings = gather_over(store, tournaments)
        except ValueError as error:
            raise UserError(f"{error}: {', '.join(names)}") from None
    table = over_games_table(standings)
    if as_json:
        print_text(json_text({"tournaments": names}, table))
    else:
        out = console()
        out.print(terminal(table, out.width))
    if csv is not None:
        _make_folder(csv)
        _write_csv([table], csv)


def _sections(given: list[str] | None) -> list[Section]:
    """Return the requested sections, in their usual order; all of them by default."""
    from arena.analysis.statistics import Section

    names = [each.value for each in Section]
    for name in given or []:
        if name not in names:
            raise UserError(f"there is no section '{name}'; the sections are {', '.join(names)}")
    return [each for each in Section if not given or each.value in given]


def _show(statistics: Statistics, tables: list[Table]) -> None:
    from rich.text import Text

    from arena.report.leaderboard_table import seed_line
    from arena.report.terminal import terminal

    out = console()
    played, total = statistics.played, statistics.tournament.total
    so_far = f"{played} of {total}" if total is not None and played < total else str(played)
    out.print(Text(f"{statistics.tournament.name} ({statistics.tournament.game}): {so_far} matches, {statistics.complete} complete blocks"))
    out.print(Text(seed_line(statistics.tournament), style="dim"))
    if not played:
        out.print(Text("No match has been played yet."))
        return
    for table in tables:
        out.print()
        out.print(terminal(table, out.width))


def _write_csv(tables: list[Table], folder: Path) -> None:
    from arena.report.table import csv_text

    for table in tables:
        write_text(folder / f"{table.name}.csv", csv_text(table.records))
    print_line(f"{len(tables)} CSV files in {folder}", err=True)


def _draw(statistics: Statistics, folder: Path, formats: tuple[str, ...]) -> None:
    from leaderboard.statistics.plots import draw, head_to_head_plot, history_plot, seats_plot, standings_plot

    name = statistics.tournament.name
    drawn = {}
    if statistics.played:
        drawn["standings"] = standings_plot(statistics.strengths, name, statistics.complete)
    if statistics.head_to_head:
        drawn["head-to-head"] = head_to_head_plot([line.bot for line in statistics.standings], statistics.head_to_head, name)
    if statistics.seats:
        drawn["seats"] = seats_plot(statistics.seats, name)
    if statistics.history:
        drawn["history"] = history_plot(statistics.history, name)
    for name, figure in drawn.items():
        for kind in formats:
            try:
                (folder / f"{name}.{kind}").write_bytes(draw(figure, kind))
            except OSError as error:
                raise UserError(f"{folder / name}.{kind} can't be written: {error.strerror}") from None
    print_line(f"pictures in {folder}: {', '.join(drawn) or 'none, since there is nothing to show yet'}", err=True)


def _make_folder(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is a file; give a folder to write into")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"the folder {folder} can't be created: {error.strerror}") from None


def _adjust_stored(store: Store, tournament: StoredTournament) -> LessLuck:
    """Return the adjusted results of a tournament. Raises NoLuckError for a game without a value function, StoreError and SpecError."""
    from arena.analysis.luck_pool import LuckPool
    from arena.analysis.statistics import adjust_tournament
    from arena.cli.results.analyse import progress
    from arena.result_cache import open_cache
    from arena.spec.spec import make_stored_spec

    game = make_stored_spec(tournament.spec, store.name).make_game()
    cache = open_cache()
    with LuckPool(game, cache) as pool, progress("matches") as report:
        results = adjust_tournament(store, tournament, pool, report or _ProgressLines().show)
    if cache.trouble:
        print_warning(cache.trouble)
    return results


class _ProgressLines:
    """Prints the number of finished matches every few seconds, where there is no terminal."""

    def __init__(self) -> None:
        self._last = monotonic()

    def show(self, done: int, total: int) -> None:
        """Print a line, unless the last one is recent."""
        from arena.cli.run.progress import LINE_SECONDS

        now = monotonic()
        if now - self._last >= LINE_SECONDS:
            self._last = now
            print_line(f"luck of {done} of {total} matches", err=True)
