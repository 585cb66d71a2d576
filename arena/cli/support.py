"""What all commands share: options, the console, exit codes, and how errors are reported."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, Annotated, ParamSpec, TypeVar

import typer

from engine.core.errors import ArenaError, InputError

if TYPE_CHECKING:
    from rich.console import Console

    from arena.play.executors.base import Executor
    from bots.protocol import ClockSpec
    from bots.runtime import Runtime
    from engine.core import Game, OptionValue
    from leaderboard.storage.store import Store, StoredTournament

P = ParamSpec("P")
R = TypeVar("R")


class Exit(IntEnum):
    """What a command's exit code means."""

    DONE = 0
    FAILED = 1
    WRONG_INPUT = 2
    NOT_BETTER = 3
    UNDECIDED = 4
    UNSEALED = 5
    PAUSED = 6
    INTERRUPTED = 130
    NO_READER = 141
    """Whoever read the output has gone, as with ``| head``; other programs are ended by SIGPIPE then, which shells show as this code."""


DEFAULT_DB = "arena.db"

DbOption = Annotated[
    str, typer.Option("--db", metavar="FILE|URL", help="The database: a file, or postgresql+psycopg://USER@HOST/DB.", show_default=True)
]
DatabaseArgument = Annotated[str | None, typer.Argument(metavar="FILE|URL", help="The database, instead of --db.", show_default=False)]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]
GAME_VARIABLE = "ARENA_GAME"
GameOption = Annotated[
    str | None,
    typer.Option("--game", metavar="NAME", envvar=GAME_VARIABLE, show_envvar=True, help="The game; the only one there is by default."),
]
OptionsOption = Annotated[list[str] | None, typer.Option("--option", metavar="KEY=VALUE", help="An option of the game; may be repeated.")]
TournamentOption = Annotated[str | None, typer.Option("--tournament", metavar="NAME", help="Which tournament; the newest by default.")]


IsolationOption = Annotated[
    str | None, typer.Option("--isolation", metavar="LEVEL", help="best, L3, L2, L1, L0, or none: in this process, for bots you trust.")
]
RequireOption = Annotated[str | None, typer.Option("--require-isolation", metavar="LEVEL", help="Refuse to play below this level.")]
TrustOption = Annotated[bool, typer.Option("--trust-bots", help="Allow bots at L0, where nothing protects your files.")]


class ExecutorName(StrEnum):
    """Where matches are played."""

    AUTO = "auto"
    RAY = "ray"
    PROCESSES = "processes"
    INLINE = "inline"


WorkersOption = Annotated[
    int | None, typer.Option("--workers", min=1, metavar="N", help="Processes, or Ray workers; default: one per core.")
]
ExecutorOption = Annotated[
    ExecutorName,
    typer.Option(
        "--executor",
        help="Where to play: auto (processes of this machine, and Ray workers once a run has proved long), ray (from the start), "
        "processes (to the end), or inline (this process).",
    ),
]
AddressOption = Annotated[
    str | None, typer.Option("--address", metavar="HOST:PORT", help="Join this Ray cluster ('auto' finds a local one).")
]
ClockOption = Annotated[
    list[str] | None, typer.Option("--clock", metavar="KEY=VALUE", help="A limit, such as move=0.5 or bank=30; may be repeated.")
]


RuntimeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--runtime", metavar="KEY=VALUE", help="What bots run in, such as packages=numpy,onnxruntime or memory=1GiB; may be repeated."
    ),
]


def make_executor(name: ExecutorName, workers: int | None, address: str | None, *, left: int | None = None) -> Executor:
    """Return the executor asked for, ready to play; an address is that of a Ray cluster. ``left`` is how many matches it will play, if that
    is known. Raises HostError.
    """
    if name is ExecutorName.INLINE:
        from arena.play.executors.base import InlineExecutor

        return InlineExecutor()
    notify = functools.partial(say, err=True)
    if name is ExecutorName.RAY or address is not None:
        from arena.play.executors.ray_executor import RayExecutor

        return RayExecutor(workers, address, notify=notify)
    if name is ExecutorName.PROCESSES:
        from arena.play.executors.process_executor import ProcessExecutor

        return ProcessExecutor(workers, notify)
    from arena.play.executors.handover import HandoverExecutor

    return HandoverExecutor(workers, left=left, notify=notify)


class UserError(InputError):
    """Something the user gave is wrong; the text is one sentence that says what, where and what to do."""


def say(line: str, *, err: bool = False) -> None:
    """Print a line to standard output; unprintable characters, newlines among them, are shown as escapes."""
    if not (line.isascii() and line.isprintable()):  # what needs no cleaning is printed before the engine is imported
        from engine.text import plain

        line = plain(line)
    typer.echo(line, err=err)  # noqa: TID251  # what is printed has been cleaned


def say_lines(text: str, *, end: str = "\n", err: bool = False) -> None:
    """Print a text of several lines, cleaned in the same way."""
    from engine.text import plain_lines

    typer.echo(plain_lines(text) + end, nl=False, err=err)  # noqa: TID251  # as above


def console(*, err: bool = False) -> Console:
    """Return a console for results, on what is standard output now, even while the output of bots is redirected."""
    from arena.cli.screen import Screen

    return Screen(file=sys.stderr if err else sys.stdout, highlight=False, soft_wrap=False)


