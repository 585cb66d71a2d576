"""Shows the result of ``arena diff``: a table by kind of decision, and the largest differences; or JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from shlex import join
from typing import Any, Final

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.analysis.bot_diff import MOST_FAILURES, Agreement, BotDiff, Difference
from arena.analysis.match_analysis import Phase, Unit
from arena.cli.files import replay_command
from arena.entries.preflight import distinct_names
from arena.report.terminal import shortened
from engine.text import counted, plain

_NAME: Final = 24
"""Columns of a bot's name."""
_INDENT: Final = 10
_ROOMY: Final = 90
"""The width of terminal from which the table has two spaces between its columns."""
_FAILURES: Final = 5
"""The most kinds of failure that are shown, the most frequent first."""


def as_data(diff: BotDiff, bots: Sequence[str], game: str) -> dict[str, Any]:
    """Return the comparison for JSON."""
    return {"new": bots[0], "old": bots[1], "game": game, **msgspec.to_builtins(diff)}


def show(diff: BotDiff, bots: Sequence[str], where: str, db: str, out: Console) -> None:
    """Print how often the bots agree, which is better at each kind of decision, the largest differences with commands, and failures."""
    files = [Path(bot).name for bot in bots]
    new, old = (shortened(plain(name), _NAME) for name in distinct_names(files if len({*files}) > 1 else bots))
    total = diff.total
    out.print(Text(f"{new} against {old} in {diff.matches} match{'' if diff.matches == 1 else 'es'} of {where}", style="bold"))
    if total.decisions:
        out.print(Text(f"They agree on {total.agreed} of {counted(total.decisions, 'decision')}. {_verdict(diff, new)}".rstrip()))
        out.print()
        _show_kinds(diff, old, out)
    if diff.largest:
        out.print()
        out.print(Text(f"The largest differences, by how much more {new}'s move is worth", style="bold"))
        for each in diff.largest:
            _show_difference(diff, each, db, out)
        first = diff.largest[0]
        out.print()
        command = join(replay_command(first.match, db, "--at", str(first.index), "--ask", bots[0]))
        out.print(Text.assemble(("To ask a bot there: ", "dim"), command), soft_wrap=True)
    _show_failures(diff, (new, old), out)


def _verdict(diff: BotDiff, new: str) -> str:
    """Return which is better by the value of their moves, in a sentence."""
    total, what = diff.total, "percentage points of the chance to win" if diff.unit is Unit.CHANCE else "points"
    if total.agreed == total.decisions:
        return ""
    worth = f"where they differ, {new}'s move gains {_gain(diff, total)} {what}"
    if not total.is_clear:
        return f"It is not clear which one decides better: {worth}."
    return f"{new} decides {'better' if total.gain > 0 else 'worse'}: {worth}."


def _show_kinds(diff: BotDiff, old: str, out: Console) -> None:
    """Print the table by kind of decision and third of the match."""
    table = Table(box=None, pad_edge=False, header_style="bold", collapse_padding=out.width < _ROOMY)
    for header in ("", "decisions", "agree", *(phase.value for phase in Phase), "gain", ""):
        table.add_column(header, justify="right" if header else "left", no_wrap=True)
    for name, all_of_it, phases in (*((each.kind, each.total, each.phases) for each in diff.kinds), ("all", diff.total, diff.phases)):
        parts = (all_of_it, *(phases.get(phase) for phase in Phase))
        differ = all_of_it.agreed < all_of_it.decisions
        clear = ("better" if all_of_it.gain > 0 else "worse") if all_of_it.is_clear else "not clear"
        figures = (_gain(diff, all_of_it), clear) if differ else ("", "")
        table.add_row(Text(name), str(all_of_it.decisions), *map(_share, parts), *figures, style="" if name != "all" else "bold")
    out.print(table)
    note = f"By the kind of {old}'s move, where they differ most often first."
    if diff.largest:
        by = "playing on" if diff.unit is Unit.POINTS else diff.value
        note += f" The gain is how much more the new move is worth there, with its standard error, by {by}; 'arena compare' plays it."
    out.print(Text(note, style="dim"))


def _share(agreement: Agreement | None) -> str:
    return "" if agreement is None or not agreement.decisions else f"{100 * agreement.agreed / agreement.decisions:.0f} %"


def _gain(diff: BotDiff, agreement: Agreement) -> str:
    scale = 100 if diff.unit is Unit.CHANCE else 1
    error = "" if agreement.error is None else f" ± {scale * agreement.error:.1f}"
    return f"{scale * agreement.gain:+.1f}{error}"


def _show_difference(diff: BotDiff, each: Difference, db: str, out: Console) -> None:
    gain = f"{100 * each.gain:+.1f} pp" if diff.unit is Unit.CHANCE else f"{each.gain:+.1f}"
    what = each.old.kind if each.old.kind == each.new.kind else f"{each.new.kind}, not {each.old.kind}"
    out.print(Text.assemble((f"{gain:>8}", "bold"), f"  {what}, decision {each.index + 1} ({each.phase.value}) of {each.name}"))
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(width=_INDENT - 2, justify="right")
    table.add_column()
    for word, move in (("new", each.new), ("old", each.old)):
        is_named = move.words == move.notation or move.words.endswith(f" ({move.notation})")
        table.add_row(Text(word, style="dim"), Text(move.words if is_named else f"{move.words} ({move.notation})"))
    out.print(table)
    out.print(Text(" " * _INDENT + join(replay_command(each.match, db, "--at", str(each.index)))), soft_wrap=True)


def _show_failures(diff: BotDiff, names: tuple[str, str], out: Console) -> None:
    if not diff.failures:
        return
    out.print()
    lost = f"{counted(diff.unanswered, 'decision')} left out: a bot failed there, or had failed {MOST_FAILURES} times in that match."
    out.print(Text(lost, style="red"))
    counts = Counter((not each.is_new, each.kind, each.detail) for each in diff.failures)
    for (is_old, kind, detail), number in counts.most_common(_FAILURES):
        first = next(each for each in diff.failures if (not each.is_new, each.kind, each.detail) == (is_old, kind, detail))
        out.print(Text(f"{names[is_old]}: {number} x {kind.value}: {plain(detail)}"))
        out.print(Text(f"  first at decision {first.index + 1} of {first.match}"))
        if first.traceback:
            out.print(Text(first.traceback))
