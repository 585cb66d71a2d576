"""Shows a tournament's leaderboard, and the places that its format decides, as tables with notes below them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import combinations
from typing import TYPE_CHECKING, Final

from arena.formats.base import Place
from arena.report.table import Table, json_text
from arena.spec.lineups import uneven_lineups
from arena.spec.spec import Spec
from arena.spec.tables import GauntletPlan
from engine.core import EngineError
from engine.records import SeatResult
from engine.registry import find_plugin
from engine.text import listed

if TYPE_CHECKING:  # a match is shown without the store
    from arena.run.results import Standing
    from leaderboard.storage.store import StoredTournament


COLUMNS: Final = ("#", "bot", "rating", "to", "ranks", "matches", "wins", "mean place", "points", "faults")
LEFT_MARK: Final = " (left)"
SHOWN: Final = 6
"""The most bots that a sentence lists."""
_FIRST: Final = "bold green"


def cells_of(line: Standing) -> tuple[str, ...]:
    """Return the texts of one line of the leaderboard, one for each of the ``COLUMNS``."""
    return (
        _place(line.place or line.rank, line.last_place),
        f"{line.bot}{LEFT_MARK * line.left}",
        f"{line.rating:.2f}",
        f"{line.mu + 3 * line.sigma:.2f}",
        _place(line.best_rank, line.worst_rank) if line.place is None else "-",
        str(line.matches),
        f"{line.win_share:.1%}",
        f"{line.mean_rank:.2f}",
        f"{line.mean_score:.1f}",
        str(line.faults),
    )


def _place(first: int, last: int | None) -> str:
    return str(first) if last in {None, first} else f"{first}-{last}"


def leaderboard_table(lines: Sequence[Standing], tournament: StoredTournament) -> Table:
    """Return the leaderboard of a tournament as a table."""
    return Table(
        name="standings",
        title=f"{tournament.name} ({tournament.game})",
        columns=COLUMNS,
        rows=[cells_of(line) for line in lines],
        records=[asdict(line) for line in lines],
        optional=("mean place", "points"),
        styles={(number, "bot"): _FIRST for number, line in enumerate(lines) if (line.place or line.rank) == 1}
        | {(number, "faults"): "red" for number, line in enumerate(lines) if line.faults},
    )


_TITLES: Final = {"swiss": "Swiss standing", "knockout": "Knockout", "final": "Final"}
_RULES: Final = {
    "swiss": "Places are decided by points, and ties by the opponents' points; ratings don't matter.",
    "knockout": "Places are decided by the stage that a bot reached; ratings don't matter.",
    "final": "Bots whose order is not certain share a place, and are listed by the share of rivals that they beat; ratings don't matter.",
}


def places_table(places: Sequence[Place], tournament_format: str) -> Table:
    """Return the places that the rules of a format decide, as a table."""
    rows = [(_place(each.place, each.last), each.bot, each.note) for each in places]
    styles = {(number, "bot"): _FIRST for number, each in enumerate(places) if each.place == 1}
    return Table("places", _TITLES.get(tournament_format, tournament_format), ("#", "bot", ""), rows, styles=styles)


def places_line(tournament_format: str) -> str:
    """Return a sentence on how the format decides places and treats ties."""
    return _RULES.get(tournament_format, "Places are decided by ratings; bots with equal ratings share a place.")


def ties_line(game: str, seats: Sequence[SeatResult]) -> str:
    """Return a sentence on how seats with equal points were ranked in a match; empty if all such seats share a rank."""
    is_broken = any(
        one.score == other.score and one.rank != other.rank and not (one.fault or other.fault) for one, other in combinations(seats, 2)
    )
    try:
        ties = find_plugin(game).ties if is_broken else ""
    except EngineError:
        return ""
    return f"Equal points are ranked by {ties}." if ties else ""


def wins_line(lines: Sequence[Standing]) -> str | None:
    """Return an explanation if a bot is ranked above a bot that won more often, or None."""
    wins = [line.win_share for line in lines if line.matches]
    if wins == sorted(wins, reverse=True):
        return None
    return (
        "Ratings and wins order these bots differently: a rating depends on every place, not only on wins; it also depends on the "
        "opponents, and is low as long as its interval is wide."
    )


def authors_line(spec: Spec) -> str:
    """Return a note on bots that have fewer line-ups because bots of one author never share a table; empty if there are no such bots."""
    if isinstance(spec.schedule, GauntletPlan):
        return ""  # its line-ups differ: each has one challenger
    authors = {bot.name: bot.author for bot in spec.bots}
    counts = uneven_lineups(authors, list(authors), spec.schedule.tables)
    if not counts:
        return ""
    most = max(counts.values())
    fewer = sorted((bot for bot in counts if counts[bot] < most), key=lambda bot: counts[bot])
    few = [f"{bot} in {counts[bot]}" for bot in fewer[:SHOWN]] + ([f"{len(fewer) - SHOWN} more"] if len(fewer) > SHOWN else [])
    return f"Bots of one author never share a table, so some are in fewer line-ups: {listed(few)}, the others in {most}."


def seed_line(tournament: StoredTournament) -> str:
    """Return where the tournament's decks come from, in words: an open seed, or a secret with its commitment."""
    if tournament.secret is None:
        return f"Open seed {tournament.seed}: anyone can compute every deck."
    return f"The decks follow from a secret; its commitment:\ncommit {tournament.secret.commitment}"


def blocks_line(complete: int, total: int | None) -> str:
    """Return a sentence that says how many blocks are complete."""
    return f"{complete} blocks complete." if total is None else f"{complete} of {total} blocks complete."


def tournament_fields(tournament: StoredTournament, **matches: object) -> dict[str, object]:
    """Return a tournament's data for JSON: its name, its game, its seed or its secret's commitment (the other is None), and ``matches``."""
    commitment = None if tournament.secret is None else tournament.secret.commitment
    return {
        "tournament": tournament.name,
        "game": tournament.game,
        "seed": tournament.seed,
        "open_seed": commitment is None,
        "commitment": commitment,
        "matches": matches,
    }


def leaderboard_json(
    table: Table, tournament: StoredTournament, *, played: int, blocks: tuple[int, int | None], conclusion: str = ""
) -> str:
    """Return the leaderboard as JSON: tournament, matches, ``blocks`` (complete, and the total if known), ``conclusion``, standings."""
    heading = tournament_fields(tournament, played=played, total=tournament.total)
    more: dict[str, object] = {"blocks": {"complete": blocks[0], "total": blocks[1]}}
    return json_text(heading, more | ({"conclusion": conclusion} if conclusion else {}), table)
