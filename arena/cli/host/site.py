"""``arena site``: write the competition as files for any web server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.support import UserError, console, friendly, say


@friendly
def site(
    db: Annotated[str, typer.Argument(metavar="DB", help="The database: a file, or a URL.", show_default=False)],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The folder to write: a new one, or an older site.", show_default=False)],
    replays: Annotated[
        bool, typer.Option("--replays/--no-replays", help="Include replays, at about 100 kB each, or only the results.")
    ] = True,
    title: Annotated[str, typer.Option("--title", help="The title of the pages.")] = "Tile Arena",
) -> None:
    """Write all pages and replays as static files, for any web server or for a browser.

    [dim]arena site quickstart.db public/[/dim]
    """
    from arena.web.site import SiteError, write_site

    with console(err=True).status("Writing pages ...") as status:
        try:
            number = write_site(db, out, title=title, has_replays=replays, on_file=lambda done: status.update(f"Writing pages: {done}"))
        except SiteError as error:
            raise UserError(str(error)) from None
    say(f"Wrote {number} files; start at {out / 'index.html'}")
