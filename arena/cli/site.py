"""``arena site``: the competition as files for any web server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.support import UserError, console, friendly, say


@friendly
def site(
    db: Annotated[str, typer.Argument(metavar="DB", help="The database: a file, or a URL.", show_default=False)],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The folder to write to: a new one, or an older site.", show_default=False)],
    replays: Annotated[bool, typer.Option("--replays/--no-replays", help="With replays, or only the results; a replay has 100 kB.")] = True,
    title: Annotated[str, typer.Option("--title", help="What the pages are headed with.")] = "Tile Arena",
) -> None:
    """Write all pages and replays as files, to be put on any web server or opened from the disk.

    [dim]arena site quickstart.db public/[/dim]
    """
    from arena.web.site import SiteError, write_site

    with console(err=True).status("Writing pages ...") as status:
        try:
            number = write_site(db, out, title=title, has_replays=replays, on_file=lambda done: status.update(f"Writing pages: {done}"))
        except SiteError as error:
            raise UserError(str(error)) from None
    say(f"Wrote {number} files; begin at {out / 'index.html'}")
