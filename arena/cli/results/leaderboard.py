"""``arena leaderboard``: show where the bots of a tournament stand."""

from __future__ import annotations

from typing import Annotated

import typer

from arena.cli.support import (
    DEFAULT_DB,
    DatabaseArgument,
    DbOption,
    JsonOption,
    TournamentOption,
    UserError,
    console,
    find_tournament,
    friendly,
    say,
    say_lines,
    which_db,
)


@friendly
def leaderboard(
    database: DatabaseArgument = None,
    db: DbOption = DEFAULT_DB,
    tournament: TournamentOption = None,
    as_json: JsonOption = False,  # an option
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,  # an option
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print a Markdown table.")] = False,  # an option
) -> None:
    """Print a tournament's leaderboard: TrueSkill, wins, ranks, scores and faults.

    Bots are sorted by score, mu minus three sigma; in a Swiss and a knockout by the format's own places. This works during a run, too.

    [dim]arena leaderboard --db quickstart.db --markdown[/dim]
    """
    from arena.analysis.standings import Standing, placed, standings
    from arena.entries.stored_tournament import stored_spec
    from arena.report.leaderboard_table import anchors_line, blocks_line, leaderboard_json, leaderboard_table, places_line, seed_line
    from arena.report.table import csv_text, markdown
    from arena.report.terminal import terminal
    from arena.run.status import find_blocks, find_places
    from leaderboard.storage.store import Store

    if as_json + as_csv + as_markdown > 1:
        raise UserError("give one of --json, --csv and --markdown, not several")
    with Store.read(which_db(database, db)) as store:
        stored = find_tournament(store, tournament)
        places = find_places(store, stored)
        lines = placed(standings(store, stored), places)
        played = store.count_matches(stored)
        blocks = find_blocks(store, stored)
    table = leaderboard_table(lines, stored)
    if as_json:
        say_lines(leaderboard_json(table, stored, played=played, blocks=blocks))
    elif as_csv:
        say_lines(csv_text(table.records, Standing.__dataclass_fields__), end="")
    elif as_markdown:
        say_lines(f"{markdown(table)}\n{seed_line(stored)}")
    else:
        out = console()
        out.print(terminal(table, out.width))
        if note := anchors_line(lines):
            say(note)
        if places and (rule := places_line(stored_spec(stored).schedule.format)):
            say(rule)
        say_lines(seed_line(stored))
        if stored.total is None:
            say(f"{played} matches played so far.")
        elif played < stored.total:
            say(f"{played} of {stored.total} matches played so far.")
        say(blocks_line(*blocks))
        if played:
            say("'arena stats' has intervals, possible ranks, head-to-head, seats and more.")
