"""Plots of statistics, each readable by itself. No other module imports Matplotlib, which is slow to load."""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Final

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from engine.render.palette import BLACK, SEAT_COLORS, WHITE
from leaderboard.statistics.bradley_terry import Strength
from leaderboard.statistics.columns import RatingHistory
from leaderboard.statistics.summary import HeadToHead, SeatAdvantage

GREY: Final = "#767676"
ORANGE: Final = "#e69f00"
_COLORS: Final = {color.name: color.hex for color in SEAT_COLORS}
_LINES: Final = (_COLORS["blue"], _COLORS["vermilion"], _COLORS["green"], _COLORS["purple"], _COLORS["sky blue"], ORANGE, BLACK)
_STYLES: Final = ("-", "--", ":", "-.")
_SHARES: Final = LinearSegmentedColormap.from_list("shares", [_COLORS["vermilion"], WHITE, _COLORS["blue"]])
_NAME_LENGTH: Final = 24
_BANDS: Final = 6
"""The most bots for which the history shows bands; more would hide each other."""


def _settings() -> AbstractContextManager[None]:
    """Return settings for the same fonts and ids on every machine, and for SVG with real text."""
    return rc_context({"font.family": "DejaVu Sans", "font.size": 10, "svg.fonttype": "none", "svg.hashsalt": "tile-arena"})


def draw(figure: Figure, kind: str) -> bytes:
    """Return the figure as ``png`` (150 dots per inch) or ``svg``; the same figure always gives the same bytes."""
    out = io.BytesIO()
    with _settings():
        figure.savefig(out, format=kind, dpi=150, metadata={"Date": None, "Creator": None} if kind == "svg" else {"Software": None})
    return out.getvalue()


def short(name: str) -> str:
    """Return a bot's name, shortened to fit beside an axis."""
    return name if len(name) <= _NAME_LENGTH else name[: _NAME_LENGTH - 1] + "…"


def _new(width: float, height: float, title: str, subtitle: str) -> Figure:
    """Return an empty figure of that size in inches, with its headings."""
    figure = Figure(figsize=(width, height), layout="constrained", facecolor=WHITE)
    FigureCanvasAgg(figure)
    figure.suptitle(title, x=0.01, ha="left", fontsize=13, fontweight="bold")
    figure.supxlabel(subtitle, x=0.01, ha="left", fontsize=8.5, color=GREY)
    return figure


