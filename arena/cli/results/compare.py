"""``arena compare``: plays NEW against OLD until a sequential test shows whether NEW is better."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from contextlib import nullcontext, redirect_stdout
from dataclasses import dataclass
from statistics import pvariance
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Final, Self

import typer
from rich.console import Console
from rich.live import Live
from rich.text import Text

from arena.cli.options import (
    GameOption,
    IsolationOption,
    JsonOption,
    OptionsOption,
    RuntimeOption,
    TrustOption,
    read_game,
    read_runtime,
)
from arena.cli.output import Exit, console, print_text, report_errors
from arena.cli.run.run import LINE_SECONDS, executor_at, handling
from leaderboard.ratings.sprt import CONFIDENCE, MAX_BLOCKS, MIN_BLOCKS, Hypotheses, Verdict

if TYPE_CHECKING:
    from arena.analysis.compare import Comparison, ComparisonPlan, ComparisonRun
    from arena.play.executors.base import Executor, Job
    from bots.limits import Level, Runtime
    from bots.loader.version import BotVersion
    from engine.core import Game, OptionValue


BAR: Final = 31
"""The number of characters in the bar that ``bar`` draws; odd, so that the bar has a middle."""
REFRESH_SECONDS: Final = 0.25


@report_errors
def compare(
    new: Annotated[
        str,
        typer.Argument(metavar="NEW", help="The bot that may be better, given as for 'arena match'.", show_default=False),
    ],
    old: Annotated[str, typer.Argument(metavar="OLD", help="The bot to beat.", show_default=False)],
    field: Annotated[str | None, typer.Option(metavar="BOT,BOT", help="Bots for the other seats.")] = None,
    players: Annotated[int | None, typer.Option(min=1, metavar="N", help="Seats at the table; the field is repeated to fill it.")] = None,
    max_blocks: Annotated[int, typer.Option(min=1, metavar="N", help="Stop after this many blocks, even if undecided.")] = MAX_BLOCKS,
    adjusted: Annotated[bool, typer.Option("--adjusted", help="Compare scores adjusted for the luck of draws and dice.")] = False,
    seed: Annotated[int | None, typer.Option(min=0, metavar="S", help="The seed from which all others derive; default: random.")] = None,
    game: GameOption = None,
    option: OptionsOption = None,
    runtime: RuntimeOption = None,
    db: Annotated[str | None, typer.Option(metavar="FILE|URL", help="For submitted bots, such as walker@2: their database.")] = None,
    isolation: IsolationOption = None,
    trust_bots: TrustOption = False,
    as_json: JsonOption = False,
) -> None:
    """Play NEW against OLD until it is clear whether NEW is better.

    Exit codes: 0 NEW is better, 3 it is not, 4 undecided; 1 the machine failed, 2 wrong input, 130 Ctrl-C (prints the results so far).

    [dim]arena compare my_bot.py greedy --game NAME --seed 7[/dim]
    [dim]arena compare new.py old.py --field greedy,random --game NAME[/dim]
    """
    import secrets

    from arena.analysis.compare import ComparisonRun, make_comparison_plan
    from arena.analysis.match_luck import KeptLuck
    from arena.bots import BEST, choose_level
    from arena.play.executors.base import Job
    from arena.result_cache import open_cache
    from arena.spec.secret import SEED_BITS
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
    """Return a version for each source, after trying all of them out; a bot named twice is read once. Raises BotError and StoreError."""
    from arena.bots import admit, find_bot, rehearse
    from bots.host.player_pool import PlayerPool
    from bots.limits import Level
    from bots.protocol import ClockSpec
    from leaderboard.storage.store import Store

    with redirect_stdout(sys.stderr), Store.read(db) if db is not None else nullcontext() as store:  # output of bots is not a result
        in_process = level is Level.NONE
        versions = {source: find_bot(source, store, in_process=in_process, most=runtime.most_bytes) for source in dict.fromkeys(sources)}
    admit(list(versions.values()), level, trusted=trust_bots, clock=ClockSpec())
    with PlayerPool(level, game=game, runtime=runtime) as pool:
        rehearse(versions.values(), game, pool)
    return [versions[source] for source in sources]


def _entered(plan: ComparisonPlan, versions: list[BotVersion]) -> dict[str, BotVersion]:
    """Return the versions by the names they play under; the bots of the field fill its seats in turn."""
    new, old, *field = versions
    return {plan.new: new, plan.old: old} | {name: field[seat % len(field)] for seat, name in enumerate(plan.field)}


def play_comparison(comparing: ComparisonRun, job: Job, player: Executor, text: ComparisonText, out: Console | None) -> bool:
    """Play until the test is over; return whether it was interrupted. Results so far are shown even if an error is raised."""

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
    """Handle a signal by raising KeyboardInterrupt, so that it ends the command as Ctrl-C does."""
    raise KeyboardInterrupt


def exit_code(result: Comparison) -> Exit:
    """Return the verdict as an exit code for scripts."""
    codes = {Verdict.BETTER: Exit.DONE, Verdict.NOT_BETTER: Exit.NOT_BETTER, Verdict.UNDECIDED: Exit.UNDECIDED}
    return codes[result.test.verdict]


@dataclass(frozen=True, slots=True)
class ComparisonText:
    """Describes a comparison in words; ``where`` describes the executor."""

    plan: ComparisonPlan
    where: str

    def heading(self) -> str:
        """Return a description of the comparison and where it runs."""
        plan = self.plan
        field = f", with {', '.join(plan.field)}" if plan.field else ""
        options = "".join(f" {key}={_written(value)}" for key, value in plan.game.options.items())
        seats = "in solo play" if plan.players == 1 else f"in {plan.players}-player matches{field}"
        return f"{plan.new} against {plan.old} {seats}\n{plan.game.name}{options}, seed {plan.seed}, on {self.where}"

    def figures(self, result: Comparison) -> str:
        """Return lines with the test's log-likelihood ratio, the estimated score, and the numbers of blocks and outcomes."""
        test = result.test
        interval = test.interval()
        what = ("" if result.raw is None else "luck-adjusted ") + ("share of the points" if self._is_share else "score")
        lines = [
            f"{bar(test.log_ratio, test.hypotheses)}  LLR {test.log_ratio:+.2f}",
            f"{what} {test.mean:.3f}, {CONFIDENCE:.0%} interval {interval.low:.3f} to {interval.high:.3f}; {test.hypotheses.h1:.3g} tested "
            f"against {test.hypotheses.h0:.3g}",
            f"{result.matches} matches in {test.blocks} block{'s' if test.blocks != 1 else ''}" + self._outcomes(result),
        ]
        if result.raw:
            as_many = f"without the adjustment, the same certainty would take {_gain(result):.2f} times as many matches"
            lines.insert(2, f"unadjusted {sum(result.raw) / len(result.raw):.3f}; {as_many}")
        return "\n".join(lines)

    @property
    def _is_share(self) -> bool:
        return self.plan.players > 1

    def _outcomes(self, result: Comparison) -> str:
        if not self._is_share:
            return ""
        return f": {self.plan.new} ahead in {result.wins}, level in {result.ties}, behind in {result.losses}"

    def conclusion(self, result: Comparison) -> str:
        """Return a sentence for each bot that forfeited matches, and the verdict."""
        lines = [
            f"{name} forfeited {number} of its matches (first: {fault.kind.value}{f', {fault.detail}' if fault.detail else ''})."
            for name, number in result.forfeits.items()
            if (fault := result.faults.get(name)) is not None
        ]
        return "\n".join([*lines, self._verdict(result)])

    def _verdict(self, result: Comparison) -> str:
        plan, test = self.plan, result.test
        tested, interval = test.hypotheses, test.interval()
        unit = " of the points" if self._is_share else ""
        match test.verdict:
            case Verdict.BETTER:
                if interval.low > tested.h0:
                    return f"{plan.new} is better than {plan.old}."
                return f"{plan.new} is better than {plan.old}: the test is decided, though the interval still includes {tested.h0:.3g}."
            case Verdict.NOT_BETTER if interval.high < 0.5:
                return f"{plan.new} is worse than {plan.old}."
            case Verdict.NOT_BETTER:
                return f"{plan.new} is not better than {plan.old} (the test rules out a mean of {tested.h1:.3g}{unit})."
        reason = f"{tested.max_blocks} blocks were not enough" if test.blocks >= tested.max_blocks else "it was stopped"
        return f"Undecided: {reason}."

    def json(self, result: Comparison, versions: Mapping[str, BotVersion]) -> str:
        """Return the comparison as JSON, with the score of every block but without times, so that it is the same on every machine."""
        plan, test = self.plan, result.test
        tested, interval = test.hypotheses, test.interval()
        bots = {"new": plan.new, "old": plan.old}
        data = {
            "verdict": test.verdict.value,
            "says": self._verdict(result),
            **{part: {"name": name, "version": versions[name].digest} for part, name in bots.items()},
            "field": [{"name": name, "version": versions[name].digest} for name in plan.field],
            "game": plan.game.name,
            "options": dict(plan.game.options),
            "players": plan.players,
            "seed": plan.seed,
            "h0": tested.h0,
            "h1": tested.h1,
            "alpha": tested.alpha,
            "beta": tested.beta,
            "log_ratio": test.log_ratio,
            "bounds": [tested.lower, tested.upper],
            "estimate": test.mean,
            "interval": [interval.low, interval.high],
            "confidence": CONFIDENCE,
            "blocks": test.blocks,
            "matches": result.matches,
            "outcomes": {"above": result.wins, "level": result.ties, "below": result.losses} if self._is_share else None,
            "forfeits": dict(result.forfeits),
            "scores": test.scores,
            "adjusted": result.raw is not None,
            "raw_scores": result.raw,
        }
        return json.dumps(data, indent=2)


