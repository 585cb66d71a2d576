"""``arena tune``: finds good values for a bot's parameters, and compares them with the default ones."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
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
    make_executor,
    read_clock,
    read_game,
    read_runtime,
)
from arena.cli.output import console, print_json, print_line
from leaderboard.ratings.sprt import Hypotheses, Verdict

if TYPE_CHECKING:
    from rich.console import Console

    from arena.analysis.compare import Comparison
    from arena.analysis.tuning import Optimum, StudyFile, Tuning, TuningState
    from arena.play.executors.base import Executor, Job
    from bots.loader.params import ParamValue
    from bots.loader.version import BotVersion


@report_errors
def tune(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="The bot, whose class declares 'params'.", show_default=False)],
    param: Annotated[
        list[str],
        typer.Option(metavar="RANGE", help="depth=1..6, caution=0.1:2, rate=0.001:1:log or style=calm,bold; once for each parameter."),
    ],
    against: Annotated[str, typer.Option(metavar="BOT,BOT", help="The rivals, who take the other seats in turn.")] = "greedy",
    players: Annotated[int | None, typer.Option(min=2, metavar="N", help="Seats at the table; default: the game's minimum.")] = None,
    trials: Annotated[int, typer.Option(min=1, metavar="N", help="Sets of values to try, in all.")] = 40,
    blocks: Annotated[int, typer.Option(min=16, metavar="N", help="Blocks of a trial that is not stopped early.")] = 64,
    compared: Annotated[int, typer.Option(min=0, metavar="N", help="Maximum blocks of the comparison at the end; 0 skips it.")] = 400,
    study: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File that keeps the trials; default: BOT.tune.", show_default=False)
    ] = None,
    seed: Annotated[int, typer.Option(min=0, metavar="S", help="The seed that all others are derived from.")] = 0,
    game: GameOption = None,
    option: OptionsOption = None,
    clock: ClockOption = None,
    runtime: RuntimeOption = None,
    workers: WorkersOption = None,
    executor: ExecutorOption = ExecutorName.AUTO,
    address: AddressOption = None,
    isolation: IsolationOption = None,
    require_isolation: RequireOption = None,
    trust_bots: TrustOption = False,
    as_json: JsonOption = False,  # an option
) -> None:
    """Find good values for the parameters of a bot by playing, and compare them with its default ones.

    Trials are kept in a file: after Ctrl-C, the same command continues, and more --trials extend it.
    Exit codes: 0 the values found are better than the default ones, 3 they are not, 4 undecided; 1, 2 and 130 as for 'arena compare'.

    [dim]arena tune my_bot.py --param depth=1..6 --param caution=0.1:2 --against expert,learned --game NAME[/dim]
    """
    if find_spec("optuna") is None or find_spec("sklearn") is None:
        raise UserError("'arena tune' needs Optuna and scikit-learn: pip install 'tile-arena[tune]'")
    from arena.analysis.tuning import StudyFile, Tuning, TuningPlan, limits_of, read_space
    from arena.cli.results.compare import exit_code, prepare_bots
    from arena.entries.preflight import distinct_names
    from arena.play.executors.base import Job
    from arena.play.isolation import BEST, choose_level

    space = read_space(param)
    rules = read_game(game, option)
    seats = players or max(2, rules.min_players)
    rules.check_start(seats, seed)
    limits, surroundings = read_clock(clock), read_runtime(runtime)
    level = choose_level(isolation or BEST, require_isolation)
    if "?" in bot:
        raise UserError(f"{bot}: parameters that are not tuned keep the defaults in the bot's file; name the bot without '?'")
    limiting = [f"{bot}?{'&'.join(f'{name}={_text(value)}' for name, value in each.items())}" for each in limits_of(space)]
    rivals = [each for each in against.split(",") if each]
    if not rivals:
        raise UserError("--against has no bot; give at least one, such as --against greedy")
    versions = prepare_bots([bot, *rivals, *limiting], rules, surroundings, level, trust_bots=trust_bots, clock=limits)
    own, others = versions[0], versions[1 : 1 + len(rivals)]
    plan = TuningPlan(rules, own.name, tuple(distinct_names([own.name, *(each.name for each in others)])[1:]), seats, seed)
    facts = {
        "bot": own.digest, "--param": sorted(param), "--against": [each.digest for each in others], "game": rules.name,
        "--option": dict(rules.options), "--players": seats, "--seed": seed, "--clock": repr(limits),
    }  # fmt: skip
    file = StudyFile(study or Path(f"{own.name}.tune"), facts)
    job = Job(rules.name, rules.options, {}, limits, level, surroundings)
    tuning = Tuning(file, space, plan, own, dict(zip(plan.rivals, others, strict=True)), job)
    player = make_executor(executor, workers, address)
    out = None if as_json else console()
    try:
        if out is not None:
            names = " and ".join(each.name for each in others)
            out.print(f"{own.name} against {names} at tables of {seats}, {trials} trials of up to {blocks} blocks, kept in {file.path}")
            out.print(f"{rules.name}, seed {seed}, on {player.description}, isolation {level}", highlight=False)
        _play(tuning, file, trials, blocks, player, out)
        optimum = tuning.optimum()
        result = (
            _compare(tuning.version(optimum.params), own, job, player, Hypotheses(max_blocks=compared), seed, out) if compared else None
        )
    finally:
        player.close()
    reference = f"{bot}?{'&'.join(f'{name}={_text(value)}' for name, value in optimum.params.items())}"
    if as_json:
        print_json(_data(reference, optimum, tuning, file, result))
    else:
        _conclude(reference, optimum, tuning, file, result)
    raise typer.Exit(Exit.DONE if result is None else exit_code(result))


def _text(value: ParamValue) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _play(tuning: Tuning, file: StudyFile, trials: int, blocks: int, player: Executor, out: Console | None) -> None:
    """Play the trials that are missing. Ctrl-C ends the command; trials that have ended are kept."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from arena.cli.results.compare import interrupt
    from arena.cli.run.progress import handling

    bar = Progress(
        TextColumn("trials"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeRemainingColumn(),
        console=out, transient=True, disable=out is None or not out.is_terminal,
    )  # fmt: skip
    with bar:
        task = bar.add_task("", total=trials)

        def show(state: TuningState) -> None:
            values = ", ".join(f"{name} {_text(value)}" for name, value in state.trial.params.items())
            score = f"{values}: {state.trial.mean:.3f} in {len(state.trial.scores)} blocks"
            bar.update(task, completed=state.ended, description=score)
            if state.is_over and out is not None and not out.is_terminal:
                out.print(f"trial {state.ended} of {trials}: {score}", highlight=False)

        with handling(interrupt):
            try:
                tuning.play(trials, blocks, player, show)
            except KeyboardInterrupt:
                bar.stop()
                print_line(f"Stopped after {len(file.trials)} trials, kept in {file.path}; run the same command to continue.", err=True)
                raise typer.Exit(Exit.INTERRUPTED) from None


def _compare(
    best: BotVersion, own: BotVersion, job: Job, player: Executor, hypotheses: Hypotheses, seed: int, out: Console | None
) -> Comparison:
    """Play the values found against the default ones, at tables of two on fresh seeds."""
    from arena.analysis.compare import ComparisonRun, make_comparison_plan
    from arena.cli.results.compare import play_comparison
    from arena.cli.results.compare_view import ComparisonText
    from arena.spec.seeds import derive_seed

    plan = make_comparison_plan(job.make_game(), "tuned", "default", [], seed=derive_seed("tuned", seed), players=2)
    comparing = ComparisonRun(plan, hypotheses)
    bots = {plan.new: best, plan.old: own}
    play_comparison(comparing, replace(job, bots=bots), player, ComparisonText(plan, player.description, has_elo=False), out)
    return comparing.result


def _conclude(reference: str, optimum: Optimum, tuning: Tuning, file: StudyFile, result: Comparison | None) -> None:
    """Print the optimum with its intervals, the verdict, and the line to paste."""
    print_line(f"{len(file.trials)} trials, {tuning.matches:,} matches; expected score of the best values {optimum.score:.3f} +- "
               f"{1.96 * optimum.error:.3f}")  # fmt: skip
    for name, value in optimum.params.items():
        values = [_text(each) for each in optimum.intervals[name]]
        where = f"95 % interval {values[0]} to {values[1]}" if tuning.is_number(name) else f"may be {' or '.join(values)}"
        print_line(f"{name} = {_text(value)} ({where})")
    if result is not None:
        words = {Verdict.BETTER: "better than", Verdict.NOT_BETTER: "no better than", Verdict.UNDECIDED: "not clearly better than"}
        print_line(f"The tuned bot is {words[result.test.verdict]} the default one.")
    print_line(f"'{reference}'")


def _data(reference: str, optimum: Optimum, tuning: Tuning, file: StudyFile, result: Comparison | None) -> dict[str, object]:
    return {
        "bot": reference,
        "params": dict(optimum.params),
        "intervals": {name: list(values) for name, values in optimum.intervals.items()},
        "score": optimum.score,
        "error": optimum.error,
        "trials": [{"params": dict(each.params), "score": each.mean, "blocks": len(each.scores)} for each in file.trials],
        "matches": tuning.matches,
        "verdict": None if result is None else result.test.verdict.value,
        "blocks_compared": None if result is None else result.test.blocks,
        "share": None if result is None else result.test.mean,
    }
