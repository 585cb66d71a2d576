"""How ``arena analyse`` shows the analysis of a match in a terminal, 80 columns wide or more."""

from __future__ import annotations

from typing import Final

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from arena.analysis.chance_graph import SHADES, graph_lines, letter, order_of
from arena.analysis.key_moments import changed_words, moment_title, worth
from arena.analysis.match_analysis import DecisionAnalysis, MatchAnalysis, MoveWorth, Unit
from arena.cli.output import shortened
from arena.report.analysis_lines import (
    LEGEND,
    WORST,
    given_away,
    headline,
    loss_words,
    none_lost,
    sum_rows,
    worst_decisions,
)
from engine.render.palette import SEAT_COLORS
from engine.text import signed

_LONGEST_HEADER: Final = 14
_FIGURE: Final = 6
"""The width of a figure such as +100.0, in columns; ``_LONGEST_HEADER`` is the width of the longest header."""
_SHORT: Final = {
    "start": " start",
    "own": "   own",
    "others": "others",
    "luck": "  luck",
    "unsplit": "no time",
    "forfeits": "forfeit",
    "result": "= result",
}
"""Short column headers for the parts of the sum."""


def show(analysis: MatchAnalysis, out: Console, *, replay: str, seat: int | None, details: bool, every: bool) -> None:
    """Print the analysis: a summary, the key moments, and where each player's result came from.

    ``details`` adds the graph and the worst decisions (all decisions if ``every``).
    ``replay`` is the command that walks through the match.
    """
    out.print(Text(headline(analysis), style="bold"))
    out.print(Text(analysis.sentence))
    for note in analysis.notes:
        out.print(Text(f"Note: {note}", style="yellow"))
    _moments(analysis, out)
    if analysis.decisions:
        _sums(analysis, out)
    if details:
        _graph(analysis, out)
        _given_away(analysis, out)
        if every:
            _all_decisions(analysis, out, seat)
        else:
            _worst(analysis, out, seat)
    _positions(analysis, out, replay, seat)
    if not details:
        out.print(Text("More: --details (chances by turn, better moves), --html FILE (pictures)", style="dim"))


def _moments(analysis: MatchAnalysis, out: Console) -> None:
    out.print()
    for number, moment in enumerate(analysis.moments):
        title, changed = f"{letter(number)}  {moment_title(analysis, moment)}", changed_words(analysis, moment)
        gap = out.width - cell_len(title) - cell_len(changed)
        out.print(Text.assemble((title, "bold"), " " * gap if gap > 0 else "\n   ", changed))
        out.print(Padding(Text(moment.words), (0, 0, 0, 3)))


def _sums(analysis: MatchAnalysis, out: Console) -> None:
    rows = sum_rows(analysis)
    unit = "percentage points (pp) of the chance of winning" if analysis.unit is Unit.CHANCE else "points"
    out.print()
    out.print(Text(f"Where the result came from, in {unit}", style="bold"))
    table = _table()
    room = out.width - sum(len(_SHORT[row.field]) + 1 for row in rows)
    table.add_column("", no_wrap=True)
    for row in rows:
        table.add_column(_SHORT[row.field], justify="right", no_wrap=True)
    for seat in order_of(analysis):
        name = shortened(analysis.names[seat], min(_LONGEST_HEADER, max(_FIGURE, room)))
        table.add_row(name, *(Text(row.figures[seat], "bold" if row.field == "result" else "") for row in rows))
    out.print(table)


def _graph(analysis: MatchAnalysis, out: Console) -> None:
    is_chance = analysis.unit is Unit.CHANCE
    out.print()
    out.print(Text("Chance of winning after each turn" if is_chance else "Points, decision by decision", style="bold"))
    for line in graph_lines(analysis, out.width, color=out.color_system is not None):
        out.print(Text.from_ansi(line), no_wrap=True, crop=True)
    if not is_chance:
        return
    legend = Text(" " * 6)
    for seat in reversed(order_of(analysis)):
        style = f"color({SEAT_COLORS[seat % len(SEAT_COLORS)].xterm})" if out.color_system is not None else ""
        legend.append(SHADES[seat % len(SHADES)] * 2, style=style).append(f" {analysis.names[seat]}   ")
    out.print(legend)