def _finished(figure: Figure) -> Figure:
    """Return the figure with its layout fixed, so that it looks the same in every format."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    return figure


def _plain(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(visible=True, color="#dddddd", linewidth=0.7)
    axes.set_axisbelow(True)


def standings_plot(strengths: Sequence[Strength], tournament: str, blocks: int) -> Figure:
    """Plot strengths with their intervals, best on top, each with the ranks the bot may have."""
    with _settings():
        subtitle = (
            f"Bradley-Terry fit to {blocks} complete blocks; bars are 95% intervals from bootstraps of blocks; 1500 is the field's average"
        )
        figure = _new(8, 1.9 + 0.34 * len(strengths), f"{tournament}: strength of the bots", subtitle)
        axes = figure.add_subplot()
        _plain(axes)
        axes.grid(visible=False, axis="y")
        axes.axvline(1500, color=GREY, linewidth=1, linestyle="--")
        edge = axes.get_yaxis_transform()
        for place, line in enumerate(strengths):
            if line.strength is None or line.low is None or line.high is None:
                axes.text(0.01, place, "no complete block yet", transform=edge, color=GREY, va="center", fontsize=9)
                continue
            axes.plot((line.low, line.high), (place, place), color=_COLORS["sky blue"], linewidth=5, solid_capstyle="butt")
            axes.plot(line.strength, place, "o", color=_COLORS["blue"], markersize=7)
            ranks = f"{line.best_rank}" if line.best_rank == line.worst_rank else f"{line.best_rank} to {line.worst_rank}"
            axes.text(1.02, place, f"{line.strength:.0f}, rank {ranks}", transform=edge, va="center", fontsize=9)
        axes.set_yticks(range(len(strengths)), [short(line.bot) for line in strengths])
        axes.set_ylim(len(strengths) - 0.4, -0.6)
        axes.set_xlabel("strength in points (400 more: ten times the odds of coming out above)")
        return _finished(figure)


def head_to_head_plot(order: Sequence[str], pairs: Sequence[HeadToHead], tournament: str) -> Figure:
    """Plot the share of matches that each bot (row) won from each other (column), bots in this order."""
    size = len(order)
    places = {bot: place for place, bot in enumerate(order)}
    shares = np.full((size, size), np.nan)
    for pair in pairs:
        one, other = places[pair.bot], places[pair.other]
        shares[one, other], shares[other, one] = 100 * pair.share, 100 * (1 - pair.share)
    numbers = [pair.blocks for pair in pairs]
    blocks = (
        "no blocks"
        if not numbers
        else f"{min(numbers)} to {max(numbers)} blocks"
        if min(numbers) < max(numbers)
        else f"{min(numbers)} blocks"
    )
    side = max(0.52 * size, 2.4)
    with _settings():
        subtitle = f"Ties count half; {blocks} a pair; bots by strength; blank: never met in a complete block"
        figure = _new(side + 3.6, side + 2.6, f"{tournament}: head to head", subtitle)
        axes = figure.add_subplot()
        axes.set_facecolor("#eeeeee")
        image = axes.imshow(shares, cmap=_SHARES, vmin=0, vmax=100)
        for row in range(size):
            for column in range(size):
                value = shares[row, column]
                text = "" if row == column else "" if np.isnan(value) else f"{value:.0f}"
                ink = WHITE if abs(value - 50) > 38 else BLACK
                axes.text(column, row, text, ha="center", va="center", color=ink, fontsize=10 if size <= 8 else 8.5)
        axes.set_xticks(range(size), [short(bot) for bot in order], rotation=45, ha="right", rotation_mode="anchor")
        axes.set_yticks(range(size), [short(bot) for bot in order])
        axes.set_xlabel("against")
        axes.set_ylabel("bot that was above")
        axes.set_xticks(np.arange(size + 1) - 0.5, minor=True)
        axes.set_yticks(np.arange(size + 1) - 0.5, minor=True)
        axes.grid(which="minor", color=WHITE, linewidth=1.5)
        axes.tick_params(which="minor", length=0)
        figure.colorbar(image, ax=axes, shrink=0.8, label="% of matches above")
        return _finished(figure)


def history_plot(history: Sequence[RatingHistory], tournament: str) -> Figure:
    """Plot each bot's TrueSkill mean against the matches it has played, in this order; with few bots also a band of one sigma."""
    with _settings():
        band = ", band: one sigma" if len(history) <= _BANDS else ""
        most = max(line.number[-1] for line in history)
        subtitle = f"Stored ratings of {len(history)} bots after each of up to {most} matches, thinned{band}"
        figure = _new(9, max(4.6, 1.8 + 0.24 * len(history)), f"{tournament}: TrueSkill against matches played", subtitle)
        axes = figure.add_subplot()
        _plain(axes)
        for place, line in enumerate(history):
            color, style = _LINES[place % len(_LINES)], _STYLES[place // len(_LINES) % len(_STYLES)]
            mu, sigma = np.array(line.mu), np.array(line.sigma)
            axes.plot(line.number, mu, style, color=color, linewidth=1.8, label=f"{short(line.bot)} ({mu[-1]:.1f})")
            if len(history) <= _BANDS:
                axes.fill_between(line.number, mu - sigma, mu + sigma, color=color, alpha=0.13, linewidth=0)
        axes.set_xlim(1, max(most, 2))
        axes.set_xlabel("rated matches of the bot")
        axes.set_ylabel("TrueSkill mu (skill points)")
        figure.legend(loc="outside right upper", frameon=False, title="bot (last mu)", fontsize=9, alignment="left")
        return _finished(figure)


def seats_plot(seats: Sequence[SeatAdvantage], tournament: str) -> Figure:
    """Plot the advantage of each seat at each size of table: shares of wins above, mean scores below."""
    sizes = sorted({line.players for line in seats})
    with _settings():
        figure = _new(
            max(5.5, 2.9 * len(sizes)),
            6,
            f"{tournament}: seat advantage",
            "Bars are 95% intervals over complete blocks; dashed: all seats alike",
        )
        grid = figure.subplots(2, len(sizes), squeeze=False, sharey="row")
        for column, players in enumerate(sizes):
            lines = [line for line in seats if line.players == players]
            p_value = lines[0].p_value
            test = "too few blocks to test" if p_value is None else "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"
            wins, points = grid[0, column], grid[1, column]
            wins.set_title(f"{players} players\n{lines[0].blocks} blocks, {test}", fontsize=10)
            wins.axhline(100 / players, color=GREY, linestyle="--", linewidth=1)
            for line in lines:
                _bar(wins, line.seat, line.win_share, line.low, line.high, 100)
                _bar(points, line.seat, line.mean_score, line.score_low, line.score_high, 1)
            for axes in (wins, points):
                _plain(axes)
                axes.grid(visible=False, axis="x")
                axes.set_xticks(range(players))
                axes.set_xlim(-0.6, players - 0.4)
            points.set_xlabel("seat")
        grid[0, 0].set_ylabel("share of wins in %")
        grid[1, 0].set_ylabel("mean score in points")
        grid[0, 0].set_ylim(bottom=0)
        return _finished(figure)


def _bar(axes: Axes, seat: int, value: float | None, low: float | None, high: float | None, unit: float) -> None:
    color = SEAT_COLORS[seat % len(SEAT_COLORS)].hex
    if value is None:
        return
    if low is not None and high is not None:
        axes.plot((seat, seat), (low * unit, high * unit), color=BLACK, linewidth=1.6)
    axes.plot(seat, value * unit, "o", color=color, markeredgecolor=BLACK, markersize=9)
