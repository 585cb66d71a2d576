"""``arena export``: write a tournament for use elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.files import write_file
from arena.cli.options import DEFAULT_DB, DbOption, TournamentOption, find_tournament
from arena.cli.output import UserError, print_line, report_errors

if TYPE_CHECKING:
    pass


@report_errors
def export(
    db: DbOption = DEFAULT_DB,
    bundle: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a bundle for 'arena verify'.")] = None,
    seals: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the chain of seals.")] = None,
    tournament: TournamentOption = None,
    with_bots: Annotated[bool, typer.Option("--with-bots", help="Also put the content of the bots into the bundle.")] = False,
) -> None:
    """Export a bundle or the chain of seals.

    A bundle contains everything needed for verification: the spec, hashes of the bots, results, replays, ratings and seals.

    [dim]arena export --db league.db --tournament cup --bundle cup.arena[/dim]
    [dim]arena export --db postgresql+psycopg://arena@db/league --seals league.seals.jsonl[/dim]
    """
    from arena.verification.exporter import Exporter
    from leaderboard.storage.seal_chain import seal_lines
    from leaderboard.storage.store import Store

    if (bundle is None) is (seals is None):
        raise UserError("choose what to export: either --bundle FILE or --seals FILE")
    if with_bots and bundle is None:
        raise UserError("--with-bots is for a bundle; leave it out, or give --bundle FILE instead of --seals")
    with Store.read(db) as store, store.snapshot():
        stored = find_tournament(store, tournament)
        if seals is not None:
            lines = seal_lines(store, stored)
            with write_file(seals) as file:
                file.writelines(lines)
            print_line(f"Wrote {seals}: {len(lines)} seals of {stored.name}; verify against them with: arena verify {db} --expect {seals}")
            return
        assert bundle is not None
        if bundle.exists() and not (bundle.is_file() or bundle.is_dir()):
            raise UserError(f"{bundle} exists and is not a file, so no bundle can be written there; give another name")
        with write_file(bundle, is_private=with_bots) as file:  # results are public, but sources may not be
            content = Exporter(store, stored).write_bundle(Path(file.name), with_bots=with_bots)
        of = "" if stored.total is None else f" of {stored.total}"
        matches = store.count_matches(stored)
        print_line(f"Wrote {bundle}: {matches}{of} matches of {stored.name}; check it with: arena verify {bundle}")
        print_line(f"content {content}")
