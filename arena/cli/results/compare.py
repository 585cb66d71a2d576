"""``arena compare``: is one bot better than another? It plays until a sequential test can tell."""

from __future__ import annotations

import sys
from contextlib import nullcontext, redirect_stdout
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.errors import Exit, UserError, report_errors
from arena.cli.options import (
    AddressOption,
    ClockOption,
    ExecutorName,
    ExecutorOption,
    GameOption,
    IsolationOption,
    JsonOption,
    OptionsOption,
    RequireOption,
    RuntimeOption,
    TrustOption,
    WorkersOption,
    complete_bot,
    make_executor,
    read_clock,
    read_game,
    read_runtime,
)
from arena.cli.output import console, print_text
from leaderboard.ratings.sprt import ERROR_RATE, H0, H1, MAX_BLOCKS, MIN_BLOCKS

if TYPE_CHECKING:
    from rich.console import Console

    from arena.analysis.compare import Comparison, ComparisonPlan, ComparisonRun, Seating
    from arena.cli.results.compare_view import ComparisonText
    from arena.play.executors.base import Executor, Job
    from bots.loader.version import BotVersion
    from bots.protocol import ClockSpec
    from bots.runtime import Runtime
    from bots.sandbox.levels import Level
    from engine.core import Game
    from leaderboard.ratings.sprt import Hypotheses

Pair = tuple[float | None, float | None]


@report_errors
def compare(
    new: Annotated[
        str,
        typer.Argument(
            metavar="NEW", help="The bot that may be better, given as for 'arena match'.", show_default=False, autocompletion=complete_bot
        ),
    ],
    old: Annotated[str, typer.Argument(metavar="OLD", help="The bot to beat.", show_default=False, autocompletion=complete_bot)],
    more: Annotated[
        list[str] | None, typer.Argument(metavar="BOT", help="More bots of the field, after --field.", show_default=False)
    ] = None,
    field: Annotated[list[str] | None, typer.Option(metavar="BOT...", help="Bots for the other seats.")] = None,
    players: Annotated[int | None, typer.Option(min=1, metavar="N", help="Seats at the table; the field fills the others in turn.")] = None,
    seating: Annotated[
        str | None, typer.Option(metavar="HOW", help="together (both at each table), or apart (each meets the field).")
    ] = None,
    h0: Annotated[float | None, typer.Option(metavar="SHARE", help=f"Mean score if NEW is not better; {H0:.2f} by default.")] = None,
    h1: Annotated[float | None, typer.Option(metavar="SHARE", help=f"Mean score if NEW is better; {H1:.2f} by default.")] = None,
    elo0: Annotated[float | None, typer.Option(metavar="ELO", help="--h0 as a difference in Elo.")] = None,
    elo1: Annotated[float | None, typer.Option(metavar="ELO", help="--h1 as a difference in Elo.")] = None,
    alpha: Annotated[float, typer.Option(metavar="RATE", help="How often 'better' may be wrong.")] = ERROR_RATE,
    beta: Annotated[float, typer.Option(metavar="RATE", help="How often 'not better' may be wrong.")] = ERROR_RATE,
    min_blocks: Annotated[
        int | None,
        typer.Option(metavar="N", help=f"Decide nothing before this many blocks; default: {MIN_BLOCKS}, or --max-blocks if less."),
    ] = None,
    max_blocks: Annotated[int, typer.Option(metavar="N", help="Stop undecided after this many blocks.")] = MAX_BLOCKS,
    adjusted: Annotated[bool, typer.Option("--adjusted", help="Decide by scores adjusted for the luck of draws and dice.")] = False,
    seed: Annotated[int | None, typer.Option(min=0, metavar="S", help="The seed that all others derive from; default: drawn.")] = None,
    game: GameOption = None,
    option: OptionsOption = None,
    clock: ClockOption = None,
    runtime: RuntimeOption = None,
    db: Annotated[str | None, typer.Option(metavar="FILE|URL", help="A database with submitted bots, such as walker@2.")] = None,
    workers: WorkersOption = None,
    executor: ExecutorOption = ExecutorName.AUTO,
    address: AddressOption = None,
    isolation: IsolationOption = None,
    require_isolation: RequireOption = None,
    trust_bots: TrustOption = False,
    as_json: JsonOption = False,  # an option
) -> None:
    """Play NEW against OLD until it is clear whether NEW is better.

    Exit codes: 0 NEW is better, 3 it is not, 4 undecided; 1 the machine failed, 2 wrong input, 130 Ctrl-C (prints what is known).
    The result is the same for any number of workers.

    [dim]arena compare my_bot.py greedy --game NAME --seed 7[/dim]
    [dim]arena compare new.py old.py --field greedy random --game NAME[/dim]
    """
    import secrets

    from arena.analysis.compare import ComparisonRun, make_comparison_plan
    from arena.analysis.match_luck import KeptLuck
    from arena.cli.results.compare_view import ComparisonText
    from arena.play.executors.base import Job
    from arena.play.isolation import BEST, choose_level
    from arena.result_cache import open_cache
    from arena.spec.seeds import SEED_BITS

    if more and not field:
        raise UserError(f"only two bots are compared, so {more[0]} is too many; to seat other bots, use --field {more[0]}")
    rules = read_game(game, option)
    hypotheses = _hypotheses(
        (h0, h1),
        (elo0, elo1),
        alpha=alpha,
        beta=beta,
        min_blocks=min(MIN_BLOCKS, max_blocks) if min_blocks is None else min_blocks,
        max_blocks=max_blocks,
    )
    limits, surroundings = read_clock(clock), read_runtime(runtime)
    level = choose_level(isolation or BEST, require_isolation)
    sources = [new, old, *(field or []), *(more or [])]
    versions = prepare_bots(sources, rules, surroundings, level, db=db, trust_bots=trust_bots, clock=limits)
    names = [version.name for version in versions]
    chosen_seed = secrets.randbits(SEED_BITS) if seed is None else seed
    plan = make_comparison_plan(rules, names[0], names[1], names[2:], seed=chosen_seed, players=players, seating=_seating(seating))
    if elo0 is not None and plan.seating == "apart":
        raise UserError("with --seating apart, the score is a difference in places, which has no Elo; give --h0 and --h1")
    comparing = ComparisonRun(plan, hypotheses, KeptLuck(rules, open_cache()).of_results if adjusted else None)
    job = Job(rules.name, rules.options, _entered(plan, versions), limits, level, surroundings)
    player = make_executor(executor, workers, address)
    text = ComparisonText(plan, f"{player.description}, isolation {level}", has_elo=elo0 is not None)
    try:
        is_interrupted = play_comparison(comparing, job, player, text, console(err=as_json))
    finally:
        player.close()
    print_text(text.json(comparing.result, job.bots) if as_json else text.conclusion(comparing.result))
    raise typer.Exit(Exit.INTERRUPTED if is_interrupted else exit_code(comparing.result))


