"""``arena key`` and ``arena secret``: generate and show the keys that sign seals, and the secrets that decks are derived from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.output import print_line, report_errors

KeyFile = Annotated[Path, typer.Argument(metavar="FILE", help="The key's file, created if it does not exist.", show_default=False)]
SecretFile = Annotated[Path, typer.Argument(metavar="FILE", help="The secret's file, created if it does not exist.", show_default=False)]


@report_errors
def key(path: KeyFile) -> None:
    """Generate the key that signs seals, or show its public key.

    The key is in FILE, which only its owner may read. Publish the public key once; `arena run --key FILE` signs seals with the key.

    [dim]arena key host.key[/dim]
    """
    from leaderboard.storage.seal_chain import make_key, read_key

    print_line((read_key(path) if path.exists() else make_key(path)).public)


@report_errors
def secret(path: SecretFile) -> None:
    """Generate the secret behind all decks, or show its commitment.

    Publish the commitment before bots are submitted; the tournament file names the secret with secret = "FILE". Anyone who reads the file
    can compute every deck. If the file already exists, only its commitment is printed.

    [dim]arena secret cup.secret[/dim]
    """
    from arena.spec.secret import commitment_of, read_secret_file, write_secret_file

    if path.exists():
        print_line(f"commit {commitment_of(read_secret_file(path))}")
        return
    commitment = write_secret_file(path)
    print_line(f"Wrote {path}; keep it to yourself until the tournament is over.")
    print_line(f"commit {commitment}")
