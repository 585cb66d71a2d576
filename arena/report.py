"""Tables for people and scripts, made of what the store has. It computes standings from tallies and ratings and prints nothing."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from rich.table import Table
from rich.text import Text

from arena.spec import make_spec
from arena.tournament import digest_results
from engine.core import shared_ranks
from leaderboard.ratings import Rated, conservative
from leaderboard.store import Store, StoredMatch, StoredTournament


@dataclass(frozen=True, slots=True)
class Standing:
    """A line of the leaderboard. ``score`` is mu less three sigma; ``win_share`` counts a win shared by k seats as 1/k."""

    rank: int
    bot: str
    version: str
    score: float
    mu: float
    sigma: float
    matches: int
    win_share: float
    mean_rank: float
    mean_score: float
    faults: int


def standings(store: Store, tournament: StoredTournament, table: Sequence[Rated] | None = None) -> tuple[Standing, ...]:
    """The leaderboard, best first; ratings are folded anew where the stored ones lag behind the results, unless ``table`` has them."""
    tallies = {tally.bot: tally for tally in store.tallies(tournament)}
    if table is None:
        table = rating_table(store, tournament, {bot: tally.matches for bot, tally in tallies.items()})
    versions = {entrant.name: entrant.digest for entrant in tournament.entrants}
    ordered = sorted(table, key=lambda rated: (-conservative(rated.mu, rated.sigma), rated.bot))
    ranks = shared_ranks([(round(conservative(rated.mu, rated.sigma) * 1e9),) for rated in ordered])
    found = []
    for rank, rated in zip(ranks, ordered, strict=True):
        tally = tallies.get(rated.bot)
        found.append(
            Standing(
                rank=rank,
                bot=rated.bot,
                version=versions[rated.bot][:8],
                score=conservative(rated.mu, rated.sigma),
                mu=rated.mu,
                sigma=rated.sigma,
                matches=tally.matches if tally else 0,
                win_share=tally.wins / tally.matches if tally else 0.0,
                mean_rank=tally.mean_rank if tally else 0.0,
                mean_score=tally.mean_score if tally else 0.0,
                faults=tally.faults if tally else 0,
            )
        )
    return tuple(found)


def rating_table(store: Store, tournament: StoredTournament, matches: Mapping[str, int]) -> tuple[Rated, ...]:
    """The newest ratings: the stored ones, or folded anew where they lag behind the ``matches`` that each bot has played."""
    table = store.latest_ratings(tournament)
    if {rated.bot: rated.number for rated in table} == matches:
        return table
    return digest_results(make_spec(json.loads(tournament.spec), str(store.path)), store, tournament)[1]


_HEADERS = ("#", "bot", "score", "mu", "sigma", "matches", "wins", "rank", "points", "faults")


def _cells(line: Standing) -> tuple[str, ...]:
    return (
        str(line.rank),
        line.bot,
        f"{line.score:.2f}",
        f"{line.mu:.2f}",
        f"{line.sigma:.2f}",
        str(line.matches),
        f"{line.win_share:.1%}",
        f"{line.mean_rank:.2f}",
        f"{line.mean_score:.1f}",
        str(line.faults),
    )


_LESS_NEEDED = ("sigma", "mu", "points", "rank")
"""What is left out first where there is little room."""
_BOT_COLUMNS = 12


def _headers_for(cells: Sequence[tuple[str, ...]], width: int) -> list[str]:
    """The headers of the columns that fit without cutting a number."""
    needs = {header: max(len(header), *(len(row[column]) for row in cells), 0) for column, header in enumerate(_HEADERS)}
    needs["bot"] = min(needs["bot"], _BOT_COLUMNS)
    left = list(_HEADERS)
    for header in _LESS_NEEDED:
        if sum(needs[each] + 2 for each in left) <= width + 2:
            break
        left.remove(header)
    return left


def leaderboard_table(lines: Sequence[Standing], tournament: StoredTournament, width: int = 80) -> Table:
    """The leaderboard for a terminal of so many columns; where there is little room, columns are left out."""
    rows = [_cells(line) for line in lines]
    headers = _headers_for(rows, width)
    table = Table(title=Text(f"{tournament.name} ({tournament.game})"), title_justify="left", box=None, pad_edge=False, header_style="bold")
    for header in headers:
        if header == "bot":
            table.add_column(header, overflow="ellipsis", no_wrap=True, ratio=1)
        else:
            table.add_column(header, justify="right", no_wrap=True)
    for line, row in zip(lines, rows, strict=True):
        cells = {header: Text(cell) for header, cell in zip(_HEADERS, row, strict=True)}
        if line.rank == 1:
            cells["bot"].stylize("bold green")
        if line.faults:
            cells["faults"].stylize("red")
        table.add_row(*(cells[header] for header in headers))
    return table


def leaderboard_json(lines: Sequence[Standing], tournament: StoredTournament, *, played: int) -> str:
    """The leaderboard as a JSON object: tournament, game, matches played and in all, standings."""
    data = {
        "tournament": tournament.name,
        "game": tournament.game,
        "seed": tournament.seed,
        "matches": {"played": played, "total": tournament.total},
        "standings": [asdict(line) for line in lines],
    }
    return json.dumps(data, indent=2)


def leaderboard_csv(lines: Sequence[Standing]) -> str:
    """The leaderboard as CSV with a header, numbers in full."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(Standing.__dataclass_fields__)
    writer.writerows(asdict(line).values() for line in lines)
    return out.getvalue()


def leaderboard_markdown(lines: Sequence[Standing]) -> str:
    """The leaderboard as a Markdown table."""
    rows = [_HEADERS, tuple("---" if header == "bot" else "---:" for header in _HEADERS), *map(_cells, lines)]
    return "".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in row)} |\n" for row in rows)


def matches_table(matches: Sequence[StoredMatch], tournament: StoredTournament) -> Table:
    """Matches, one a line: seats in order of rank with their scores. ``block`` is the block's number and the seating within it."""
    title = Text(f"{tournament.name} ({tournament.game}), newest first")
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    table.add_column("match", no_wrap=True)
    table.add_column("block", justify="right")
    table.add_column("result, best first", ratio=1)
    table.add_column("end", no_wrap=True)
    table.add_column("moves", justify="right")
    for match in matches:
        order = sorted(range(len(match.seats)), key=lambda seat: (match.seats[seat].rank, seat))
        result = Text(", ").join(_seat_text(match, seat) for seat in order)
        table.add_row(match.id, f"{match.block}.{match.rotation}", result, match.end, str(match.decisions))
    return table


def _seat_text(match: StoredMatch, seat: int) -> Text:
    result = match.seats[seat]
    alone = len(match.seats) == 1  # a rank among one says nothing; the leaderboard ranks a block's bots against each other
    text = Text(f"{result.bot} {result.score}" if alone else f"{result.rank}. {result.bot} {result.score}")
    if result.rank == 1 and not alone:
        text.stylize("bold")
    if result.fault is not None:
        text.append(f" ({result.fault.kind.value})", style="red")
    return text
