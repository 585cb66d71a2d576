"""``arena bots`` and ``arena new``: list bots, and write a new bot or tournament to start from."""

from __future__ import annotations

import json
import shlex
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.files import write_text
from arena.cli.options import GameOption, JsonOption
from arena.cli.output import UserError, print_json, print_line, report_errors
from arena.languages import Language, build_command, starting_files

if TYPE_CHECKING:
    from leaderboard.storage.store import Entrant

_TEMPLATE = '''"""A bot. Try it: arena match {file} greedy random --game {game} --seed 7"""

from __future__ import annotations

import random

from bots import Clock, MatchInfo, Move, State, View


class {name}:
    """Looks one move ahead and picks the move with the best value."""

    def start(self, info: MatchInfo) -> None:
        """Called once before the first decision, with info.game, info.players, info.seat and info.seed."""
        self.rng = random.Random(info.seed)

    def choose(self, view: View[State], clock: Clock) -> Move:
        """Return one of view.legal_moves. Called only when there are at least two."""
        return max(view.legal_moves, key=lambda move: self.value(view, move))

    def value(self, view: View[State], move: Move) -> tuple[float, float]:
        """Return how good a move is: own points after it minus the best rival's points; ties are broken at random."""
        state = view.sample(self.rng)  # a full state, with hidden information filled in at random
        state.play(move)
        points = state.tally()[{tally}]
        rivals = [points[seat] for seat in range(view.players) if seat != view.seat]
        return points[view.seat] - max(rivals, default=0), self.rng.random()
'''

_TOURNAMENT = """\
# A round-robin of three reference bots. Run it: arena run {file}
name = "{name}"
game = "{game}"{others}
bots = ["random", "greedy", "spoiler"]   # add your own, such as "my_bot.py", relative to the folder of this file
# seed = 7                               # fixed decks, which anyone can compute; without it, they derive from a secret

[schedule]
tables = [{tables}]   # numbers of seats; every line-up of that many bots plays
blocks = 2        # per line-up; in a block, every bot plays in every seat and right after every other bot
"""


@report_errors
def new(
    path: Annotated[Path | None, typer.Argument(metavar="FILE.py", help="The bot file to write.", show_default=False)] = None,
    language: Annotated[
        Language | None, typer.Option(metavar="LANGUAGE", help=f"Write a folder with a bot in this language: {', '.join(Language)}.")
    ] = None,
    tournament: Annotated[Path | None, typer.Option(metavar="FILE.toml", help="Write a tournament file with reference bots.")] = None,
    game: GameOption = None,
) -> None:
    """Write a working bot to start from, or a small tournament.

    [dim]arena new my_bot.py[/dim]
    [dim]arena new my_bot --language rust[/dim]
    [dim]arena new --tournament cup.toml[/dim]
    """
    if (path is None) == (tournament is None):
        raise UserError("give either a bot's file, such as my_bot.py, or --tournament and its file, such as cup.toml")
    if language is not None and path is None:
        raise UserError("--language is for a bot, not for a tournament")
    if path is not None and language is not None:
        _new_folder(path, language, game)
    elif path is not None:
        _new_bot(path, game)
    elif tournament is not None:
        _new_tournament(tournament, game)


def _new_tournament(path: Path, game: str | None) -> None:
    from arena.spec.spec import make_spec
    from engine.registry import find_game, single_games

    _check_file(path, ".toml")
    name = _checked_game(game) or single_games()[0]  # a default for the user to change
    rules = find_game(name)
    sizes = [size for size in (2, 3) if rules.min_players <= size <= rules.max_players] or [rules.min_players]
    others = [each for each in single_games() if each != name]
    values = {
        "game": name.replace("\\", "\\\\").replace('"', '\\"'),
        "others": f"   # or {', '.join(others)}" if others else "",
        "tables": ", ".join(map(str, sizes)),
    }
    text = _TOURNAMENT.format(file=path.name, name="new", **values)
    make_spec(tomllib.loads(text) | {"name": path.stem}, str(path))  # some file names are not valid tournament names
    write_text(path, _TOURNAMENT.format(file=path.name, name=path.stem, **values), may_replace=False)
    print_line(f"Wrote {path}. Run it: arena run {path}")


