"""The list of commands. Each is imported when it is run, so neither the program's help nor the start of a command imports the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group


@dataclass(frozen=True, slots=True)
class ListedCommand:
    """A command of the list: its function or group (``module:name``), and its line in the program's help.

    ``bare`` has the options whose value may be omitted, with their value in that case.
    """

    place: str
    summary: str
    bare: tuple[tuple[str, str], ...] = ()


COMMANDS: Final[Mapping[str, ListedCommand]] = {
    "run": ListedCommand("arena.cli.run.run:run", "Play a tournament, or continue one that was stopped, and print its leaderboard."),
    "match": ListedCommand(
        "arena.cli.play.match:match", "Play one match and show how it went; the same bots and seed give the same match."
    ),
    "play": ListedCommand("arena.cli.play.match:play", "Play against bots in the terminal."),
    "compare": ListedCommand("arena.cli.results.compare:compare", "Play NEW against OLD until it is clear whether NEW is better."),
    "rate": ListedCommand(
        "arena.cli.results.rate:rate", "Rate a bot by a gauntlet against the reference bots: strengths with intervals, 'random' at 1000."
    ),
    "new": ListedCommand("arena.cli.bots.listing:new", "Write a working bot to start from, or a small tournament."),
    "replay": ListedCommand(
        "arena.cli.play.replay:replay",
        "Walk through a match in the terminal or a browser, draw a position, or verify replays.",
        bare=(("--ask", "all"),),
    ),
    "analyse": ListedCommand(
        "arena.cli.results.analyse:analyse",
        "Explain why a match was won: in a sentence, key moments, luck apart from skill.",
    ),
    "status": ListedCommand("arena.cli.run.status:status", "Show what has been played, what is left, and how to continue."),
    "leaderboard": ListedCommand(
        "arena.cli.results.leaderboard:leaderboard", "Print a tournament's leaderboard: TrueSkill, wins, ranks, scores and faults."
    ),
    "stats": ListedCommand(
        "arena.cli.results.stats:stats",
        "Print strengths with intervals, head-to-head results, seats, time, memory and faults.",
    ),
    "matches": ListedCommand(
        "arena.cli.results.match_list:matches",
        "List the latest matches; `arena replay MATCH` shows one.",
    ),
    "verify": ListedCommand(
        "arena.cli.verify.verify:verify", "Replay every stored match, recompute every rating, and list every disagreement."
    ),
    "export": ListedCommand(
        "arena.cli.verify.export:export",
        "Export a tournament as a bundle, its seals or decisions as a file, or its results as JSON or CSV.",
    ),
    "faults": ListedCommand(
        "arena.cli.results.faults:faults",
        "List the causes of the faults of a tournament's bots, newest first, and the matches that could not be played.",
    ),
    "log": ListedCommand(
        "arena.cli.results.faults:log",
        "Show what a bot wrote to its log in a match, its times and, if it failed, its own traceback and the last messages.",
    ),
    "serve": ListedCommand("arena.cli.host.serve:serve", "Serve leaderboards, matches and replays as web pages, read-only by default."),
    "site": ListedCommand("arena.cli.host.serve:site", "Write all pages and replays as static files, for any web server or for a browser."),
    "perft": ListedCommand("arena.cli.play.game:perft", "Count the sequences of D legal moves from the start of a game."),
    "doctor": ListedCommand(
        "arena.cli.host.doctor:doctor", "Check this machine: Python, engine, storage, Ray, isolation of bots, terminal."
    ),
    "bots": ListedCommand(
        "arena.cli.bots.submissions:bots_app", "List the reference bots and those of a database; check, submit and manage bots."
    ),
    "ladder": ListedCommand(
        "arena.cli.run.ladder:ladder_app",
        "Steer a ladder, even while it runs, by orders that are sealed with their reasons.",
    ),
    "season": ListedCommand(
        "arena.cli.host.season:season_app", "Run a competition of several stages by the calendar in one file, rehearse it, and publish it."
    ),
    "game": ListedCommand("arena.cli.play.game:game_app", "List and check the games that are installed."),
    "key": ListedCommand("arena.cli.verify.secrets:key", "Make the key that signs seals, or show its public key."),
    "puzzle": ListedCommand("arena.cli.play.sunda_puzzle:puzzle_app", "Make, draw, solve and check puzzles of Sunda to Sahul."),
    "people": ListedCommand("arena.cli.host.people:people_app", "Manage authors: their links and their deletion."),
    "secret": ListedCommand("arena.cli.verify.secrets:secret", "Make the secret that decks are derived from, or show its commitment."),
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


class _Command(TyperCommand):
    """A command whose options may be given without a value."""

    bare: tuple[tuple[str, str], ...] = ()

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # as Typer calls it
        """Insert the default values of these options before the arguments are parsed."""
        return super().parse_args(ctx, with_values(args, dict(self.bare)))


def with_values(arguments: Sequence[str], bare: Mapping[str, str]) -> list[str]:
    """Return the arguments with a value added to each option that has none, because it is the last argument or another option follows."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    filled = []
    for argument, following in zip(arguments[:end], [*arguments[1:end], "--"], strict=False):
        filled.append(argument)
        if argument in bare and following.startswith("--"):
            filled.append(bare[argument])
    return [*filled, *arguments[end:]]


def _load(name: str, listed: ListedCommand) -> TyperCommand | TyperGroup:
    module, _, attribute = listed.place.partition(":")
    target = getattr(import_module(module), attribute)
    if isinstance(target, typer.Typer):
        group = get_group(target)
        group.name = name
        return group
    alone = typer.Typer(add_completion=False, rich_markup_mode="rich")
    alone.command(name, cls=_Command)(target)
    command = get_command(alone)
    assert isinstance(command, _Command)
    command.bare = listed.bare
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
"""Pydantic's messages on values (Typer parses numbers with it), and this program's replacements."""


class CommandList(TyperGroup):
    """The program's own group. Its help shows the summaries of the list."""

    def __init__(self, **attributes: Any) -> None:  # what Typer passes
        super().__init__(**attributes | {"commands": _Commands()})

    def invoke(self, ctx: Any) -> Any:  # as Typer calls it
        """Run a command, and report a wrong option value in this program's words."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            for theirs, ours in _WORDS.items():
                error.message = error.message.replace(theirs, ours)
            raise

    def format_help(self, *context: Any) -> None:
        """Write the help as Typer does, without importing a command."""
        shown = copy(self)
        shown.commands = {name: TyperCommand(name, help=each.summary) for name, each in COMMANDS.items()}
        super(CommandList, shown).format_help(*context)