def _table() -> Table:
    return Table(box=None, pad_edge=False, header_style="bold", show_edge=False)


def _given_away(analysis: MatchAnalysis, out: Console) -> None:
    if any(each.is_searched and each.legal > 1 for each in analysis.decisions):
        row = given_away(analysis)
        told = [f"{analysis.names[seat]} {row.figures[seat]}" for seat in order_of(analysis) if row.figures[seat]]
        out.print()
        out.print(Text.assemble((f"{row.title[:1].upper()}{row.title[1:]}", "bold"), f": {', '.join(told)}"))
    if analysis.unit is Unit.CHANCE:
        out.print(Text(LEGEND, style="dim"))


def _worst(analysis: MatchAnalysis, out: Console, seat: int | None) -> None:
    worst = worst_decisions(analysis, seat)
    out.print()
    if not worst:
        out.print(Text(none_lost(analysis, seat)))
        return
    whose = "" if seat is None else f" of {analysis.names[seat]}"
    out.print(Text(f"Decisions{whose} that gave away the most", style="bold"))
    for decision in worst:
        _decision(analysis, decision, out)
    if len(worst) == WORST:
        out.print(Text("--all lists every decision.", style="dim"))


def _decision(analysis: MatchAnalysis, decision: DecisionAnalysis, out: Console) -> None:
    out.print(Text.assemble((f"{decision.index + 1:>4} ", "bold"), loss_words(analysis, decision)))
    _move(out, "played", decision.played)
    if decision.best is not None:
        _move(out, "better", decision.best)


def _move(out: Console, word: str, move: MoveWorth) -> None:
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 1, 0, 0))
    table.add_column(width=11, justify="right")
    table.add_column()
    table.add_row(Text(word, style="dim"), Text(move.in_full))
    out.print(table)


def _all_decisions(analysis: MatchAnalysis, out: Console, seat: int | None) -> None:
    out.print()
    is_chance = analysis.unit is Unit.CHANCE
    after = "chances in % after it; skill, luck and loss in percentage points" if is_chance else "points after it"
    out.print(Text(f"Every decision: {after}", style="bold"))
    table = _table()
    table.add_column("", justify="right")
    table.add_column("player", no_wrap=True)
    table.add_column("move", ratio=1)
    for name in analysis.names:
        table.add_column(shortened(name, 8), justify="right", no_wrap=True)
    for header in ("skill", "luck", "loss"):
        table.add_column(header, justify="right", no_wrap=True)
    for decision in analysis.decisions:
        if seat not in {None, decision.seat}:
            continue
        chances = analysis.chances[decision.index + 1]
        cells = [worth(analysis, each).removesuffix(" %") for each in chances]
        parts = (decision.skill[decision.seat], decision.luck[decision.seat], -decision.loss)
        figures = [signed((100 if is_chance else 1) * part, 1) for part in parts]
        shown = ["" if each == "0.0" else each for each in figures]
        table.add_row(str(decision.index + 1), shortened(analysis.names[decision.seat], 10), Text(decision.played.notation), *cells, *shown)
    out.print(table)
    if is_chance:
        out.print(Text("Chances in the middle of a turn say little; the graph shows only those after a turn.", style="dim"))


def _positions(analysis: MatchAnalysis, out: Console, replay: str, seat: int | None) -> None:
    """Print the command that shows the worst decision; ``--at`` takes the number of decisions before a position."""
    indices = [each.index for each in worst_decisions(analysis, seat, 1) or analysis.moments]
    if indices:
        out.print()
        out.print(Text.assemble((f"The position before decision {indices[0] + 1}: ", "dim"), f"{replay} --at {indices[0]}"), soft_wrap=True)
