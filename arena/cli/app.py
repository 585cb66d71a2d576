"""The program ``arena``: its list of commands, each of which has a module beside this one."""

from __future__ import annotations

import atexit
import gc
import io
import os
import sys
import traceback
from types import TracebackType
from typing import Annotated, Final

import typer

from arena.cli import (
    calibrate,
    compare,
    db,
    doctor,
    export,
    faults,
    game,
    key,
    leaderboard,
    luck,
    match,
    perft,
    play,
    replay,
    run,
    secret,
    serve,
    site,
    stats,
    status,
    token,
    verify,
)
from arena.cli.bots import check, listing, submissions
from arena.cli.sunda_puzzle import puzzle_app
from arena.cli.support import Exit, complain, renamed
from arena.version import __version__

app = typer.Typer(
    help="Run, resume, rate and replay tournaments of bots for seeded tile-laying board games.",
    epilog="Start with: arena new my_bot.py, then arena match my_bot.py greedy random --game NAME --seed 7",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
app.command("run")(run.run)
app.command("match")(match.match)
app.command("play")(play.play)
app.command("compare")(compare.compare)
app.command("calibrate")(calibrate.calibrate)
app.command("ladder", hidden=True)(renamed(calibrate.calibrate, "arena ladder", "arena calibrate"))
app.command("luck")(luck.luck)
app.command("new")(listing.new)
app.command("replay")(replay.replay)
app.command("status")(status.status)
app.command("leaderboard")(leaderboard.leaderboard)
app.command("stats")(stats.stats)
app.command("matches")(leaderboard.matches)
app.command("verify")(verify.verify)
app.command("export")(export.export)
app.command("faults")(faults.faults)
app.command("log")(faults.log)
bots_app = typer.Typer(invoke_without_command=True, rich_markup_mode="rich")
bots_app.callback()(listing.bots)
bots_app.command("check")(check.check)
bots_app.command("submit")(submissions.submit)
bots_app.command("list")(submissions.list_)
bots_app.command("show")(submissions.show)
bots_app.command("retire")(submissions.retire)
app.add_typer(bots_app, name="bots")
game_app = typer.Typer(help="List and check the games that are installed.", no_args_is_help=True, rich_markup_mode="rich")
game_app.command("list")(game.list_)
game_app.command("check")(game.check)
app.add_typer(game_app, name="game")
db_app = typer.Typer(help="Maintain the database.", no_args_is_help=True, rich_markup_mode="rich")
db_app.command("upgrade")(db.upgrade)
app.add_typer(db_app, name="db")
key_app = typer.Typer(help="Make and show the keys that sign seals.", no_args_is_help=True, rich_markup_mode="rich")
key_app.command("new")(key.new)
key_app.command("show")(key.show)
app.add_typer(key_app, name="key")
app.add_typer(puzzle_app, name="puzzle")
token_app = typer.Typer(help="Manage the tokens that contestants submit bots with.", no_args_is_help=True, rich_markup_mode="rich")
token_app.command("new")(token.new)
token_app.command("list")(token.list_)
token_app.command("revoke")(token.revoke)
app.add_typer(token_app, name="token")
secret_app = typer.Typer(
    help="Make and show the secrets that tournaments derive their decks from.", no_args_is_help=True, rich_markup_mode="rich"
)
secret_app.command("new")(secret.new)
secret_app.command("show")(secret.show)
app.add_typer(secret_app, name="secret")
app.command("serve")(serve.serve)
app.command("site")(site.site)
app.command("perft")(perft.perft)
app.command("doctor")(doctor.doctor)


def _print_version(wanted: bool) -> None:  # as Typer calls it
    if wanted:
        typer.echo(f"arena {__version__}")  # noqa: TID251  # our own number, and no need of the engine that cleans
        raise typer.Exit


@app.callback()
def arena(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,  # an option
) -> None:
    """Run, resume, rate and replay tournaments of bots for seeded tile-laying board games."""


NEW_OBJECTS: Final = 100_000
"""New objects that set off a garbage collection; with Python's default of 700, collections take a tenth of the time to start."""


def _tell_of_a_bug(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print a traceback, cleaned, since it may quote text of bots and authors."""
    from engine.text import plain_lines

    sys.stderr.write(plain_lines("".join(traceback.format_exception(kind, error, trace))))


def main() -> None:
    """Run the program."""
    sys.excepthook = _tell_of_a_bug
    gc.set_threshold(NEW_OBJECTS)
    atexit.register(gc.freeze)  # no last collection at exit, which took a fifth of a short command's time
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character gets a '?', not a traceback
    try:
        app(prog_name="arena")
    except OSError as error:
        complain(f"{error.filename or 'the output'} can't be used: {error.strerror}")
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is still to be written would fail again at exit
        sys.exit(Exit.FAILED)
