"""``arena export``: write a tournament for use elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.files import write_file, write_text
from arena.cli.options import DEFAULT_DB, DbOption, TournamentOption, find_tournament
from arena.cli.output import UserError, print_line, report_errors

if TYPE_CHECKING:
    from arena.verification.exporter import Exporter
    from leaderboard.storage.store import Store, StoredTournament


@report_errors
def export(
    db: DbOption = DEFAULT_DB,
    bundle: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a bundle, which 'arena verify' can check.")] = None,
    seals: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the chain of seals.")] = None,
    decisions: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write every decision, for training: a .parquet or .jsonl file.")
    ] = None,
    tournament: TournamentOption = None,
    match: Annotated[str | None, typer.Option(metavar="ID", help="For --decisions: those of this match only.")] = None,
    rows: Annotated[bool, typer.Option("--rows", help="For --decisions: with a row of features for each legal move.")] = False,
    with_bots: Annotated[bool, typer.Option("--with-bots", help="Include the content of the bots in the bundle.")] = False,
) -> None:
    """Export a bundle, the chain of seals, or decisions for training.

    A bundle has everything that verification needs: spec, hashes of bots, results, replays, ratings, seals.
    A file of decisions has a card beside it, FILE.md (docs/environments.md).

    [dim]arena export --db league.db --tournament cup --bundle cup.arena[/dim]
    [dim]arena export --db league.db --decisions league.parquet --rows[/dim]
    [dim]arena export --db postgresql+psycopg://arena@db/league --seals league.seals.jsonl[/dim]
    """
    from arena.verification.exporter import Exporter
    from leaderboard.storage.seal_chain import seal_lines
    from leaderboard.storage.store import Store

    if decisions is None and (match is not None or rows):
        raise UserError(f"{'--rows' if match is None else '--match'} is for decisions; give --decisions FILE, too")
    if [bundle, seals, decisions].count(None) != 2:
        raise UserError("say what to export: one of --bundle FILE, --seals FILE and --decisions FILE")
    if with_bots and bundle is None:
        raise UserError("--with-bots is for a bundle; give --bundle FILE, too")
    if decisions is not None and decisions.suffix not in {".parquet", ".jsonl"}:
        raise UserError(f"--decisions {decisions}: the name of the file has to end with .parquet or .jsonl")
    with Store.read(db) as store, store.snapshot():
        stored = find_tournament(store, tournament)
        if seals is not None:
            lines = seal_lines(store, stored)
            with write_file(seals) as file:
                file.writelines(lines)
            print_line(f"Wrote {seals}: {len(lines)} seals of {stored.name}; verify against them with: arena verify {db} --expect {seals}")
            return
        exporter = Exporter(store, stored)
        if decisions is not None:
            _write_decisions(store, stored, exporter, decisions, match, rows=rows)
            return
        assert bundle is not None
        if bundle.exists() and not (bundle.is_file() or bundle.is_dir()):
            raise UserError(f"{bundle} is not a file, and a bundle is a file; give another name")
        with write_file(bundle, is_private=with_bots) as file:  # results are public, but sources may not be
            content = exporter.write_bundle(Path(file.name), with_bots=with_bots)
        of = "" if stored.total is None else f" of {stored.total}"
        matches = store.count_matches(stored)
        print_line(f"Wrote {bundle}: {matches}{of} matches of {stored.name}; check it with: arena verify {bundle}")
        print_line(f"content {content}")


def _write_decisions(store: Store, stored: StoredTournament, exporter: Exporter, path: Path, match: str | None, *, rows: bool) -> None:
    from arena.environments import MissingPackageError, explained
    from arena.tournament import stored_spec

    game = stored_spec(stored).make_game()
    only = None if match is None else store.find_match(match)
    if only is not None and only.tournament != stored.name:
        raise UserError(f"match {match} is of the tournament {only.tournament}, not of {stored.name}; name that one with --tournament")
    card = path.with_name(f"{path.name}.md")
    if card.exists():
        raise UserError(f"{card}, where the card would go, already exists; give another name, or remove it first")
    try:
        with explained("data"):
            from arena.environments.decisions_export import DecisionSource, write_decisions
        with write_file(path, may_replace=False) as file:
            source = DecisionSource(stored.name, stored.game, game.options, None if only is None else only.id)
            written, text = write_decisions(file, path, exporter, source, rows=rows)
            if not written.matches:
                raise UserError(f"no match of {stored.name} has been played yet, so there are no decisions")
            write_text(card, text)
    except MissingPackageError as error:
        raise UserError(str(error)) from None
    number = sum(written.decisions.values())
    matches = "1 match" if written.matches == 1 else f"{written.matches} matches"
    print_line(f"Wrote {path}: {number} decisions of {matches} of {stored.name}; {card.name} says what is in it")
