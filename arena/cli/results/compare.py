"""``arena compare``: is one bot better than another? It plays until a sequential test can tell."""

from __future__ import annotations

import sys
from contextlib import nullcontext, redirect_stdout
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.errors import Exit, report_errors
from arena.cli.options import (
    GameOption,
    IsolationOption,
    JsonOption,
    OptionsOption,
    RuntimeOption,
    TrustOption,
    complete_bot,
    executor_at,
    read_game,
    read_runtime,
)
from arena.cli.output import console, print_text
from leaderboard.ratings.sprt import MAX_BLOCKS, MIN_BLOCKS, Hypotheses

if TYPE_CHECKING:
    from rich.console import Console

    from arena.analysis.compare import Comparison, ComparisonPlan, ComparisonRun
    from arena.cli.results.compare_view import ComparisonText
    from arena.play.executors.base import Executor, Job
    from bots.loader.version import BotVersion
    from bots.runtime import Runtime
    from bots.sandbox.levels import Level
    from engine.core import Game


@report_errors
def compare(
    new: Annotated[
        str,
        typer.Argument(
            metavar="NEW", help="The bot that may be better, given as for 'arena match'.", show_default=False, autocompletion=complete_bot
        ),
    ],
    old: Annotated[str, typer.Argument(metavar="OLD", help="The bot to beat.", show_default=False, autocompletion=complete_bot)],
    field: Annotated[str | None, typer.Option(metavar="BOT,BOT", help="Bots for the other seats.")] = None,
    players: Annotated[int | None, typer.Option(min=1, metavar="N", help="Seats at the table; the field fills the others in turn.")] = None,
    max_blocks: Annotated[int, typer.Option(min=1, metavar="N", help="Stop undecided after this many blocks.")] = MAX_BLOCKS,
    adjusted: Annotated[bool, typer.Option("--adjusted", help="Decide by scores adjusted for the luck of draws and dice.")] = False,
    seed: Annotated[int | None, typer.Option(min=0, metavar="S", help="The seed that all others derive from; default: drawn.")] = None,
    game: GameOption = None,
    option: OptionsOption = None,
    runtime: RuntimeOption = None,
    db: Annotated[str | None, typer.Option(metavar="FILE|URL", help="A database with submitted bots, such as walker@2.")] = None,
    isolation: IsolationOption = None,
    trust_bots: TrustOption = False,
    as_json: JsonOption = False,  # an option
) -> None:
    """Play NEW against OLD until it is clear whether NEW is better.

    Exit codes: 0 NEW is better, 3 it is not, 4 undecided; 1 the machine failed, 2 wrong input, 130 Ctrl-C (prints what is known).

    [dim]arena compare my_bot.py greedy --game NAME --seed 7[/dim]
    [dim]arena compare new.py old.py --field greedy,random --game NAME[/dim]
    """
    import secrets

    from arena.analysis.compare import ComparisonRun, make_comparison_plan
    from arena.analysis.match_luck import KeptLuck
    from arena.cli.results.compare_view import ComparisonText
    from arena.play.executors.base import Job
    from arena.play.isolation import BEST, choose_level
    from arena.result_cache import open_cache
    from arena.spec.seeds import SEED_BITS
    from bots.protocol import ClockSpec

    rules = read_game(game, option)
    surroundings, level = read_runtime(runtime), choose_level(isolation or BEST)
    sources = [new, old, *(each for each in (field or "").split(",") if each)]
    versions = prepare_bots(sources, rules, surroundings, level, db=db, trust_bots=trust_bots)
    names = [version.name for version in versions]
    chosen_seed = secrets.randbits(SEED_BITS) if seed is None else seed
    plan = make_comparison_plan(rules, names[0], names[1], names[2:], seed=chosen_seed, players=players)
    hypotheses = Hypotheses(min_blocks=min(MIN_BLOCKS, max_blocks), max_blocks=max_blocks)
    comparing = ComparisonRun(plan, hypotheses, KeptLuck(rules, open_cache()).of_results if adjusted else None)
    job = Job(rules.name, rules.options, _entered(plan, versions), ClockSpec(), level, surroundings)
    player = executor_at(level)
    text = ComparisonText(plan, f"{player.description}, isolation {level}")
    try:
        is_interrupted = play_comparison(comparing, job, player, text, console(err=as_json))
    finally:
        player.close()
    print_text(text.json(comparing.result, job.bots) if as_json else text.conclusion(comparing.result))
    raise typer.Exit(Exit.INTERRUPTED if is_interrupted else exit_code(comparing.result))


def prepare_bots(
    sources: list[str],
    game: Game,
    runtime: Runtime,
    level: Level,
    *,
    db: str | None = None,
    trust_bots: bool,
) -> list[BotVersion]:
    """Return the versions that play, after a rehearsal of each; a bot named twice is read once. Raises BotError and StoreError."""
    from arena.entries.bot_resolution import find_bot
    from arena.entries.preflight import rehearse
    from arena.play.isolation import admit
    from bots.host.player_pool import PlayerPool
    from bots.protocol import ClockSpec
    from bots.sandbox.levels import Level
    from leaderboard.storage.store import Store

    with redirect_stdout(sys.stderr), Store.read(db) if db is not None else nullcontext() as store:  # output of bots is not a result
        in_process = level is Level.NONE
        versions = {source: find_bot(source, store, in_process=in_process, most=runtime.most_bytes) for source in dict.fromkeys(sources)}
    admit(list(versions.values()), level, trusted=trust_bots, clock=ClockSpec())
    with PlayerPool(level, game=game, runtime=runtime) as pool:
        rehearse(versions.values(), game, pool)
    return [versions[source] for source in sources]


def _entered(plan: ComparisonPlan, versions: list[BotVersion]) -> dict[str, BotVersion]:
    """Return the versions by the names they play under; those of the field fill its seats in turn."""
    new, old, *field = versions
    return {plan.new: new, plan.old: old} | {name: field[seat % len(field)] for seat, name in enumerate(plan.field)}


def play_comparison(comparing: ComparisonRun, job: Job, player: Executor, text: ComparisonText, out: Console | None) -> bool:
    """Play until the test is over; return whether it was interrupted. Results so far are shown even if an error is raised."""
    from arena.cli.results.compare_view import ComparisonView
    from arena.cli.run.progress import handling

    try:
        with ComparisonView(out, text) as view, handling(interrupt):
            try:
                comparing.play(job, player, view.show)
            except KeyboardInterrupt:
                return True
            finally:
                view.close(comparing.result)
    except KeyboardInterrupt:  # a second Ctrl-C, while the run was ending
        return True
    return False


def interrupt(_number: int, _frame: object) -> None:
    """Make a signal end the command as Ctrl-C does."""
    raise KeyboardInterrupt


def exit_code(result: Comparison) -> Exit:
    """Return the verdict as an exit code for scripts."""
    from leaderboard.ratings.sprt import Verdict

    codes = {Verdict.BETTER: Exit.DONE, Verdict.NOT_BETTER: Exit.NOT_BETTER, Verdict.UNDECIDED: Exit.UNDECIDED}
    return codes[result.test.verdict]
