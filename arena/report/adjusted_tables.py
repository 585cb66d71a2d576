"""Results less the luck of draws, dice and the deal as tables, beside the results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

from arena.analysis.statistics import LessLuck
from arena.report.statistics_tables import MOST_PAIRS
from arena.report.table import Table, number_text, range_text
from leaderboard.statistics.adjustment import Adjusted, Adjustment
from leaderboard.statistics.bradley_terry import Strength

NOTE: Final = (
    "Adjusted: less the luck of draws, dice and the deal, which is zero on average, so both say the same in the long run (docs/luck.md)."
)


def adjusted_tables(less_luck: LessLuck, raw: Sequence[Strength]) -> list[Table]:
    """Return the tables: strengths, shares of wins, and pairs, each as it was and adjusted, with notes below the last."""
    adjustment = less_luck.adjustment
    return [_strengths(adjustment, raw), _wins(adjustment), _pairs(adjustment, adjusted_notes(less_luck))]


def adjusted_notes(less_luck: LessLuck) -> list[str]:
    """Return what a reader of the tables should know, as sentences."""
    adjustment, troubles = less_luck.adjustment, less_luck.troubles
    notes = [NOTE, *_gain_note(adjustment)]
    if adjustment.without:
        reason = f", for instance {troubles[0]}" if troubles else ""
        notes.append(f"The luck of {adjustment.without} matches is not known, so none is taken off them{reason}.")
    return notes


def _gain_note(adjustment: Adjustment) -> list[str]:
    """Return what the column of gains means, by the first figure that stands in it."""
    shares = [*(line.wins for line in adjustment.wins), *(line.above for line in adjustment.pairs)]
    gains = [share.gain for share in shares if share.gain is not None]
    if not gains:
        return []
    return [
        f"Gain {gains[0]:.2f}x: to get as narrow an interval without the adjustment, {gains[0]:.2f} times as many matches would have to be "
        "played. Below 1 the adjustment costs matches."
    ]


def _strengths(adjustment: Adjustment, raw: Sequence[Strength]) -> Table:
    before = {line.bot: line for line in raw}
    rows = [
        (
            *("-" if line.rank is None else str(line.rank), line.bot),
            *(text for each in (before[line.bot], line) for text in (number_text(each.strength, 0), range_text(each.low, each.high))),
            str(line.blocks),
        )
        for line in adjustment.strengths
    ]
    records = [
        {key: getattr(line, key) for key in ("bot", "blocks", "rank", "best_rank", "worst_rank")}
        | {key: getattr(before[line.bot], key) for key in ("strength", "low", "high")}
        | {"adjusted": line.strength, "adjusted_low": line.low, "adjusted_high": line.high}
        for line in adjustment.strengths
    ]
    headers = ("#", "bot", "strength", "95%", "adjusted", "95%", "blocks")
    return Table("adjusted-strengths", "Strengths, as they are and adjusted", headers, rows, records, empty="No strengths.")


def _wins(adjustment: Adjustment) -> Table:
    rows = [(str(line.players), line.bot, *_shares(line.wins)) for line in adjustment.wins]
    records = [{"bot": line.bot, "players": line.players} | asdict(line.wins) for line in adjustment.wins]
    headers = ("players", "bot", "wins %", "95%", "adjusted", "95%", "gain")
    title = "Shares of wins over blocks, as they are and adjusted"
    return Table("adjusted-wins", title, headers, rows, records, empty="Alone, nothing is adjusted.")


def _pairs(adjustment: Adjustment, notes: Sequence[str]) -> Table:
    rows = [(str(line.players), line.bot, line.other, *_shares(line.above)) for line in adjustment.pairs[:MOST_PAIRS]]
    records = [{"bot": line.bot, "other": line.other, "players": line.players} | asdict(line.above) for line in adjustment.pairs]
    more = len(adjustment.pairs) - len(rows)
    rest = f"; {more} more are in --csv and --json" if more else ""
    title = f"Shares of matches above the other, ties half, as they are and adjusted{rest}"
    headers = ("players", "bot", "other", "share %", "95%", "adjusted", "95%", "gain")
    return Table("adjusted-pairs", title, headers, rows, records, notes, "No two bots have met in a block.")


def _shares(line: Adjusted) -> tuple[str, ...]:
    return (
        *(number_text(line.share, 1, 100), range_text(line.low, line.high, 0, 100)),
        *(number_text(line.adjusted, 1, 100), range_text(line.adjusted_low, line.adjusted_high, 0, 100)),
        "-" if line.gain is None else f"{line.gain:.2f}x",
    )
