"""``arena bots`` and ``arena new``: list bots, and write a new one to start from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.support import JsonOption, UserError, friendly, say, say_lines, write_text

if TYPE_CHECKING:
    from leaderboard.storage.store import Entrant

_TEMPLATE = '''"""A bot for Tongiaki. Try it: arena match {file} greedy random --seed 7"""

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
        """Return how good a move is: own points after it, less those of the best rival; ties are broken at random."""
        state = view.sample(self.rng)  # a full state: what is hidden is filled in at random
        state.play(move)
        points = state.tally()["points"]
        rivals = [points[seat] for seat in range(view.players) if seat != view.seat]
        return points[view.seat] - max(rivals, default=0), self.rng.random()
'''


@friendly
def new(
    path: Annotated[Path, typer.Argument(metavar="FILE.py", help="The file to write.", show_default=False)],
) -> None:
    """Write a working bot to start from.

    [dim]arena new my_bot.py[/dim]
    """
    import keyword

    from bots.loader.loading import check_name

    if path.suffix != ".py":
        raise UserError(f"{path} should end with .py")
    if not path.parent.is_dir():
        raise UserError(f"there is no folder {path.parent}")
    check_name(path.stem)
    name = "".join(part.capitalize() for part in path.stem.split("_") if part)
    if not name.isidentifier() or keyword.iskeyword(name):
        raise UserError(f"'{path.stem}' is not a name for a class; begin with a letter and use letters, digits and '_'")
    write_text(path, _TEMPLATE.format(file=path.name, name=name), may_replace=False)
    say(f"Wrote {path}. Try it: arena match {path} greedy random --seed 7")


@friendly
def bots(
    context: typer.Context,
    db: Annotated[str | None, typer.Option("--db", metavar="FILE|URL", help="Also list the bots of this database.")] = None,
    as_json: JsonOption = False,  # an option
) -> None:
    """List the reference bots and those of a database; or check, submit and manage your own.

    [dim]arena bots --db quickstart.db[/dim]
    """
    if context.invoked_subcommand is not None:
        return

    import json

    from bots.loader.loading import REFERENCE_BOTS, load, resolve
    from leaderboard.storage.store import Store

    reference = {name: (load(resolve(name)).__doc__ or "").strip() for name in REFERENCE_BOTS}
    entered: tuple[Entrant, ...] = ()
    place = ""
    if db is not None:
        with Store.read(db) as store:
            entered, place = store.bots(), store.name
    if as_json:
        data = {"reference": reference, "entered": [{"name": bot.name, "version": bot.digest, "origin": bot.origin} for bot in entered]}
        say_lines(json.dumps(data, indent=2))
        return
    width = max(map(len, reference))
    for name, words in reference.items():
        say(f"{name:<{width}}  {words}")
    if entered:
        say("")
        say(f"in {place}:")
        width = max(len(bot.name) for bot in entered)
        for bot in entered:
            say(f"{bot.name:<{width}}  {bot.digest[:8]}  {bot.origin}")
