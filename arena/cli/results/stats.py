"""``arena stats``: statistics of bots and seats from stored results, as tables and CSV files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.files import write_text
from arena.cli.options import (
    DEFAULT_DB,
    DbOption,
    JsonOption,
    TournamentOption,
    open_tournament,
)
from arena.cli.output import UserError, console, print_line, print_text, print_warning, report_errors

if TYPE_CHECKING:
    from arena.analysis.statistics import LessLuck, Section, Statistics
    from arena.report.table import Table
    from leaderboard.storage.store import Store, StoredTournament


@report_errors
def stats(
    db: DbOption = DEFAULT_DB,
    tournament: TournamentOption = None,
    section: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Only this section: standings, head-to-head, seats, play or faults; may be repeated.",
        ),
    ] = None,
    as_json: JsonOption = False,
    adjusted: Annotated[
        bool,
        typer.Option(
            "--adjusted",
            help="Also show Elo and shares of wins, adjusted for the luck of draws and dice; the first time, this replays all matches.",
        ),
    ] = False,
    csv: Annotated[Path | None, typer.Option(metavar="DIR", help="Also write each section as CSV to this folder.")] = None,
) -> None:
    """Print ratings, Elo, head-to-head results, seats, time and faults.

    Each block (a line-up that plays a balanced set of seatings) counts as one observation. docs/ratings.md explains each figure.

    [dim]arena stats --db quickstart.db --section seats[/dim]
    """
    from arena.analysis.statistics import gather
    from arena.report.statistics_tables import adjusted_tables, section_table, statistics_json

    sections = _sections(section)
    with open_tournament(db, tournament) as (store, chosen):
        if csv is not None:
            _make_folder(csv)
        statistics = gather(store, chosen, sections)
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


def _sections(given: list[str] | None) -> list[Section]:
    from arena.analysis.statistics import Section

    names = [each.value for each in Section]
    for name in given or []:
        if name not in names:
            raise UserError(f"there is no section '{name}'; the sections are {', '.join(names)}")
    return [each for each in Section if not given or each.value in given]


def _show(statistics: Statistics, tables: list[Table]) -> None:
    from rich.text import Text

    from arena.cli.output import terminal
    from arena.report.leaderboard_table import seed_line

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
    print_line(f"Wrote {len(tables)} CSV files to {folder}", err=True)


def _make_folder(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is a file; give a folder to write into")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"the folder {folder} can't be created: {error.strerror}") from None


def _adjust_stored(store: Store, tournament: StoredTournament) -> LessLuck:
    from arena.analysis.match_luck import KeptLuck
    from arena.analysis.statistics import adjust_tournament
    from arena.cli.results.analyse import progress
    from arena.result_cache import open_cache
    from arena.spec.spec import make_stored_spec

    game = make_stored_spec(tournament.spec, store.name).make_game()
    cache = open_cache()
    kept = KeptLuck(game, cache)
    with progress("matches") as report:
        results = adjust_tournament(store, tournament, kept, report)
    if cache.trouble:
        print_warning(cache.trouble)
    return results
