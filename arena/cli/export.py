"""``arena export``: write a tournament for use elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.support import JsonOption, TournamentOption, UserError, find_tournament, friendly, say, write_file


@friendly
def export(
    db: Annotated[str, typer.Argument(metavar="FILE|URL", help="The database.", show_default=False)],
    bundle: Annotated[Path | None, typer.Option("--bundle", metavar="FILE", help="Write a bundle, which 'arena verify' can check.")] = None,
    seals: Annotated[Path | None, typer.Option("--seals", metavar="FILE", help="Write the chain of seals.")] = None,
    tournament: TournamentOption = None,
    with_bots: Annotated[bool, typer.Option("--with-bots", help="Include the content of the bots in the bundle.")] = False,
    as_json: JsonOption = False,  # an option
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV, one line per seat.")] = False,
) -> None:
    """Export a tournament as a bundle, its seals as a file, or its results as JSON or CSV.

    A bundle has everything that verification needs: spec, hashes of bots, results, replays, ratings, seals.
    The same database gives the same bytes.

    [dim]arena export league.db --tournament cup --bundle cup.zip[/dim]
    [dim]arena export league.db --csv > results.csv[/dim]
    [dim]arena export postgresql+psycopg://arena@db/league --seals league.seals.jsonl[/dim]
    """
    import json

    from arena.verification.export import Exporter
    from arena.verification.seals_file import seal_lines
    from leaderboard.storage.store import Store

    if [bundle is not None, seals is not None, as_json, as_csv].count(True) != 1:
        raise UserError("say what to export: one of --bundle FILE, --seals FILE, --json and --csv")
    if with_bots and bundle is None:
        raise UserError("--with-bots is for a bundle; give --bundle FILE, too")
    with Store.read(db) as store:
        stored = find_tournament(store, tournament)
        if seals is not None:
            lines = seal_lines(store, stored)
            with write_file(seals) as file:
                file.writelines(lines)
            say(f"Wrote {seals}: {len(lines)} seals of {stored.name}; expect them with: arena verify {db} --expect {seals}")
            return
        exporter = Exporter(store, stored)
        if bundle is not None:
            with write_file(bundle, is_private=with_bots) as file:  # results are public, sources need not be
                matches = exporter.write_bundle(file, with_bots=with_bots)
            of = "" if stored.total is None else f" of {stored.total}"
            say(f"Wrote {bundle}: {matches}{of} matches of {stored.name}; check it with: arena verify {bundle}")
            return
        for line in exporter.json_lines() if as_json else exporter.csv_lines():
            say(line if as_csv or line.isprintable() else json.dumps(json.loads(line)))  # escaped as JSON does it
