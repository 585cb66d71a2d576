"""``arena play``: play against bots in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.files import write_text
from arena.cli.support import (
    GameOption,
    IsolationOption,
    OptionsOption,
    RuntimeOption,
    TrustOption,
    UserError,
    console,
    friendly,
    read_game,
    read_runtime,
    say,
)


@friendly
def play(
    bots: Annotated[list[str], typer.Argument(metavar="BOT...", help="The bots you play against, in the order of the seats.")],
    game: GameOption = None,
    option: OptionsOption = None,
    seat: Annotated[int, typer.Option("--seat", min=0, metavar="S", help="Your seat, from 0.")] = 0,
    seed: Annotated[int | None, typer.Option("--seed", min=0, metavar="N", help="The seed of the game; drawn by default.")] = None,
    name: Annotated[str, typer.Option("--name", metavar="N", help="Your name in the replay.")] = "you",
    save: Annotated[Path | None, typer.Option("--save", metavar="FILE", help="Write the replay to this file.")] = None,
    runtime: RuntimeOption = None,
    isolation: IsolationOption = None,
    trust_bots: TrustOption = False,
) -> None:
    """Play against bots in the terminal.

    Type a move's number or its notation; ? lists the moves, b shows the board again, d tells the position in words, q gives up.

    [dim]arena play greedy spoiler --game NAME --save match.json[/dim]
    """
    import secrets

    from arena.entries.preflight import distinct_names, rehearse
    from arena.play.isolation import BEST, admit, choose_level
    from arena.play.match import play_match
    from arena.spec.keys import SEED_BITS, derive_id
    from arena.tui.human_player import GaveUpError, TerminalPlayer
    from bots.host.player_pool import PlayerPool
    from bots.loader.loading import identify, resolve
    from bots.protocol import ClockSpec
    from bots.sandbox.levels import Level
    from engine.records import Ticket

    rules, surroundings = read_game(game, option), read_runtime(runtime)
    players = len(bots) + 1
    if seat >= players:
        raise UserError(f"--seat {seat}: with {len(bots)} bots the seats are 0 to {players - 1}")
    chosen = secrets.randbits(SEED_BITS) if seed is None else seed
    rules.check_start(players, chosen)
    level = choose_level(isolation or BEST)
    versions = [(resolve if level is Level.NONE else identify)(bot, most=surroundings.most_bytes) for bot in bots]
    admit(versions, level, trusted=trust_bots)
    called = [version.name for version in versions]
    names = distinct_names([*called[:seat], name, *called[seat:]])
    ticket = Ticket(derive_id("play", rules.name, dict(rules.options), chosen, names), names, 0, 0, names, chosen)
    person = TerminalPlayer(console(), names)
    with PlayerPool(level, game=rules, runtime=surroundings) as pool:
        rehearse(dict.fromkeys(versions), rules, pool)
        seated = [pool.seat(version) for version in versions]
        try:
            result = play_match(rules, ticket, [*seated[:seat], person, *seated[seat:]], person.shown, clock=ClockSpec())
        except GaveUpError:
            say("You gave up; the match was not kept.")
            return
    person.show_end(result)
    if save is not None:
        write_text(save, result.replay.text + "\n")
        say(f"Replay written to {save}; walk through it with: arena replay {save}")