def complain(sentence: str) -> None:
    """Print an error to standard error."""
    _tell("error: ", "bold red", sentence)


def warn(sentence: str) -> None:
    """Print a warning to standard error."""
    _tell("warning: ", "bold yellow", sentence)


def _tell(word: str, style: str, sentence: str) -> None:
    from rich.text import Text

    for line in sentence.splitlines():
        console(err=True).print(Text(word, style=style).append(line, style="default not bold"), soft_wrap=True)


def friendly(command: Callable[P, R]) -> Callable[P, R]:
    """Make a command report errors as one sentence and an exit code instead of a traceback."""

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        from engine.registry import trials

        try:
            with trials(_try_game):
                return command(*args, **kwargs)
        except ArenaError as error:
            complain(str(error))
            if log := getattr(error, "log", ""):
                say_lines(f"the log of its build:\n{log}", err=True)
            raise typer.Exit(error.exit_code) from None
        except KeyboardInterrupt:
            complain("interrupted")
            raise typer.Exit(Exit.INTERRUPTED) from None
        except BrokenPipeError:
            raise typer.Exit(Exit.NO_READER) from None

    return wrapped


def _try_game(name: str, options: Mapping[str, OptionValue]) -> object:
    from arena.entries.game_trial import try_game

    return try_game(name, options)


@contextmanager
def showing_tracebacks() -> Iterator[None]:
    """Print the own traceback of a bot that can't be loaded, for its author, before the sentence that follows from the error."""
    from bots.errors import BotError

    try:
        yield
    except BotError as error:
        if error.traceback:
            say_lines(error.traceback, err=True)
        raise


def which_db(argument: str | None, option: str) -> str:
    """Return the database of a command that takes it as its argument or as --db. Raises UserError."""
    if argument is None:
        return option
    if option not in {DEFAULT_DB, argument}:
        raise UserError(f"the database is given twice, as {argument} and as --db {option}; give one of them")
    return argument


def read_options(given: list[str] | None) -> dict[str, OptionValue]:
    """Return a game's options from ``KEY=VALUE``; ``read_option`` says how values are read. Raises UserError."""
    from arena.entries.game_choice import read_option

    options: dict[str, OptionValue] = {}
    for each in given or []:
        key, equals, value = each.partition("=")
        if not equals or not key:
            raise UserError(f"--option {each}: write an option as KEY=VALUE, such as size=7")
        options[key] = read_option(value)
    return options


def which_game(given: str | None) -> str:
    """Return the name of the game given, or of the only game there is. Raises UserError, which says what there is."""
    from engine.registry import GameError, game_or_only, trust_game

    try:
        name = game_or_only(given)
    except GameError as error:
        raise UserError(f"{error}; say which with --game NAME, or set the environment variable {GAME_VARIABLE}") from None
    trust_game(name)
    return name


def read_game(given: str | None, option: list[str] | None) -> Game:
    """Return the game given, or the only one there is, with options. Raises UserError and OptionsError."""
    from engine.registry import find_game

    return find_game(which_game(given), read_options(option))


def read_clock(given: list[str] | None) -> ClockSpec:
    """Return the limits from ``KEY=VALUE``, named as in a tournament's ``[clock]``. Raises UserError."""
    if not given:
        from bots.protocol import ClockSpec

        return ClockSpec()
    from arena.spec.spec import SpecError, make_clock

    data: dict[str, float | int | str] = {}
    for each in given:
        key, equals, value = each.partition("=")
        if not equals or not key:
            raise UserError(f"--clock {each}: write a limit as KEY=VALUE, such as move=0.5")
        try:
            data[key] = int(value) if value.isdecimal() else float(value)
        except ValueError:
            data[key] = value
    try:
        return make_clock(data, "--clock")
    except SpecError as error:
        raise UserError(str(error)) from None


def read_runtime(given: list[str] | None) -> Runtime:
    """Return what bots run in from ``KEY=VALUE``, named as in a tournament's ``[runtime]``; a list has commas. Raises UserError.

    The packages have to be installed here.
    """
    from bots.runtime import STANDARD

    if not given:
        return STANDARD
    from arena.spec.spec import SpecError, make_runtime
    from bots.host.packages import PackagesError, installed_versions

    data: dict[str, object] = {}
    for each in given:
        key, equals, value = each.partition("=")
        if not equals or not key:
            raise UserError(f"--runtime {each}: write it as KEY=VALUE, such as packages=numpy or memory=1GiB")
        if key == "packages":
            data[key] = [package.strip() for package in value.split(",")]
        else:
            data[key] = int(value) if key == "threads" and value.isdecimal() else value
    try:
        runtime = make_runtime(data, "--runtime")
        installed_versions(runtime.packages)
    except SpecError as error:
        raise UserError(str(error)) from None
    except PackagesError as error:
        raise UserError(f"--runtime packages: {error}") from None
    return runtime


def find_tournament(store: Store, name: str | None) -> StoredTournament:
    """Return the tournament of that name, or the newest. Raises UserError, which lists those there are."""
    stored = store.tournament(name)
    if stored is not None:
        return stored
    names = store.tournament_names()
    if not names:
        raise UserError(f"there is no tournament in {store.name} yet; 'arena run SPEC --db {store.name}' plays one")
    raise UserError(f"there is no tournament '{name}' in {store.name}; there is {', '.join(names)}")
