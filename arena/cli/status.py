"""``arena status``: show how far a tournament has come."""

from __future__ import annotations

from arena.cli.support import (
    DEFAULT_DB,
    DatabaseArgument,
    DbOption,
    JsonOption,
    TournamentOption,
    console,
    find_tournament,
    friendly,
    say_lines,
    which_db,
)


@friendly
def status(
    database: DatabaseArgument = None,
    db: DbOption = DEFAULT_DB,
    tournament: TournamentOption = None,
    as_json: JsonOption = False,  # an option
) -> None:
    """Show what has been played, what is left, and how to continue.

    This works during a run, too, and shows its rate and the time left.

    [dim]arena status --db quickstart.db[/dim]
    """
    import json
    from dataclasses import asdict

    from arena.cli.tables import places_table, status_view
    from arena.tournament.status import find_status
    from leaderboard.storage.store import Store

    with Store.read(which_db(database, db)) as store:
        progress, name = find_status(store, find_tournament(store, tournament)), store.name
    if as_json:
        say_lines(json.dumps(asdict(progress) | {"left": progress.left}, indent=2))
        return
    out = console()
    out.print(status_view(progress, name))
    if progress.places:
        out.print(places_table(progress.places, progress.format))
