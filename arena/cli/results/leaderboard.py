"""``arena leaderboard``: show the standings of a tournament."""

from __future__ import annotations

from typing import Annotated

import typer

from arena.cli.options import DEFAULT_DB, DbOption, JsonOption, TournamentOption, open_tournament
from arena.cli.output import UserError, console, print_line, print_text, report_errors


@report_errors
def leaderboard(
    db: DbOption = DEFAULT_DB,
    tournament: TournamentOption = None,
    as_json: JsonOption = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print a Markdown table.")] = False,
    all_bots: Annotated[bool, typer.Option("--all", help="Ladders: also list older versions, and bots that left without playing.")] = False,
) -> None:
    """Print a tournament's leaderboard.

    Bots are sorted by rating, which is TrueSkill's mu minus three sigma; the interval goes up to mu plus three sigma. Swiss tournaments,
    knockouts and finals have their own rules for places. The command also works during a run.

    [dim]arena leaderboard --db quickstart.db --markdown[/dim]
    """
    from arena.cli.output import terminal
    from arena.report.leaderboard_table import (
        blocks_line,
        leaderboard_json,
        leaderboard_table,
        places_line,
        seed_line,
        wins_line,
    )
    from arena.report.table import csv_text, markdown
    from arena.run.results import Standing, count_unrated, older_bots, placed, standings
    from arena.run.status import find_places
    from arena.tournament import Tournament, stored_spec
    from engine.text import counted

    if as_json + as_csv + as_markdown > 1:
        raise UserError("give one of --json, --csv and --markdown, not several")
    with open_tournament(db, tournament) as (store, stored):
        places, conclusion = find_places(store, stored)
        lines = placed(standings(store, stored), places)
        played, unrated = store.count_matches(stored), count_unrated(store, stored)
        blocks = Tournament(store, stored).blocks()
    older = frozenset[str]() if all_bots or as_json or as_csv else older_bots(stored_spec(stored), lines)
    table = leaderboard_table([line for line in lines if line.bot not in older], stored)
    if as_json:
        print_text(leaderboard_json(table, stored, played=played, blocks=blocks, conclusion=conclusion))
    elif as_csv:
        print_text(csv_text(table.records, Standing.__dataclass_fields__), end="")
    elif as_markdown:
        print_text(f"{markdown(table)}\n{seed_line(stored)}")
    else:
        out = console()
        out.print(terminal(table, out.width))
        if older:
            unlisted = counted(len(older), "unlisted bot")
            print_line(f"The places include {unlisted}: older versions of listed bots, and bots that left without playing (see --all).")
        if not places and (note := wins_line(lines)):
            out.print(note)
        out.print(places_line(stored_spec(stored).schedule.format))
        if conclusion:
            out.print(conclusion)
        print_text(seed_line(stored))
        if stored.total is None:
            print_line(f"{played} matches played so far.")
        elif played < stored.total:
            print_line(f"{played} of {stored.total} matches played so far.")
        if unrated:
            print_line(f"The ratings cover {played - unrated} matches; the others have not been rated yet.")
        print_line(blocks_line(*blocks))
        if played:
            print_line("'arena stats' shows Elo, head-to-head results, seats and more.")