def _gain(result: Comparison) -> float:
    """Return the variance of raw scores divided by the variance of adjusted scores."""
    before, after = (pvariance(scores) for scores in (result.raw or (0.0,), result.test.scores))
    return before / after if after else 1.0


def _written(value: OptionValue) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def bar(ratio: float, tested: Hypotheses) -> str:
    """Draw the log-likelihood ratio as a bar between its bounds for "not better" and "better", written at the ends; ``|`` is zero."""
    cells = ["-"] * BAR
    nought = round((BAR - 1) * -tested.lower / (tested.upper - tested.lower))
    place = round((BAR - 1) * (min(max(ratio, tested.lower), tested.upper) - tested.lower) / (tested.upper - tested.lower))
    low, high = sorted((nought, place))
    cells[low : high + 1] = ["="] * (high - low + 1)
    cells[place] = ">" if ratio >= 0 else "<"
    cells[nought] = "|"
    return f"not better {tested.lower:.2f} [{''.join(cells)}] {tested.upper:+.2f} better"


class ComparisonView:
    """Shows a comparison, if there is a console. Use it in a ``with`` statement, call ``show`` repeatedly and ``close`` once."""

    def __init__(self, console: Console | None, text: ComparisonText) -> None:
        self._console = console
        self._text = text
        self._began = monotonic()
        self._last = self._began
        self._live = Live(console=console, auto_refresh=False, transient=True) if console is not None and console.is_terminal else None

    def __enter__(self) -> Self:
        if self._console is not None:
            self._console.print(Text(self._text.heading()))
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._live is not None:
            self._live.stop()

    def show(self, result: Comparison) -> None:
        """Show how far the comparison has come."""
        now = monotonic()
        if self._console is None or now - self._last < (REFRESH_SECONDS if self._live is not None else LINE_SECONDS):
            return
        self._last = now
        rate = result.played / max(now - self._began, 1e-9)
        if self._live is not None:
            most = result.test.hypotheses.max_blocks
            self._live.update(Text(f"{self._text.figures(result)}\nat most {most} blocks, {rate:.1f} matches/s"), refresh=True)
        else:
            test = result.test
            self._console.print(Text(f"{test.blocks} blocks, {test.mean:.3f}, LLR {test.log_ratio:+.2f}, {rate:.1f} matches/s"))

    def close(self, result: Comparison) -> None:
        """Print the last figures, if there are any."""
        if self._live is not None:
            self._live.stop()
        if self._console is not None and result.test.blocks:
            self._console.print(Text(self._text.figures(result)))