def _checked_game(given: str | None) -> str:
    """Return the given game, the only installed one, or '' if there are several. Raises GameError if the given game is not installed."""
    from engine.registry import find_registration, game_names

    if given:
        find_registration(given)
    return given or (game_names()[0] if len(game_names()) == 1 else "")


def _check_file(path: Path, suffix: str) -> None:
    if path.suffix != suffix:
        raise UserError(f"{path} should end with {suffix}")
    if not path.parent.is_dir():
        raise UserError(f"there is no folder {path.parent}")


def _new_bot(path: Path, game: str | None) -> None:
    import keyword

    from bots.loader.version import check_name
    from engine.registry import find_game, is_family

    _check_file(path, ".py")
    check_name(path.stem)
    name = "".join(part.capitalize() for part in path.stem.split("_") if part)
    if not name.isidentifier() or keyword.iskeyword(name):
        raise UserError(f"'{path.stem}' is not a valid class name; begin with a letter and use letters, digits and '_'")
    known = _checked_game(game)
    chosen, tally = shlex.quote(known or "NAME"), "points"
    if known and not is_family(known):
        rules = find_game(known)
        tally = next(iter(rules.new(rules.min_players, 0).tally()), tally)
    write_text(path, _TEMPLATE.format(file=path.name, name=name, game=chosen, tally=json.dumps(tally)), may_replace=False)
    print_line(f"Wrote {path}. Try it: arena match {path} greedy random --game {chosen} --seed 7")


def _new_folder(path: Path, language: Language, game: str | None) -> None:
    from bots.loader.version import check_name

    check_name(path.name)
    if path.suffix:
        raise UserError(f"a bot in {language} is a folder, not a file: give a name without '{path.suffix}'")
    if path.exists():
        raise UserError(f"{path} already exists; give another name, or remove it first")
    if not path.parent.is_dir():
        raise UserError(f"there is no folder {path.parent}")
    chosen = shlex.quote(_checked_game(game) or "NAME")
    path.mkdir()
    names = []
    for name, text in starting_files(language):
        write_text(path / name, text, may_replace=False)
        names.append(name)
    print_line(f"Wrote {path}: {', '.join(names)}.")
    if command := build_command(language):
        print_line(f"In that folder, build it with: {command}")
    if command.startswith("zig "):
        print_line("If zig is not installed: pip install ziglang, and type 'python -m ziglang' instead of 'zig'.")
    print_line(f"Try it: arena match {path} greedy random --game {chosen} --seed 7")


@report_errors
def bots(
    context: typer.Context,
    db: Annotated[str | None, typer.Option(metavar="FILE|URL", help="Also list the bots of this database.")] = None,
    as_json: JsonOption = False,
) -> None:
    """List, check, submit and manage bots.

    [dim]arena bots --db quickstart.db[/dim]
    """
    if context.invoked_subcommand is not None:
        return

    from leaderboard.storage.store import Store

    entered: tuple[Entrant, ...] = ()
    place = ""
    if db is not None:
        with Store.read(db) as store:
            entered, place = store.bots(), store.name
    if as_json:
        stored = [{"name": bot.name, "version": bot.digest, "origin": bot.origin} for bot in entered]
        reference, games = _reference_bots()
        print_json({"reference": reference, "games": games, "entered": stored})
        return
    show_reference_bots()
    if entered:
        print_line("")
        print_line(f"in {place}:")
        width = max(len(bot.name) for bot in entered)
        for bot in entered:
            print_line(f"{bot.name:<{width}}  {bot.digest[:8]}  {bot.origin}")


def _reference_bots() -> tuple[dict[str, str], dict[str, tuple[str, ...]]]:
    from arena.bots import games_of
    from bots.loader.loading import resolve
    from bots.loader.reference_bots import REFERENCE_BOTS
    from bots.loader.version import load

    return {name: (load(resolve(name)).__doc__ or "").strip() for name in REFERENCE_BOTS}, {name: games_of(name) for name in REFERENCE_BOTS}


def show_reference_bots() -> None:
    """Print a line for each reference bot."""
    reference, games = _reference_bots()
    width = max(map(len, reference))
    most = max(map(len, games.values()))
    for name, words in reference.items():
        only = "" if len(games[name]) == most else f" Only for {', '.join(games[name])}."
        print_line(f"{name:<{width}}  {words}{only}")