def _hypotheses(shares: Pair, elos: Pair, *, alpha: float, beta: float, min_blocks: int, max_blocks: int) -> Hypotheses:
    """Return the hypotheses, given as shares or in Elo. Raises UserError and InputError."""
    from leaderboard.ratings.sprt import Hypotheses, share_of_elo

    h0, h1 = shares
    elo0, elo1 = elos
    if (elo0 is None) != (elo1 is None):
        raise UserError("--elo0 and --elo1 go together; give both")
    if elo0 is not None and elo1 is not None:
        if h0 is not None or h1 is not None:
            raise UserError("give either --h0 and --h1, or --elo0 and --elo1")
        h0, h1 = share_of_elo(elo0), share_of_elo(elo1)
        if elo0 >= elo1:
            raise UserError(f"--elo0 ({elo0:g}) must be less than --elo1 ({elo1:g})")
    return Hypotheses(
        h0=H0 if h0 is None else h0, h1=H1 if h1 is None else h1, alpha=alpha, beta=beta, min_blocks=min_blocks, max_blocks=max_blocks
    )


def _seating(text: str | None) -> Seating | None:
    from arena.analysis.compare import Seating

    try:
        return None if text is None else Seating(text)
    except ValueError:
        raise UserError(f"--seating {text}: write together or apart") from None


def prepare_bots(
    sources: list[str],
    game: Game,
    runtime: Runtime,
    level: Level,
    *,
    db: str | None = None,
    trust_bots: bool,
    clock: ClockSpec | None = None,
) -> list[BotVersion]:
    """Return the versions that play, after a rehearsal of each; a bot named twice is read once. Raises BotError and StoreError."""
    from arena.entries.bot_resolution import find_bot
    from arena.entries.preflight import rehearse
    from arena.play.isolation import admit
    from bots.host.player_pool import PlayerPool
    from bots.sandbox.levels import Level
    from leaderboard.storage.store import Store

    with redirect_stdout(sys.stderr), Store.read(db) if db is not None else nullcontext() as store:  # output of bots is not a result
        in_process = level is Level.NONE
        versions = {source: find_bot(source, store, in_process=in_process, most=runtime.most_bytes) for source in dict.fromkeys(sources)}
    admit(list(versions.values()), level, trusted=trust_bots, clock=clock)
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
