"""Options that commands share, and functions that read their values."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from arena.cli.output import UserError

if TYPE_CHECKING:
    from bots.limits import Runtime
    from bots.protocol import ClockSpec
    from engine.core import Game, OptionValue
    from leaderboard.storage.store import Store, StoredTournament

DEFAULT_DB = "arena.db"
DATABASE_VARIABLE = "ARENA_DB"

DbOption = Annotated[
    str,
    typer.Option(
        "--db",
        metavar="FILE|URL",
        envvar=DATABASE_VARIABLE,
        show_envvar=True,
        help="The database: a file, or the URL of a PostgreSQL database.",
        show_default=True,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]
GAME_VARIABLE = "ARENA_GAME"


GameOption = Annotated[
    str | None,
    typer.Option(
        "--game", metavar="NAME", envvar=GAME_VARIABLE, show_envvar=True,
        help="The game's name, as listed by 'arena game list'; required if several games are installed.",
    ),
]  # fmt: skip
OptionsOption = Annotated[list[str] | None, typer.Option("--option", metavar="KEY=VALUE", help="An option of the game; may be repeated.")]
TournamentOption = Annotated[str | None, typer.Option("--tournament", metavar="NAME", help="The tournament; default: the newest.")]
SeedOption = Annotated[int | None, typer.Option("--seed", min=0, metavar="S", help="The seed of the game; default: a random seed.")]
SaveOption = Annotated[Path | None, typer.Option("--save", metavar="FILE", help="Write the replay to this file.")]
TitleOption = Annotated[str, typer.Option("--title", help="The title of the pages.")]
IsolationOption = Annotated[
    str | None, typer.Option("--isolation", metavar="LEVEL", help="Isolation of bots: best, L3 to L0, or none (in-process, if trusted).")
]
RequireOption = Annotated[str | None, typer.Option("--require-isolation", metavar="LEVEL", help="Refuse to play at a lower level.")]
TrustOption = Annotated[bool, typer.Option("--trust-bots", help="Allow bots at L0, where nothing protects your files.")]


LONG_RUN: Final = 20_000
"""In a run of more matches than this, the time that Ray takes to start does not matter (docs/performance.md)."""


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
        help=f"Where to play: processes (on this machine), ray (Ray workers), inline (this process), or auto (Ray for runs of more than "
        f"{LONG_RUN:,} matches, otherwise processes).",
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
    typer.Option("--runtime", metavar="KEY=VALUE", help="The runtime of bots, such as packages=numpy or memory=1GiB; may be repeated."),
]


def is_chosen(db: str) -> bool:
    """Return whether --db names a database that is neither the default nor the one in the environment variable."""
    return db not in {DEFAULT_DB, os.environ.get(DATABASE_VARIABLE)}


@contextmanager
def open_tournament(db: str, name: str | None) -> Iterator[tuple[Store, StoredTournament]]:
    """Open a database; yield it and its tournament with the given name, or its newest if ``name`` is None. Raises StoreError."""
    from leaderboard.storage.store import Store

    with Store.read(db) as store:
        yield store, find_tournament(store, name)


def find_tournament(store: Store, name: str | None) -> StoredTournament:
    """Return the tournament with the given name, or the newest. Raises UserError with a list of the tournaments."""
    stored = store.tournament(name)
    if stored is not None:
        return stored
    names = store.tournament_names()
    if not names:
        from leaderboard.storage.tournaments import seasons

        if known := seasons(store):
            raise UserError(f"no stage of the season '{known[0].name}' has begun; 'arena status' shows when one opens")
        raise UserError(f"there is no tournament in {store.name} yet; 'arena run SPEC --db {store.name}' plays one")
    raise UserError(f"there is no tournament '{name}' in {store.name}; its tournaments are {', '.join(names)}")


def check_bot_name(tournament: StoredTournament, bot: str) -> None:
    """Raise UserError with a list of the tournament's bots if none of them has this name."""
    names = [entrant.name for entrant in tournament.entrants]
    if bot not in names:
        raise UserError(f"there is no bot '{bot}' in the tournament '{tournament.name}'; its bots are {', '.join(names)}")


def choose_game(given: str | None) -> str:
    """Return the name of the given game or, without one, of the only installed game. Raises UserError with a list of the games."""
    from engine.registry import GameError, game_or_only, trust_game

    try:
        name = game_or_only(given)
    except GameError as error:
        raise UserError(f"{error}; choose one with --game NAME, or set the environment variable {GAME_VARIABLE}") from None
    trust_game(name)
    return name


def read_game(given: str | None, option: list[str] | None) -> Game:
    """Return the given game, or the only installed one, with its options set. Raises UserError and OptionsError."""
    from engine.registry import find_game

    return find_game(choose_game(given), read_options(option))


def read_options(given: list[str] | None) -> dict[str, OptionValue]:
    """Return a game's options from ``KEY=VALUE`` pairs, whose values ``read_option`` reads. Raises UserError."""
    from arena.entries.game_choice import read_option

    return {key: read_option(value) for key, value in _pairs("--option", given, "write an option as KEY=VALUE, such as size=7")}


def read_clock(given: list[str] | None) -> ClockSpec:
    """Return the limits from ``KEY=VALUE`` pairs, with the keys of a tournament's ``[clock]``. Raises UserError and SpecError."""
    if not given:
        from bots.protocol import ClockSpec

        return ClockSpec()
    from arena.spec.spec import make_clock

    pairs = _pairs("--clock", given, "write a limit as KEY=VALUE, such as move=0.5")
    return make_clock({key: _number(value) for key, value in pairs}, "--clock")


def _number(text: str) -> float | int | str:
    try:
        return int(text) if text.isdecimal() else float(text)
    except ValueError:
        return text


def read_runtime(given: list[str] | None) -> Runtime:
    """Return a runtime from ``KEY=VALUE`` pairs, with the keys of a tournament's ``[runtime]``; lists are separated by commas. The packages
    must be installed on this machine. Raises UserError and SpecError.
    """
    from bots.limits import STANDARD

    if not given:
        return STANDARD
    from arena.spec.spec import make_runtime
    from bots.host.packages import PackagesError, installed_versions

    data: dict[str, object] = {}
    for key, value in _pairs("--runtime", given, "write it as KEY=VALUE, such as packages=numpy or memory=1GiB"):
        if key == "packages":
            data[key] = [package.strip() for package in value.split(",")]
        else:
            data[key] = int(value) if key == "threads" and value.isdecimal() else value
    runtime = make_runtime(data, "--runtime")
    try:
        installed_versions(runtime.packages)
    except PackagesError as error:
        raise UserError(f"--runtime packages: {error}") from None
    return runtime


def _pairs(option: str, given: list[str] | None, how: str) -> Iterator[tuple[str, str]]:
    for each in given or []:
        key, equals, value = each.partition("=")
        if not equals or not key:
            raise UserError(f"{option} {each}: {how}")
        yield key, value
