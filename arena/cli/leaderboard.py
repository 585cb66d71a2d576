"""``arena leaderboard`` and ``arena matches``: show stored results."""

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
    from arena.analysis.tables import (
        anchors_line,
        blocks_line,
        leaderboard_csv,
        leaderboard_json,
        leaderboard_markdown,
        placed,
        places_line,
        seed_line,
        standings,
    )
    from arena.cli.tables import leaderboard_table
    from arena.tournament.begun_tournament import stored_spec
    from arena.tournament.status import find_blocks, find_places
    from leaderboard.storage.store import Store

    if as_json + as_csv + as_markdown > 1:
        raise UserError("give one of --json, --csv and --markdown, not several")
    with Store.read(which_db(database, db)) as store:
        stored = find_tournament(store, tournament)
        places = find_places(store, stored)
        lines = placed(standings(store, stored), places)
        played = store.count_matches(stored)
        blocks = find_blocks(store, stored)
    if as_json:
        say_lines(leaderboard_json(lines, stored, played=played, blocks=blocks))
    elif as_csv:
        say_lines(leaderboard_csv(lines), end="")
    elif as_markdown:
        say_lines(leaderboard_markdown(lines, stored), end="")
    else:
        out = console()
        out.print(leaderboard_table(lines, stored, out.width))
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


@friendly
def matches(
    database: DatabaseArgument = None,
    db: DbOption = DEFAULT_DB,
    tournament: TournamentOption = None,
    bot: Annotated[str | None, typer.Option("--bot", metavar="NAME", help="Only matches of this bot.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1_000_000, metavar="N", help="How many to list, newest first.")] = 20,
    as_json: JsonOption = False,  # an option
) -> None:
    """List the latest matches; `arena replay MATCH` shows one.

    [dim]arena matches --bot greedy --limit 5[/dim]
    """
    import json
    from dataclasses import asdict

    from arena.cli.tables import matches_table
    from leaderboard.storage.store import Store

    with Store.read(which_db(database, db)) as store:
        stored = find_tournament(store, tournament)
        names = [entrant.name for entrant in stored.entrants]
        if bot is not None and bot not in names:
            raise UserError(f"there is no bot '{bot}' in the tournament '{stored.name}'; there is {', '.join(names)}")
        listed = store.recent_matches(stored, bot=bot, limit=limit)
    if as_json:
        say_lines(json.dumps([asdict(match) for match in listed], indent=2))
    elif listed:
        out = console()
        out.print(matches_table(listed, stored, out.width))
    else:
        say(f"No match of the tournament '{stored.name}' has been played yet.")
