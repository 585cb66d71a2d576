"""Shows a tournament's statistics as tables, one for each section, or as JSON. ``adjusted_tables`` shows results adjusted for luck."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Final

from arena.analysis.statistics import LessLuck, Section, Statistics
from arena.report.leaderboard_table import tournament_fields
from arena.report.table import Table, json_text, number_text, range_text, rank_text
from arena.run.results import second_opinion
from leaderboard.statistics.adjustment import Adjusted, Adjustment
from leaderboard.statistics.bradley_terry import REPLICATES, Strength

MOST_PAIRS: Final = 60
"""The most head-to-head records shown in a terminal; CSV and JSON have all."""
FEW_BLOCKS: Final = 20


def section_table(statistics: Statistics, section: Section) -> Table:
    """Return a section of the statistics as a table of the same name."""
    return {
        Section.STANDINGS: _standings,
        Section.HEAD_TO_HEAD: _head_to_head,
        Section.SEATS: _seats,
        Section.PLAY: _play,
        Section.FAULTS: _faults,
    }[section](statistics)


def statistics_json(statistics: Statistics, *parts: Table | Mapping[str, object]) -> str:
    """Return a JSON object with the tournament, its matches, and then ``parts``, which are tables and other data."""
    total, left_out = statistics.tournament.total, statistics.matches_left_out
    heading = {
        "blocks": {"complete": statistics.complete, "incomplete": statistics.incomplete},
        "ties": asdict(statistics.ties) | {"draw_probability": statistics.draw_probability},
    }
    return json_text(tournament_fields(statistics.tournament, played=statistics.played, total=total, left_out=left_out), heading, *parts)


def _standings(statistics: Statistics) -> Table:
    has_faults = any(line.without_faults is not None for line in statistics.standings)
    rows = [
        (
            "-" if line.rating is None else str(number),
            line.bot,
            number_text(line.rating, 2),
            "-" if line.mu is None or line.sigma is None else f"{line.mu + 3 * line.sigma:.2f}",
            number_text(line.elo, 0),
            *([number_text(line.without_faults, 0)] if has_faults else []),
            range_text(line.low, line.high),
            rank_text(line.best_rank, line.worst_rank),
            "-" if line.chance_of_first is None else f"{100 * line.chance_of_first:.0f}%",
            str(line.blocks),
        )
        for number, line in enumerate(statistics.standings, start=1)
    ]
    headers = ("#", "bot", "rating", "to", "Elo", *(["clean"] if has_faults else []), "95%", "ranks by Elo", "first by Elo", "blocks")
    title = f"Standings by rating; Elo, a second opinion, over {statistics.complete} complete blocks"
    return Table(
        Section.STANDINGS, title, headers, rows, [asdict(line) for line in statistics.standings], _notes(statistics), optional=("blocks",)
    )


def _notes(statistics: Statistics) -> list[str]:
    notes = [
        "Rating: TrueSkill's mu minus three sigma; its interval goes up to mu plus three sigma. Elo, from the Bradley-Terry model: 1500 is "
        f"the average, and a bot 400 points above another is favoured by 10 to 1; 95% intervals are from {REPLICATES} bootstraps of blocks."
    ]
    if opinion := second_opinion([line.bot for line in statistics.standings], {each.bot: each for each in statistics.strengths}):
        notes.append(opinion)
    if any(line.without_faults is not None for line in statistics.standings):
        notes.append("Clean: Elo without matches in which a bot failed, since such matches reward bots that merely did not fail.")
    if statistics.incomplete:
        notes.append(
            f"{statistics.incomplete} blocks are incomplete; their {statistics.matches_left_out} matches are left out "
            "of comparisons of bots."
        )
    if 0 < statistics.complete < FEW_BLOCKS:
        notes.append(f"{statistics.complete} blocks are few, so the intervals are only rough.")
    notes += _note_of_groups(statistics.strengths)
    ties = statistics.ties
    if ties.neighbours:
        notes.append(
            f"Neighbours in the order of a match were tied in {ties.tied / ties.neighbours:.1%} of {ties.neighbours} cases "
            f"(TrueSkill's draw_probability: {statistics.draw_probability:.1%})."
        )
    return notes


def _note_of_groups(strengths: Sequence[Strength]) -> list[str]:
    groups = {line.group for line in strengths if line.group is not None}
    if len(groups) < 2:
        return []
    return [
        f"The bots form {len(groups)} groups: of any two groups, one has lost every match with the other, or they never met. The distance "
        "between groups is therefore unknown, and is set by one virtual tied block for each bot."
    ]


def _head_to_head(statistics: Statistics) -> Table:
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
    title = f"Head to head: share of matches with the first bot above the other (ties count half), with 95% intervals over blocks{rest}"
    headers = ("bot", "other", "share %", "95%", "blocks w-t-l", "matches w-t-l")
    records = [asdict(line) for line in statistics.head_to_head]
    return Table(Section.HEAD_TO_HEAD, title, headers, rows, records, empty="No two bots have met in a block.")


def _seats(statistics: Statistics) -> Table:
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
    title = "Seats: p is the chance of such a difference if all seats win equally often"
    records = [asdict(line) for line in statistics.seats]
    return Table(Section.SEATS, title, headers, rows, records, empty="Solo play has only one seat.")


def _play(statistics: Statistics) -> Table:
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
    title = "Play: ms for each decision (mean of all; median and 95th percentile of matches; CPU), memory in MiB (median and maximum)"
    headers = ("bot", "matches", "moves", "ms", "50%", "95%", "CPU ms", "MiB", "peak")
    return Table(Section.PLAY, title, headers, rows, [asdict(line) for line in statistics.play])


def _milliseconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds * 1000:.3g}" if seconds < 1 else f"{seconds * 1000:.0f}"


def _faults(statistics: Statistics) -> Table:
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
    has_failed = any(line.forfeits for line in statistics.faults)
    records = [{"bot": line.bot, "matches": line.matches, "forfeits": line.forfeits} | line.kinds for line in statistics.faults]
    empty = f"No bot has failed in {statistics.played} matches."
    headers = ("bot", "matches", "forfeits", "%", "kinds")
    return Table(Section.FAULTS, "Forfeits by kind of fault", headers, rows if has_failed else (), records, empty=empty)


# Results adjusted for luck, next to unadjusted results

NOTE: Final = (
    "Adjusted: without the luck of draws, dice and the deal. This luck is zero on average, so in the long run the adjustment changes "
    "nothing (docs/ratings.md)."
)


def adjusted_tables(less_luck: LessLuck, raw: Sequence[Strength]) -> list[Table]:
    """Return tables of strengths, of shares of wins, and of pairs, all with unadjusted and adjusted figures; the last table has notes."""
    adjustment = less_luck.adjustment
    return [_adjusted_strengths(adjustment, raw), _adjusted_wins(adjustment), _adjusted_pairs(adjustment, adjusted_notes(less_luck))]


def adjusted_notes(less_luck: LessLuck) -> list[str]:
    """Return the notes on tables of adjusted results, as sentences."""
    adjustment, troubles = less_luck.adjustment, less_luck.troubles
    notes = [NOTE, *_gain_note(adjustment)]
    if adjustment.without:
        reason = f", for instance {troubles[0]}" if troubles else ""
        notes.append(f"The luck of {adjustment.without} matches is not known, so they are not adjusted{reason}.")
    return notes


def _gain_note(adjustment: Adjustment) -> list[str]:
    shares = [*(line.wins for line in adjustment.wins), *(line.above for line in adjustment.pairs)]
    gains = [share.gain for share in shares if share.gain is not None]
    if not gains:
        return []
    return [
        f"Gain {gains[0]:.2f}x: without the adjustment, it would take {gains[0]:.2f} times as many matches to get as narrow an interval. A "
        "gain below 1 means that the adjustment makes the interval wider."
    ]


def _adjusted_strengths(adjustment: Adjustment, raw: Sequence[Strength]) -> Table:
    before = {line.bot: line for line in raw}
    rows = [
        (
            *("-" if line.rank is None else str(line.rank), line.bot),
            *(text for each in (before[line.bot], line) for text in (number_text(each.elo, 0), range_text(each.low, each.high))),
            str(line.blocks),
        )
        for line in adjustment.strengths
    ]
    records = [
        {key: getattr(line, key) for key in ("bot", "blocks", "rank", "best_rank", "worst_rank")}
        | {key: getattr(before[line.bot], key) for key in ("elo", "low", "high")}
        | {"adjusted": line.elo, "adjusted_low": line.low, "adjusted_high": line.high}
        for line in adjustment.strengths
    ]
    headers = ("#", "bot", "Elo", "95%", "adjusted", "95%", "blocks")
    return Table("adjusted-elo", "Elo, unadjusted and adjusted", headers, rows, records, empty="No Elo.")


def _adjusted_wins(adjustment: Adjustment) -> Table:
    rows = [(str(line.players), line.bot, *_shares(line.wins)) for line in adjustment.wins]
    records = [{"bot": line.bot, "players": line.players} | asdict(line.wins) for line in adjustment.wins]
    headers = ("players", "bot", "wins %", "95%", "adjusted", "95%", "gain")
    title = "Shares of wins over blocks, unadjusted and adjusted"
    return Table("adjusted-wins", title, headers, rows, records, empty="In solo play, nothing is adjusted.")


def _adjusted_pairs(adjustment: Adjustment, notes: Sequence[str]) -> Table:
    rows = [(str(line.players), line.bot, line.other, *_shares(line.above)) for line in adjustment.pairs[:MOST_PAIRS]]
    records = [{"bot": line.bot, "other": line.other, "players": line.players} | asdict(line.above) for line in adjustment.pairs]
    more = len(adjustment.pairs) - len(rows)
    rest = f"; {more} more are in --csv and --json" if more else ""
    title = f"Shares of matches with the first bot above the other (ties count half), unadjusted and adjusted{rest}"
    headers = ("players", "bot", "other", "share %", "95%", "adjusted", "95%", "gain")
    return Table("adjusted-pairs", title, headers, rows, records, notes, "No two bots have met in a block.")


def _shares(line: Adjusted) -> tuple[str, ...]:
    return (
        *(number_text(line.share, 1, 100), range_text(line.low, line.high, 0, 100)),
        *(number_text(line.adjusted, 1, 100), range_text(line.adjusted_low, line.adjusted_high, 0, 100)),
        "-" if line.gain is None else f"{line.gain:.2f}x",
    )
