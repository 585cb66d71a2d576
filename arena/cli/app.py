"""The program ``arena`` and the list of its commands. A command's module is imported only when that command runs."""

from __future__ import annotations

import io
import os
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from importlib import import_module
from types import TracebackType
from typing import Annotated, Any, Final, NamedTuple, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

from arena.version import __version__


class ListedCommand(NamedTuple):
    """A command in the program's help: its panel and summary there, and the ``place`` of its function or group (``module:name``)."""

    place: str
    panel: str
    summary: str


_BOTS: Final = "Write a bot"
_PLAY: Final = "Play and watch"
_RUN: Final = "Run a tournament"
_RESULTS: Final = "See the results"
_VERIFY: Final = "Publish and verify"
_HOST: Final = "Host a competition"

COMMANDS: Final[Mapping[str, ListedCommand]] = {
    "new": ListedCommand("arena.cli.bots.listing:new", _BOTS, "Write a working bot to start from, or a small tournament."),
    "match": ListedCommand("arena.cli.play.match:match", _BOTS, "Play one match and show how it went."),
    "compare": ListedCommand("arena.cli.results.compare:compare", _BOTS, "Play NEW against OLD until it is clear whether NEW is better."),
    "rate": ListedCommand("arena.cli.results.rate:rate", _BOTS, "Rate a bot with a gauntlet against the reference bots."),
    "bots": ListedCommand("arena.cli.bots.submissions:bots_app", _BOTS, "List, check, submit and manage bots."),
    "play": ListedCommand("arena.cli.play.match:play", _PLAY, "Play against bots in the terminal."),
    "replay": ListedCommand("arena.cli.play.replay:replay", _PLAY, "Walk through a match, draw a position, or verify replays."),
    "analyse": ListedCommand("arena.cli.results.analyse:analyse", _PLAY, "Explain why a match was won: key moments, luck and decisions."),
    "puzzle": ListedCommand("arena.cli.play.sunda_puzzle:puzzle_app", _PLAY, "Create, draw, solve and check Sunda to Sahul puzzles."),
    "game": ListedCommand("arena.cli.play.game:game_app", _PLAY, "List and check the installed games."),
    "perft": ListedCommand("arena.cli.play.game:perft", _PLAY, "Count the sequences of D legal moves from the start of a game."),
    "run": ListedCommand("arena.cli.run.run:run", _RUN, "Play a tournament, or continue one that was stopped."),
    "status": ListedCommand("arena.cli.run.status:status", _RUN, "Show what has been played, what is left, and how to continue."),
    "ladder": ListedCommand("arena.cli.run.ladder:ladder_app", _RUN, "Control a ladder with sealed orders, even while it runs."),
    "leaderboard": ListedCommand("arena.cli.results.leaderboard:leaderboard", _RESULTS, "Print a tournament's leaderboard."),
    "stats": ListedCommand("arena.cli.results.stats:stats", _RESULTS, "Print ratings, Elo, head-to-head results, seats, time and faults."),
    "matches": ListedCommand("arena.cli.results.match_list:matches", _RESULTS, "List the latest matches; 'arena replay MATCH' shows one."),
    "faults": ListedCommand("arena.cli.results.faults:faults", _RESULTS, "List the causes of faults, newest first, with their counts."),
    "log": ListedCommand("arena.cli.results.faults:log", _RESULTS, "Show a bot's log, times and traceback from a match."),
    "verify": ListedCommand("arena.cli.verify.verify:verify", _VERIFY, "Replay every match, recompute every rating, list disagreements."),
    "export": ListedCommand("arena.cli.verify.export:export", _VERIFY, "Export a bundle or the chain of seals."),
    "secret": ListedCommand("arena.cli.verify.secrets:secret", _VERIFY, "Generate the secret behind all decks, or show its commitment."),
    "key": ListedCommand("arena.cli.verify.secrets:key", _VERIFY, "Generate the key that signs seals, or show its public key."),
    "site": ListedCommand("arena.cli.host.serve:site", _VERIFY, "Write all pages and replays as static files."),
    "serve": ListedCommand("arena.cli.host.serve:serve", _HOST, "Serve leaderboards, matches, replays and tables as web pages."),
    "season": ListedCommand("arena.cli.host.season:season_app", _HOST, "Run and publish a competition with several stages."),
    "people": ListedCommand("arena.cli.host.people:people_app", _HOST, "Manage authors: give them personal links, or delete them."),
    "doctor": ListedCommand("arena.cli.host.doctor:doctor", _HOST, "Check this machine: Python, engine, storage, Ray, isolation."),
}


