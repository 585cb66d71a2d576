"""``arena match`` and ``arena play``: play one match between bots, or against them in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.files import write_text
from arena.cli.options import (
    ClockOption,
    GameOption,
    IsolationOption,
    JsonOption,
    OptionsOption,
    RequireOption,
    RuntimeOption,
    SaveOption,
    SeedOption,
    TrustOption,
    read_clock,
    read_game,
    read_runtime,
)
from arena.cli.output import Exit, UserError, bot_tracebacks, console, print_line, print_text, report_errors

if TYPE_CHECKING:
    from arena.report.table import Table
    from engine.core import Game, State
    from engine.records import MatchResult


@report_errors
def match(
    bots: Annotated[
        list[str],
        typer.Argument(
            metavar="BOT...",
            help="Bots by seat: a name, file.py, file.py:Class or module:Class.",
            show_default=False,
        ),
    ],
    seed: SeedOption = None,
    game: GameOption = None,
    players: Annotated[int | None, typer.Option(min=1, metavar="N", help="Seats; fewer bots are repeated in turn to fill them.")] = None,
    option: OptionsOption = None,
    save: SaveOption = None,
    log: Annotated[bool, typer.Option("--log", help="Show the last 8 KiB of what each bot printed.")] = False,
    clock: ClockOption = None,
    runtime: RuntimeOption = None,
    isolation: IsolationOption = None,
    require_isolation: RequireOption = None,
    trust_bots: TrustOption = False,
    as_json: JsonOption = False,
) -> None:
    """Play one match and show how it went.

    The same bots and seed give the same match. Exit codes: 0 no forfeit, 7 a forfeit, 1 the machine failed, 2 wrong input, 130 Ctrl-C.

    [dim]arena match my_bot.py greedy random --game NAME --seed 7 --save match.json[/dim]
    [dim]arena match my_bot.py greedy --game NAME --log[/dim]
    """
    import secrets
    import sys
    from contextlib import redirect_stdout
    from dataclasses import replace

    from arena.bots import BEST, admit, open_player_pool
    from arena.spec.secret import SEED_BITS, derive_id
    from bots.limits import Level

    rules = read_game(game, option)
    seats = players if players is not None else len(bots)
    if len(bots) > seats:
        raise UserError(f"there are more bots ({len(bots)}) than seats ({seats}); take bots out, or raise --players")
    chosen_seed = secrets.randbits(SEED_BITS) if seed is None else seed
    rules.check_start(seats, chosen_seed)
    limits, surroundings = read_clock(clock), read_runtime(runtime)
    with (
        bot_tracebacks(),
        open_player_pool(isolation or BEST, require_isolation, rules, surroundings) as pool,
        redirect_stdout(sys.stderr),
    ):  # what bots print is not a result
        from arena.bots import distinct_names, rehearse
        from arena.play.match import play_match
        from bots.host.player_pool import untimed_when_debugged
        from bots.loader.loading import identify, resolve
        from engine.records import Ticket

        level = pool.level
        versions = [(resolve if level is Level.NONE else identify)(bot, most=surroundings.most_bytes) for bot in bots]
        admit(versions, level, trusted=trust_bots, clock=limits)
        seated = [versions[seat % len(versions)] for seat in range(seats)]
        names = distinct_names([version.name for version in seated])
        ticket = Ticket(derive_id("match", rules.name, dict(rules.options), chosen_seed, names), names, 0, 0, names, chosen_seed)
        rehearse(dict.fromkeys(versions), rules, pool)
        sitting = [pool.seat(version) for version in seated]
        for player in sitting if log else ():
            player.keep_log()
        with untimed_when_debugged(sitting):
            played = play_match(rules, ticket, sitting, clock=limits)
            result = replace(played, isolation=str(level))
    if save is not None:
        write_text(save, result.replay.text + "\n")
    if as_json:
        print_text(_as_json(result))
    else:
        _show(rules, result, shows_logs=log)
        if save is not None:
            print_line(f"Replay written to {save}; walk through it with: arena replay {save}")
    if any(seat.fault is not None for seat in result.seats):
        raise typer.Exit(Exit.FORFEITED)


def _as_json(result: MatchResult) -> str:
    import json
    from dataclasses import asdict

    data = {
        "seed": result.ticket.seed,
        "end": result.end,
        "decisions": result.decisions,
        "seconds": result.seconds,
        "isolation": result.isolation,
        "seats": [asdict(seat) for seat in result.seats],
        "notes": list(result.notes),
    }
    return json.dumps(data, indent=2)


def _show(rules: Game, result: MatchResult, *, shows_logs: bool) -> None:
    from rich.text import Text

    from arena.cli.output import terminal
    from arena.report.leaderboard_table import ties_line
    from engine.render.drawing import lines
    from engine.replay.format import read_replay
    from engine.replay.verifier import state_at

    out, state = console(), state_at(read_replay(result.replay), result.decisions)
    print_line(
        f"{rules.name}, seed {result.ticket.seed}, isolation {result.isolation}: {result.decisions} decisions, ended by '{result.end}'"
    )
    print_line("")
    for line in lines(state, width=out.width, color=out.color_system is not None):
        out.print(Text.from_ansi(line, no_wrap=True), soft_wrap=True)
    print_line("")
    out.print(terminal(_table(result, state), out.width))
    if ties := ties_line(rules.name, result.seats):
        print_line(ties)
    for seat, played in enumerate(result.seats):
        if played.fault is not None:
            print_line(
                f"seat {seat}, {played.bot}, was replaced by a substitute from decision {played.fault.index + 1} on: "
                f"{played.fault.kind.value}: {played.fault.detail}"
            )
            if played.traceback:
                print_text(played.traceback)
            if played.log and not shows_logs:
                print_line("--log shows what it printed")
    for note in result.notes:
        print_line(f"note: {note}")
    for seat, played in enumerate(result.seats if shows_logs else ()):
        print_line("")
        print_line(f"seat {seat}, {played.bot}, printed{':' if played.log else ' nothing'}")
        if played.log:
            print_text(played.log.rstrip("\n"))


def _table(result: MatchResult, state: State) -> Table:
    from arena.report.table import Table
    from engine.text import figure

    tally, rows = state.tally(), []
    for seat in sorted(range(len(result.seats)), key=lambda seat: (result.seats[seat].rank, seat)):
        played = result.seats[seat]
        each = f"{1000 * played.seconds / played.decisions:.1f}" if played.decisions else "-"
        counted = [figure(values[seat]) for values in tally.values()]
        rows.append((str(played.rank), str(seat), played.bot, *counted, str(played.decisions), each))
    return Table("seats", "", ("rank", "seat", "bot", *tally, "asked", "ms each"), rows)


@report_errors
def play(
    bots: Annotated[list[str], typer.Argument(metavar="BOT...", help="The bots you play against, in the order of the seats.")],
    game: GameOption = None,
    option: OptionsOption = None,
    seat: Annotated[int, typer.Option(min=0, metavar="S", help="Your seat, from 0.")] = 0,
    seed: SeedOption = None,
    name: Annotated[str, typer.Option(metavar="N", help="Your name in the replay.")] = "you",
    save: SaveOption = None,
    runtime: RuntimeOption = None,
    isolation: IsolationOption = None,
    trust_bots: TrustOption = False,
) -> None:
    """Play against bots in the terminal.

    Type a move's number or its notation; ? lists the moves, b shows the board again, d describes the position, q gives up.

    [dim]arena play greedy spoiler --game NAME --save match.json[/dim]
    """
    import secrets

    from arena.bots import BEST, admit, choose_level, distinct_names, rehearse
    from arena.play.match import play_match
    from arena.spec.secret import SEED_BITS, derive_id
    from arena.tui.human_player import GaveUpError, TerminalPlayer
    from bots.host.player_pool import PlayerPool
    from bots.limits import Level
    from bots.loader.loading import identify, resolve
    from bots.protocol import ClockSpec
    from engine.records import Ticket

    rules, surroundings = read_game(game, option), read_runtime(runtime)
    players = len(bots) + 1
    if seat >= players:
        raise UserError(f"--seat {seat}: give a seat from 0 to {players - 1}, or name more bots")
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
            print_line("You gave up; the match was not kept.")
            return
    person.show_end(result)
    if save is not None:
        write_text(save, result.replay.text + "\n")
        print_line(f"Replay written to {save}; walk through it with: arena replay {save}")
