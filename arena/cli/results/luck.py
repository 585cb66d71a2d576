"""``arena luck``: measure how much luck blocks cancel, with a shared deck and with a deck for each match."""

from __future__ import annotations

import json
import sys
from contextlib import redirect_stdout
from dataclasses import asdict
from math import isnan
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.errors import Exit, report_errors
from arena.cli.options import (
    ClockOption,
    ExecutorName,
    ExecutorOption,
    GameOption,
    IsolationOption,
    JsonOption,
    OptionsOption,
    RuntimeOption,
    TrustOption,
    WorkersOption,
    make_executor,
    read_clock,
    read_game,
    read_runtime,
)
from arena.cli.output import print_text
from arena.cli.results.analyse import progress

if TYPE_CHECKING:
    from arena.analysis.block_luck import LuckRun
    from bots.loader.version import BotVersion
    from leaderboard.statistics.luck import Luck, Part


@report_errors
def luck(
    bots: Annotated[
        list[str] | None, typer.Argument(metavar="BOT...", help="The line-up, given as for 'arena match'; it fills the seats in turn.")
    ] = None,
    players: Annotated[int, typer.Option(min=1, metavar="N", help="Seats; with 1, each bot plays alone.")] = 2,
    blocks: Annotated[int, typer.Option(min=2, metavar="N", help="Blocks; each is played three times.")] = 400,
    seed: Annotated[int, typer.Option(min=0, metavar="S", help="The seed that all decks are derived from.")] = 7,
    game: GameOption = None,
    option: OptionsOption = None,
    clock: ClockOption = None,
    runtime: RuntimeOption = None,
    workers: WorkersOption = None,
    executor: ExecutorOption = ExecutorName.AUTO,
    isolation: IsolationOption = None,
    trust_bots: TrustOption = False,
    as_json: JsonOption = False,  # an option
) -> None:
    """Measure luck: how much of a result deck and seat explain, and how much shared decks cancel.

    One line-up plays blocks in which every bot sits in every seat: with one deck, again with that deck, and with a deck for each match.

    [dim]arena luck greedy spoiler --game NAME --blocks 400[/dim]
    [dim]arena luck greedy random --game NAME --players 1[/dim]
    """
    from arena.analysis.block_luck import LuckRun, make_luck_plan
    from arena.cli.results.compare import prepare_bots
    from arena.play.executors.base import Job
    from arena.play.isolation import BEST, choose_level

    sources = bots or ["greedy"]
    rules = read_game(game, option)
    plan = make_luck_plan(rules, sources, players=players, blocks=blocks, seed=seed)
    surroundings = read_runtime(runtime)
    level = choose_level(isolation or BEST)
    read = prepare_bots(sources, rules, surroundings, level, trust_bots=trust_bots)
    versions = {name: read[seat % len(read)] for seat, name in enumerate(plan.names)}
    run = LuckRun(plan, {name: version.name for name, version in versions.items()})
    player = make_executor(executor, workers, None)
    try:
        with redirect_stdout(sys.stderr), progress("matches") as report:
            job = Job(rules.name, rules.options, versions, read_clock(clock), level, surroundings)
            run.play(job, player, lambda played: report(played, plan.total) if report else None)
    except KeyboardInterrupt:
        raise typer.Exit(Exit.INTERRUPTED) from None
    finally:
        player.close()
    print_text(_json(run, versions) if as_json else _text(run))


def _text(run: LuckRun) -> str:
    """The figures of each kind of pair, and their interpretation."""
    from engine.text import one_line

    plan = run.plan
    options = "".join(f" {key}={value}" for key, value in plan.game.options.items())
    seats = "alone" if plan.players == 1 else f"{plan.players} seats"
    lines = [f"{plan.game.name}{options}, {seats}, {plan.blocks} blocks, seed {plan.seed}: {', '.join(plan.names)}"]
    for (one, other), measured in run.measure().items():
        lines += ["", f"{one_line(one)} and {one_line(other)}", *_figures(measured, is_solo=plan.players == 1)]
        lines.append(sentence(measured))
    if run.forfeits:
        lines += ["", f"{run.forfeits} seats were forfeited and played on by the substitute; the figures include them."]
    return "\n".join(lines)


def _figures(measured: Luck, *, is_solo: bool) -> list[str]:
    rows = [
        ("var(block) * k / var(match), one deck", measured.shared),
        ("var(block) * k / var(match), a deck for each match", measured.own),
        ("share of a match's variance by its deck", measured.deck),
        *([] if is_solo else [("share of a match's variance by the seat", measured.seat)]),
    ]
    return [f"  {what:<52}{_shown(part)}" for what, part in rows]


def _shown(part: Part) -> str:
    if isnan(part.value):
        return "   -"
    return f"{part.value + 0.0:5.2f}  ({part.low + 0.0:.2f} to {part.high + 0.0:.2f})"


def sentence(measured: Luck) -> str:
    """The interpretation of the figures in one sentence."""
    from leaderboard.statistics.luck import Effect

    if measured.effect is Effect.UNKNOWN:
        return "All matches end alike between these two, so there is no luck to be cancelled."
    unshared = (measured.shared.value + measured.saved.value) / 100
    change, least, most = (-each / unshared for each in (measured.saved.value, measured.saved.high, measured.saved.low))
    what = {Effect.LESS: "cancels luck", Effect.MORE: "adds luck"}.get(measured.effect, "cancels nothing measurable")
    return f"Sharing a deck {what}: it changes the variance of a block's mean by {change:+.0f} % ({least:+.0f} to {most:+.0f} %)."


def _json(run: LuckRun, versions: dict[str, BotVersion]) -> str:
    plan = run.plan
    data = {
        "game": plan.game.name,
        "options": dict(plan.game.options),
        "players": plan.players,
        "blocks": plan.blocks,
        "matches": run.played,
        "forfeits": run.forfeits,
        "seed": plan.seed,
        "bots": [{"name": name, "version": versions[name].digest} for name in plan.names],
        "pairs": [
            {"bots": list(kind), "effect": measured.effect.value, "says": sentence(measured), **_numbers(measured)}
            for kind, measured in run.measure().items()
        ],
    }
    return json.dumps(data, indent=2)


def _numbers(measured: Luck) -> dict[str, object]:
    """Return every part with its interval; null for parts without variation."""
    parts = {name: part for name, part in asdict(measured).items() if isinstance(part, dict)}
    return {name: {key: None if isnan(value) else value for key, value in part.items()} for name, part in parts.items()}