class _Commands(Mapping[str, "TyperCommand | TyperGroup"]):
    """The commands by name; each is imported on first use."""

    def __init__(self) -> None:
        self._loaded: dict[str, TyperCommand | TyperGroup] = {}

    def __getitem__(self, name: str) -> TyperCommand | TyperGroup:
        if name not in self._loaded:
            self._loaded[name] = _load(name, COMMANDS[name])
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


def _load(name: str, listed: ListedCommand) -> TyperCommand | TyperGroup:
    module, _, attribute = listed.place.partition(":")
    target = getattr(import_module(module), attribute)
    if isinstance(target, typer.Typer):
        group = get_group(target)
        group.name = name
        return group
    alone = typer.Typer(add_completion=False, rich_markup_mode="rich")
    alone.command(name)(target)
    command = get_command(alone)
    assert isinstance(command, TyperCommand)
    return command


_WORDS: Final = {
    "Input should be a valid integer, unable to parse string as an integer": "it should be a whole number",
    "Input should be a valid number, unable to parse string as a number": "it should be a number",
    "Input should be greater than or equal to": "it should be at least",
    "Input should be less than or equal to": "it should be at most",
    "Input should be": "it should be",
    "Unable to parse input string as an integer, exceeded maximum size": "it has too many digits",
    "Value error, ": "",
}
"""Maps the messages of Pydantic, with which Typer parses numbers, to this program's own."""


class CommandList(TyperGroup):
    """The group of all commands. Its help shows the summaries in ``COMMANDS``."""

    def __init__(self, **attributes: Any) -> None:  # whatever Typer passes
        super().__init__(**attributes | {"commands": _Commands()})

    def make_context(self, *given: Any, **more: Any) -> Any:  # Typer's signature
        """Read the program's own arguments; report mistakes in one sentence."""
        with _in_one_sentence():
            return super().make_context(*given, **more)

    def invoke(self, ctx: Any) -> Any:  # Typer's signature
        """Run a command; report mistakes in its arguments in one sentence."""
        with _in_one_sentence():
            return super().invoke(ctx)

    def format_help(self, *context: Any) -> None:
        """Write the help as Typer does, without importing a command."""
        shown = copy(self)
        shown.commands = {name: TyperCommand(name, help=each.summary, rich_help_panel=each.panel) for name, each in COMMANDS.items()}
        super(CommandList, shown).format_help(*context)


@contextmanager
def _in_one_sentence() -> Iterator[None]:
    """Report wrong arguments in one sentence, like any other error."""
    try:
        yield
    except typer.TyperException as error:
        from arena.cli.output import Exit, print_error

        sentence, context = error.format_message().rstrip("."), getattr(error, "ctx", None)
        if error.exit_code != Exit.WRONG_INPUT or "\n" in sentence:  # the help of a group without a command
            raise
        for theirs, ours in _WORDS.items():
            sentence = sentence.replace(theirs, ours)
        print_error(f"{sentence[:1].lower()}{sentence[1:]}; see '{context.command_path if context else 'arena'} --help'")
        raise typer.Exit(Exit.WRONG_INPUT) from None


app = typer.Typer(
    cls=CommandList,
    help="Run, resume, rate and replay tournaments of bots for seeded tile-laying board games.",
    epilog="Start with: arena new my_bot.py, then arena match my_bot.py greedy random --game NAME --seed 7",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:  # Typer's signature
    if wanted:
        typer.echo(f"arena {__version__}")  # noqa: TID251  # a version needs no cleaning, so the engine is not imported
        raise typer.Exit


@app.callback()
def arena(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Run, resume, rate and replay tournaments of bots for seeded tile-laying board games."""


def _print_traceback(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print a traceback with unprintable characters escaped, since it may quote text from bots and authors."""
    from engine.text import plain_lines

    sys.stderr.write(plain_lines("".join(traceback.format_exception(kind, error, trace))))


def main() -> None:
    """Run the program."""
    sys.excepthook = _print_traceback
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character gets a '?', not a traceback
    try:
        try:
            app(prog_name="arena")
        finally:
            sys.stdout.flush()  # here, where an error can be reported; at exit it would be a traceback
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # Click and Rich end the program this way while they print help
            _leave_silently()
        raise
    except BrokenPipeError:
        _leave_silently()
    except OSError as error:
        from arena.cli.output import Exit, print_error

        print_error(f"{error.filename or 'the output'} can't be used: {error.strerror}")
        _drop_output(1)
        sys.exit(Exit.FAILED)


def _leave_silently() -> NoReturn:
    """End the program because its output is no longer read."""
    from arena.cli.output import Exit

    _drop_output(1, 2)
    sys.exit(Exit.NO_READER)


def _drop_output(*streams: int) -> None:
    for stream in streams:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
