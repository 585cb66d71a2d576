"""Statistics as tables for a terminal of 80 columns, as JSON and as CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from rich.table import Table
from rich.text import Text

from arena.analysis.adjusted import LessLuck
from arena.analysis.statistics import Section, Statistics
from arena.analysis.tables import seed_fields
from leaderboard.ratings.bradley_terry import REPLICATES
from leaderboard.ratings.rating_fold import conservative
from leaderboard.statistics.balance import Balance
from leaderboard.statistics.columns import RatingHistory
from leaderboard.statistics.summary import HeadToHead, Margins, SeatAdvantage, Usage


@dataclass(frozen=True, slots=True)
class Titled:
    """A table with its title, which may be wider than the table."""

    title: str
    table: Table


WIDTH: Final = 80
GAP: Final = 2
LEAST_NAME: Final = 6
_NAMES: Final = ("bot", "other", "kinds")
MOST_PAIRS: Final = 60
"""The most head-to-head records shown in a terminal; CSV and JSON have all."""
FEW_BLOCKS: Final = 20
MOST_PLACES: Final = 6
"""The places that have a column each in a terminal."""


def section_rows(statistics: Statistics, section: Section) -> list[dict[str, object]]:
    """Return a section as flat records with numbers in full, one for each line of its CSV."""
    if section is Section.STANDINGS:
        return [asdict(line) for line in statistics.standings]
    if section is Section.PLACES:
        most = max((len(line.places) for line in statistics.places), default=0)
        numbers = [dict(enumerate(line.places, start=1)) for line in statistics.places]
        return [
            {"bot": line.bot, "players": line.players, "matches": line.matches, "mean_place": line.mean_place}
            | {f"place_{place}": number.get(place) for place in range(1, most + 1)}
            for line, number in zip(statistics.places, numbers, strict=True)
        ]
    if section is Section.FAULTS:
        return [{"bot": line.bot, "matches": line.matches, "forfeits": line.forfeits} | line.kinds for line in statistics.faults]
    if section is Section.HISTORY:
        return [row for line in statistics.history for row in _history_rows(line)]
    lines: dict[Section, Sequence[Balance | HeadToHead | SeatAdvantage | Margins | Usage]] = {
        Section.HEAD_TO_HEAD: statistics.head_to_head,
        Section.BALANCE: statistics.balance,
        Section.SEATS: statistics.seats,
        Section.MARGINS: statistics.margins,
        Section.PLAY: statistics.play,
    }
    return [asdict(line) for line in lines[section]]


def _history_rows(line: RatingHistory) -> Iterator[dict[str, object]]:
    for number, mu, sigma in zip(line.number, line.mu, line.sigma, strict=True):
        yield {"bot": line.bot, "matches": number, "mu": mu, "sigma": sigma, "score": conservative(mu, sigma)}


def statistics_json(statistics: Statistics, sections: Collection[Section], less_luck: LessLuck | None = None) -> str:
    """Return the sections as a JSON object, with the tournament and its matches, and adjusted results if there are any."""
    tournament = statistics.tournament
    data = {
        "tournament": tournament.name,
        "game": tournament.game,
        **seed_fields(tournament),
        "matches": {"played": statistics.played, "total": tournament.total, "left_out": statistics.matches_left_out},
        "blocks": {"complete": statistics.complete, "incomplete": statistics.incomplete},
        "anchors": list(statistics.anchors),
        "ties": asdict(statistics.ties) | {"draw_probability": statistics.draw_probability},
    }
    data |= {section.value: section_rows(statistics, section) for section in sections}
    if less_luck is not None:
        data |= less_luck.rows(statistics.strengths) | {"adjusted-without": less_luck.adjustment.without}
    return json.dumps(data, indent=2, allow_nan=False)


def section_csv(statistics: Statistics, section: Section) -> str:
    """Return a section as CSV with a header, numbers in full; only a newline if it is empty."""
    return csv_text(section_rows(statistics, section))


def csv_text(rows: Sequence[dict[str, object]]) -> str:
    """Return flat records as CSV with a header."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def section_table(statistics: Statistics, section: Section) -> Titled | str:
    """Return a section as a table of at most 80 columns, or a sentence if there is nothing to show."""
    return {
        Section.STANDINGS: _standings,
        Section.HEAD_TO_HEAD: _head_to_head,
        Section.BALANCE: _balance,
        Section.SEATS: _seats,
        Section.PLACES: _places,
        Section.MARGINS: _margins,
        Section.PLAY: _play,
        Section.FAULTS: _faults,
        Section.HISTORY: _history,
    }[section](statistics)


