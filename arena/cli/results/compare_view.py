"""Shows a comparison: live in a terminal, otherwise as occasional lines; then its verdict, or JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import pvariance
from time import monotonic
from typing import Final, Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from arena.analysis.compare import Comparison, ComparisonPlan
from arena.cli.run.progress import LINE_SECONDS
from bots.loader.version import BotVersion
from engine.core import OptionValue
from leaderboard.ratings.sprt import CONFIDENCE, Hypotheses, Verdict

BAR: Final = 31
"""The width of the bar between the bounds in characters; odd, so that it has a middle."""
REFRESH_SECONDS: Final = 0.25


@dataclass(frozen=True, slots=True)
class ComparisonText:
    """A comparison in words; ``where`` names the executor."""

    plan: ComparisonPlan
    where: str

    def heading(self) -> str:
        """Return a description of the comparison and where it runs."""
        plan = self.plan
        field = f", with {', '.join(plan.field)}" if plan.field else ""
        options = "".join(f" {key}={_written(value)}" for key, value in plan.game.options.items())
        seats = "alone" if plan.players == 1 else f"at tables of {plan.players}{field}"
        return f"{plan.new} against {plan.old} {seats}\n{plan.game.name}{options}, seed {plan.seed}, on {self.where}"

    def figures(self, result: Comparison) -> str:
        """Return ratio, estimate and counts, in three or four lines."""
        test = result.test
        interval = test.interval()
        what = ("share of the points" if self._is_share else "score") + ("" if result.raw is None else " less luck")
        lines = [
            f"{bar(test.log_ratio, test.hypotheses)}  LLR {test.log_ratio:+.2f}",
            f"{what} {test.mean:.3f}, {CONFIDENCE:.0%} interval {interval.low:.3f} to {interval.high:.3f}; {test.hypotheses.h1:.3g} tested "
            f"against {test.hypotheses.h0:.3g}",
            f"{test.blocks} block{'s' if test.blocks != 1 else ''} of {self.plan.matches_in_block} matches" + self._outcomes(result),
        ]
        if result.raw:
            as_many = f"to be as sure by it would take {_gain(result):.2f} times as many matches"
            lines.insert(2, f"with luck {sum(result.raw) / len(result.raw):.3f}; {as_many}")
        return "\n".join(lines)

    @property
    def _is_share(self) -> bool:
        return self.plan.players > 1

    def _outcomes(self, result: Comparison) -> str:
        if not self._is_share:
            return ""
        return f": {self.plan.new} above in {result.wins}, level in {result.ties}, below in {result.losses}"

    def conclusion(self, result: Comparison) -> str:
        """Return the verdict in a sentence or two, after the forfeits if there were any."""
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
                return f"{plan.new} is better than {plan.old}."
            case Verdict.NOT_BETTER if interval.high < 0.5:
                return f"{plan.new} is worse than {plan.old}."
            case Verdict.NOT_BETTER:
                return f"No difference: {plan.new} is not better than {plan.old} ({tested.h1:.3g}{unit} is rejected)."
        reason = f"{tested.max_blocks} blocks were not enough" if test.blocks >= tested.max_blocks else "it was stopped"
        return f"Undecided: {reason}."

    def json(self, result: Comparison, versions: Mapping[str, BotVersion]) -> str:
        """Return the same as JSON with the score of every block, and without times, so that it is the same on every machine."""
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
    """Return the variance of raw scores divided by that of adjusted ones."""
    before, after = (pvariance(scores) for scores in (result.raw or (0.0,), result.test.scores))
    return before / after if after else 1.0


def _written(value: OptionValue) -> str:
    """Return an option's value as written after ``--option``."""
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def bar(ratio: float, tested: Hypotheses) -> str:
    """Draw the log-likelihood ratio between its bounds, "not better" on the left and "better" on the right; ``|`` is zero."""
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
