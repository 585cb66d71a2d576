"""``arena game list | check`` and ``arena perft``: list the installed games and check their rules."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.options import GameOption, JsonOption, OptionsOption, read_game, read_options
from arena.cli.output import Exit, UserError, console, print_error, print_json, print_line, report_errors

if TYPE_CHECKING:
    from engine.conformance import Law, Verdict
    from engine.registry import Registration

game_app = typer.Typer(help="List and check the installed games.", no_args_is_help=True, rich_markup_mode="rich")


@dataclass(frozen=True, slots=True)
class InstalledGame:
    """A registered game: its names, its numbers of players, and its package. ``problem`` says why it does not work, or is empty."""

    name: str
    title: str
    summary: str
    seats: str
    package: str
    version: str
    target: str
    problem: str


def installed_games() -> list[InstalledGame]:
    """Return all registered games, including those that don't work."""
    from engine.registry import registered

    return [_installed(each) for each in registered()]


def _installed(each: Registration) -> InstalledGame:
    from typing import Any

    from engine.core import EngineError
    from engine.registry import find_game, find_plugin

    title = summary = seats = problem = ""
    try:
        plugin = find_plugin(each.name)
        title, summary = str(plugin.title), str(plugin.summary)
        if plugin.is_family:
            seats = "many games"
        else:
            facts: Any = find_game(each.name)
            seats = f"{facts.min_players}" if facts.min_players == facts.max_players else f"{facts.min_players}-{facts.max_players}"
    except EngineError as error:
        problem = str(error)
    return InstalledGame(each.name, title, summary, seats, each.package, each.version, each.target, problem)


@game_app.command("list")
@report_errors
def list_(as_json: JsonOption = False) -> None:
    """List the installed games, and the errors of those that don't work.

    [dim]arena game list[/dim]
    """
    from rich.table import Table

    from engine.registry import problems

    games = installed_games()
    if as_json:
        print_json({"games": [asdict(game) for game in games], "problems": problems()})
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("game", "title", "seats", "package"):
        table.add_column(heading, overflow="fold")
    for game in games:
        name = f"{game.name}:..." if game.seats == "many games" else game.name
        table.add_row(name, game.title or "does not work", game.seats, f"{game.package} {game.version}")
    console().print(table)
    for sentence in (*(game.problem for game in games if game.problem), *problems()):
        print_error(sentence)


@game_app.command("check")
@report_errors
def check(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The game's name, as listed by 'arena game list'.", show_default=False)],
    games: Annotated[int, typer.Option(min=1, metavar="N", help="Random games for each table.")] = 3,
    players: Annotated[int | None, typer.Option(metavar="P", help="Only with P seats; default: all, or the plug-in's samples.")] = None,
    option: OptionsOption = None,
    seed: Annotated[int, typer.Option(min=0, metavar="S", help="The seed of the first random game; the next has S + 1.")] = 0,
    only: Annotated[list[str] | None, typer.Option("--law", metavar="LAW", help="Check only this law; may be repeated.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Play random games and check the laws that every game must obey.

    Each broken law is listed with the command that reproduces it. Exit codes: 0 all laws hold, 1 a law is broken, 2 there is no such game.

    [dim]arena game check my-game[/dim]
    [dim]arena game check my-game --option size=5 --players 3 --games 10[/dim]
    """
    from engine.conformance import Battery, Status, tables_of
    from engine.registry import find_registration

    laws = _laws(only)
    tables = tables_of(name, read_options(option) if option else None, players)
    battery, verdicts = Battery(tables, games=games, seed=seed), []
    with console(err=True).status("playing random games") as shown:
        for verdict in battery.run(laws):
            shown.update(f"{verdict.law}: {verdict.status}")
            verdicts.append(verdict)
    brought = find_registration(name)
    count, decisions = len(battery.trials), sum(len(trial.moves) for trial in battery.trials)
    if as_json:
        report = {"game": name, "package": brought.package, "version": brought.version, "games": count, "decisions": decisions}
        print_json(report | {"tables": list(map(str, tables)), "verdicts": [asdict(verdict) for verdict in verdicts]})
    else:
        print_line(f"{name} from {brought.package} {brought.version}: {count} random games, {decisions} decisions")
        _show(verdicts, count)
    if any(verdict.status is Status.BROKEN for verdict in verdicts):
        raise typer.Exit(Exit.FAILED)


def _laws(only: list[str] | None) -> tuple[Law, ...]:
    from difflib import get_close_matches

    from engine.conformance import LAWS

    names = [law.name for law in LAWS]
    for each in only or []:
        if each not in names:
            near = get_close_matches(each, names, n=1)
            raise UserError(f"there is no law '{each}'; " + (f"did you mean '{near[0]}'?" if near else f"the laws are {', '.join(names)}"))
    return tuple(law for law in LAWS if not only or law.name in only)


def _show(verdicts: list[Verdict], games: int) -> None:
    from engine.conformance import Status

    for verdict in verdicts:
        if verdict.status is Status.SKIPPED:
            print_line(f"skipped {verdict.law}: {verdict.reason}")
    broken = [verdict for verdict in verdicts if verdict.status is Status.BROKEN]
    for verdict in broken:
        print_line(f"BROKEN {verdict.law}: {verdict.reason}")
        print_line(f"  The law: {verdict.sentence}")
        last = f", the last one '{verdict.moves[-1]}'" if verdict.moves else ""
        print_line(f"  Broken in {verdict.games} of {games} games; first after {len(verdict.moves)} decisions{last}.")
        print_line(f"  To reproduce: {verdict.command} --law {verdict.law}")
    kept = sum(verdict.status is Status.KEPT for verdict in verdicts)
    laws = f"{kept} law{'s' if kept != 1 else ''} kept"
    if broken:
        print_line(f"{laws}, {len(broken)} broken. Begin with the first: it may cause the others.")
    else:
        print_line(f"{laws}, none broken.")


@report_errors
def perft(
    players: Annotated[int, typer.Option(metavar="N", help="Seats.", show_default=False)],
    seed: Annotated[int, typer.Option(metavar="S", help="The seed of the game.", show_default=False)],
    depth: Annotated[int, typer.Option(min=0, metavar="D", help="Length of the sequences.", show_default=False)],
    game: GameOption = None,
    after: Annotated[int, typer.Option(min=0, metavar="K", help="First play K random moves (random.Random(0)).")] = 0,
    option: OptionsOption = None,
) -> None:
    """Count the sequences of D legal moves from the start of a game.

    [dim]arena perft --game NAME --players 2 --seed 1 --depth 4[/dim]
    """
    from random import Random

    from engine.core.chance import advance, perft

    state = read_game(game, option).new(players, seed)
    advance(state, after, Random(0))
    print_line(str(perft(state, depth)))