def make_table(title: str, headers: Sequence[str], rows: Sequence[Sequence[str]], empty: str) -> Titled | str:
    """Return a table in which numbers are shown in full and names are shortened to fit; ``empty`` if there are no rows."""
    if not rows:
        return empty
    needs = [max(len(header), *(len(row[column]) for row in rows)) for column, header in enumerate(headers)]
    names = [column for column, header in enumerate(headers) if header in _NAMES]
    room = WIDTH - GAP * (len(headers) - 1) - sum(need for column, need in enumerate(needs) if column not in names)
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")
    for column, header in enumerate(headers):
        if column in names:
            width = max(min(needs[column], room // len(names)), LEAST_NAME)
            table.add_column(header, overflow="fold" if header == "kinds" else "ellipsis", no_wrap=header != "kinds", width=width)
        else:
            table.add_column(header, justify="right", no_wrap=True, min_width=needs[column])
    for row in rows:
        table.add_row(*map(Text, row))
    return Titled(title, table)


def number_text(value: float | None, digits: int = 1, unit: float = 1) -> str:
    """Return a number times ``unit``, rounded; "-" for None."""
    return "-" if value is None else f"{value * unit:.{digits}f}"


def range_text(low: float | None, high: float | None, digits: int = 0, unit: float = 1) -> str:
    """Return an interval, such as ``3 to 5``."""
    return "-" if low is None or high is None else f"{low * unit:.{digits}f} to {high * unit:.{digits}f}"


def rank_text(best: int | None, worst: int | None) -> str:
    """Return the possible ranks, such as ``2`` or ``2-4``."""
    if best is None or worst is None:
        return "-"
    return str(best) if best == worst else f"{best}-{worst}"


def _standings(statistics: Statistics) -> Titled | str:
    rows = [
        (
            "-" if line.rank is None else str(line.rank),
            rank_text(line.best_rank, line.worst_rank),
            line.bot,
            number_text(line.strength, 0),
            range_text(line.low, line.high),
            number_text(line.chance_of_first, 0, 100),
            str(line.blocks),
            number_text(line.score),
        )
        for line in statistics.standings
    ]
    headers = ("#", "rank 95%", "bot", "strength", "95%", "first %", "blocks", "TrueSkill")
    return make_table(f"Standings over {statistics.complete} complete blocks", headers, rows, "")


def standings_notes(statistics: Statistics) -> list[str]:
    """Return what a reader of the standings should know, as sentences."""
    notes = [
        f"Strength in points: 1500 is the average, 400 more are odds of 10 to 1. 95% intervals from {REPLICATES} bootstraps of blocks. "
        "TrueSkill is mu less three sigma."
    ]
    if statistics.anchors:
        notes.append(f"The TrueSkill of {', '.join(statistics.anchors)} was measured before and stays: anchors.")
    if statistics.incomplete:
        notes.append(
            f"{statistics.incomplete} blocks are incomplete; their {statistics.matches_left_out} matches are left out "
            "of what compares bots."
        )
    if 0 < statistics.complete < FEW_BLOCKS:
        notes.append(f"{statistics.complete} blocks are few: take the intervals as rough.")
    groups = {line.group for line in statistics.standings if line.group is not None}
    if len(groups) > 1:
        notes.append(
            f"The bots fall into {len(groups)} groups, between which one side has lost everything or nobody has met: "
            "how far apart groups are is not known, and set by one virtual tied block for each bot."
        )
    ties = statistics.ties
    if ties.neighbours:
        notes.append(
            f"Neighbours in the order of a match were tied in {ties.tied / ties.neighbours:.1%} of {ties.neighbours} cases "
            f"(TrueSkill's draw_probability: {statistics.draw_probability:.1%})."
        )
    return notes


def _head_to_head(statistics: Statistics) -> Titled | str:
    order = {line.bot: place for place, line in enumerate(statistics.standings)}
    near = sorted(statistics.head_to_head, key=lambda line: (order[line.other] - order[line.bot], order[line.bot]))[:MOST_PAIRS]
    shown = sorted(near, key=lambda line: (order[line.bot], order[line.other]))
    rows = [
        (
            line.bot,
            line.other,
            number_text(line.share, 1, 100),
            range_text(line.low, line.high, 0, 100),
            f"{line.blocks_won}-{line.blocks_tied}-{line.blocks_lost}",
            f"{line.won}-{line.tied}-{line.lost}",
        )
        for line in shown
    ]
    more = len(statistics.head_to_head) - len(rows)
    rest = f"; {more} more pairs, further apart, are in --csv and --json" if more else ""
    title = f"Head to head: share of matches above the other, ties half, with 95% intervals over blocks{rest}"
    return make_table(title, ("bot", "other", "share %", "95%", "blocks w-t-l", "matches w-t-l"), rows, "No two bots have met in a block.")


def _balance(statistics: Statistics) -> Titled | str:
    rows = [
        (
            str(line.players),
            str(line.matches),
            range_text(line.seat_low, line.seat_high, 1, 100),
            f"{100 / line.players:.1f}",
            range_text(line.behind_low, line.behind_high, 1, 100),
            f"{100 / (line.players - 1):.1f}",
        )
        for line in statistics.balance
    ]
    headers = ("players", "matches", "in each seat %", "even %", "behind each other %", "even %")
    title = "Balance of complete blocks: bots' shares of matches in a seat, and right behind another"
    return make_table(title, headers, rows, "Alone, nobody has a neighbour.")


def _seats(statistics: Statistics) -> Titled | str:
    rows = [
        (
            str(line.players),
            str(line.seat),
            number_text(line.win_share, 1, 100),
            range_text(line.low, line.high, 1, 100),
            f"{100 / line.players:.1f}",
            "-" if line.p_value is None else "<0.001" if line.p_value < 0.001 else f"{line.p_value:.3f}",
            number_text(line.mean_score),
            range_text(line.score_low, line.score_high, 1),
            str(line.blocks),
        )
        for line in statistics.seats
    ]
    headers = ("players", "seat", "wins %", "95%", "even %", "p", "points", "95%", "blocks")
    return make_table("Seats: p is the chance of such a difference if all seats win alike", headers, rows, "Alone, no seat is better.")


def _places(statistics: Statistics) -> Titled | str:
    most = max((len(line.places) for line in statistics.places), default=0)
    shown = min(most, MOST_PLACES)
    rows = []
    for line in statistics.places:
        counts: list[int | None] = [*line.places[:shown], *([None] * (shown - len(line.places)))]
        if most > shown:
            counts.append(sum(line.places[shown:]))
        shares = ("" if count is None else f"{100 * count / line.matches:.1f}" for count in counts)
        rows.append((str(line.players), line.bot, str(line.matches), f"{line.mean_place:.2f}", *shares))
    headers = [
        "players",
        "bot",
        "matches",
        "mean",
        *(f"{place}. %" for place in range(1, shown + 1)),
        *([f"{shown + 1}.+ %"] * (most > shown)),
    ]
    return make_table(
        "Places: share of matches in which a bot came so, ties at the better place", headers, rows, "No block is complete yet."
    )


def _margins(statistics: Statistics) -> Titled | str:
    rows = [
        (
            *(str(line.players), line.bot, str(line.matches), number_text(line.mean_score), f"{line.mean:+.1f}"),
            *(f"{each:+.0f}" for each in (line.p5, line.p50, line.p95)),
        )
        for line in statistics.margins
    ]
    title = "Margins in points: own score less the best of the others; without matches with a forfeit"
    return make_table(title, ("players", "bot", "matches", "score", "margin", "5%", "50%", "95%"), rows, "No match to take margins of.")


def _play(statistics: Statistics) -> Titled | str:
    rows = [
        (
            line.bot,
            str(line.matches),
            number_text(line.decisions_per_match),
            *(_milliseconds(each) for each in (line.seconds, line.seconds_p50, line.seconds_p95, line.cpu_seconds)),
            *("-" if each is None else f"{each / 2**20:.1f}" for each in (line.memory_p50, line.memory_peak)),
        )
        for line in statistics.play
    ]
    title = "Play: milliseconds for each decision (mean of all; median and 95% of matches; CPU), memory in MiB (median and most)"
    return make_table(title, ("bot", "matches", "moves", "ms", "50%", "95%", "CPU ms", "MiB", "peak"), rows, "")


def _milliseconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds * 1000:.3g}" if seconds < 1 else f"{seconds * 1000:.0f}"


def _faults(statistics: Statistics) -> Titled | str:
    if not any(line.forfeits for line in statistics.faults):
        return f"No bot has failed in {statistics.played} matches."
    rows = [
        (
            line.bot,
            str(line.matches),
            str(line.forfeits),
            f"{100 * line.forfeits / line.matches:.2f}" if line.matches else "-",
            ", ".join(f"{count} x {kind}" for kind, count in line.kinds.items() if count),
        )
        for line in statistics.faults
    ]
    return make_table("Forfeits by kind of fault", ("bot", "matches", "forfeits", "%", "kinds"), rows, "")


def _history(statistics: Statistics) -> Titled | str:
    rows = []
    for line in statistics.history:
        at = [max(round(len(line.number) * quarter / 4) - 1, 0) for quarter in (1, 2, 3, 4)]
        rows.append((line.bot, str(line.number[-1]), *(f"{conservative(line.mu[each], line.sigma[each]):.1f}" for each in at)))
    title = "TrueSkill (mu less three sigma) after a part of a bot's matches"
    return make_table(title, ("bot", "matches", "25%", "50%", "75%", "100%"), rows, "No rating is stored yet.")
