"""``arena db``: looking after the database itself."""

from __future__ import annotations

import typer

from arena.cli.support import DEFAULT_DB, DatabaseArgument, DbOption, friendly, say, which_db

db_app = typer.Typer(help="Maintain the database.", no_args_is_help=True, rich_markup_mode="rich")


@db_app.command("upgrade")
@friendly
def upgrade(database: DatabaseArgument = None, db: DbOption = DEFAULT_DB) -> None:
    """Bring a database made by an older version of this program up to date; results stay as they are.

    `arena run` does so by itself. Make a copy first: older versions of the program can't read it afterwards.

    [dim]arena db upgrade --db league.db[/dim]
    """
    from leaderboard.storage.database import find_database, upgrade_database

    db = which_db(database, db)
    name = find_database(db).name
    before, after = upgrade_database(db)
    if before == after:
        say(f"{name} is up to date (tables {after}).")
    else:
        say(f"{name} has been upgraded from tables {before} to {after}.")
