"""``arena perft``: count move sequences, to check an engine."""

from __future__ import annotations

from typing import Annotated

import typer

from arena.cli.support import GameOption, OptionsOption, friendly, read_game, say


@friendly
def perft(
    players: Annotated[int, typer.Option("--players", metavar="N", help="Seats.", show_default=False)],
    seed: Annotated[int, typer.Option("--seed", metavar="S", help="The seed of the game.", show_default=False)],
    depth: Annotated[int, typer.Option("--depth", min=0, metavar="D", help="Length of the sequences.", show_default=False)],
    game: GameOption = None,
    after: Annotated[int, typer.Option("--after", min=0, metavar="K", help="First play K random moves (random.Random(0)).")] = 0,
    option: OptionsOption = None,
) -> None:
    """Count the sequences of D legal moves from the start of a game.

    [dim]arena perft --game NAME --players 2 --seed 1 --depth 4[/dim]
    """
    from random import Random

    from engine.core.perft import advance, perft

    state = read_game(game, option).new(players, seed)
    advance(state, after, Random(0))
    say(str(perft(state, depth)))
