"""The leaderboard for people and scripts: its lines, and what they are as JSON, CSV and Markdown. ``arena.cli.tables`` draws it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final

from arena.markdown import markdown_text
from arena.tournament.formats.base import Place
from arena.tournament.spec import make_stored_spec
from arena.verification.recompute import recompute_standings
from engine.core import shared_ranks
from leaderboard.ratings.rating_fold import Rated, conservative
from leaderboard.ratings.results_fold import Total
from leaderboard.storage.store import Store, StoredTournament


@dataclass(frozen=True, slots=True)
class Standing:
    """A line of the leaderboard. ``score`` is mu - 3 sigma; in ``win_share`` a win shared by k seats counts 1/k.

    The rating of an ``anchor`` is fixed. ``place`` is that by the rules of the format; None where ratings decide, so that it is ``rank``.
    """

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
    anchor: bool = False
    place: int | None = None


MOST_RECOMPUTED: Final = 2_000
"""The most matches that are folded again, within about a second, when the stored standings lag behind them."""


def standings(store: Store, tournament: StoredTournament) -> tuple[Standing, ...]:
    """Return the leaderboard as last stored, best first; recomputed if none is stored, or if it is out of date and the tournament small."""
    spec = make_stored_spec(tournament.spec, store.name)
    rated, totals = store.standings(tournament)
    played = store.count_matches(tournament)
    if played and (not totals or rated < played <= MOST_RECOMPUTED):
        totals = recompute_standings(spec, store, tournament).totals
    anchors = {each.bot for each in spec.rating.fixed}
    versions = {entrant.name: entrant.digest for entrant in tournament.entrants}
    ordered = sorted(totals, key=lambda total: (-conservative(total.mu, total.sigma), total.bot))
    ranks = shared_ranks([(round(conservative(total.mu, total.sigma) * 1e9),) for total in ordered])
    return tuple(
        _standing(rank, total, versions[total.bot], anchor=total.bot in anchors) for rank, total in zip(ranks, ordered, strict=True)
    )


def _standing(rank: int, total: Total, version: str, *, anchor: bool) -> Standing:
    matches = max(total.matches, 1)
    return Standing(
        rank=rank,
        bot=total.bot,
        version=version[:8],
        score=conservative(total.mu, total.sigma),
        mu=total.mu,
        sigma=total.sigma,
        matches=total.matches,
        win_share=total.wins / matches,
        mean_rank=total.places / matches,
        mean_score=total.points / matches,
        faults=total.faults,
        anchor=anchor,
    )


def placed(lines: Sequence[Standing], places: Sequence[Place]) -> tuple[Standing, ...]:
    """Return the lines with their places, in the order of these; as they are if there are none, since ratings decide then."""
    if not places:
        return tuple(lines)
    order = {each.bot: (at, each.place) for at, each in enumerate(places)}
    known = sorted((line for line in lines if line.bot in order), key=lambda line: order[line.bot][0])
    others = tuple(line for line in lines if line.bot not in order)
    return tuple(replace(line, place=order[line.bot][1]) for line in known) + others


def places_line(tournament_format: str) -> str | None:
    """Return what decides the places of a format that has rules of its own, as a sentence."""
    return _RULES.get(tournament_format)


_RULES: Final = {
    "swiss": "Places go by points, then by the opponents' points; the score is TrueSkill's and decides nothing.",
    "knockout": "Places go by the stage that a bot reached; the score is TrueSkill's and decides nothing.",
}


def rating_table(store: Store, tournament: StoredTournament) -> tuple[Rated, ...]:
    """Return the newest rating of every bot, best first, as in the leaderboard."""
    return tuple(Rated(line.bot, line.matches, "", line.mu, line.sigma) for line in standings(store, tournament))


HEADERS: Final = ("#", "bot", "score", "mu", "sigma", "matches", "wins", "rank", "points", "faults")
ANCHOR_MARK: Final = "*"


def cells_of(line: Standing) -> tuple[str, ...]:
    """Return a line of the leaderboard as texts, one for each of the ``HEADERS``."""
    return (
        str(line.place or line.rank),
        f"{line.bot}{ANCHOR_MARK * line.anchor}",
        f"{line.score:.2f}",
        f"{line.mu:.2f}",
        f"{line.sigma:.2f}",
        str(line.matches),
        f"{line.win_share:.1%}",
        f"{line.mean_rank:.2f}",
        f"{line.mean_score:.1f}",
        str(line.faults),
    )


def anchors_line(lines: Sequence[Standing]) -> str | None:
    """Return the explanation of the anchors' mark, if there is an anchor."""
    return f"{ANCHOR_MARK} an anchor: its rating was measured before and stays." if any(line.anchor for line in lines) else None


def seed_line(tournament: StoredTournament) -> str:
    """Return where the tournament's decks come from, in words: an open seed, or a secret with its commitment."""
    if tournament.secret is None:
        return f"Open seed {tournament.seed}: anyone can compute every deck."
    return f"The decks follow from a secret; its commitment:\ncommit {tournament.secret.commitment}"


def seed_fields(tournament: StoredTournament) -> dict[str, object]:
    """Return the same for JSON: ``seed`` and ``commitment``, one of which is null, and ``open_seed``."""
    commitment = None if tournament.secret is None else tournament.secret.commitment
    return {"seed": tournament.seed, "open_seed": commitment is None, "commitment": commitment}


def blocks_line(complete: int, total: int | None) -> str:
    """Return how many blocks are complete, as a sentence."""
    return f"{complete} blocks complete." if total is None else f"{complete} of {total} blocks complete."


def leaderboard_json(lines: Sequence[Standing], tournament: StoredTournament, *, played: int, blocks: tuple[int, int | None]) -> str:
    """Return the leaderboard as a JSON object: tournament, game, matches played and in all, blocks complete and in all, standings."""
    data = {
        "tournament": tournament.name,
        "game": tournament.game,
        **seed_fields(tournament),
        "matches": {"played": played, "total": tournament.total},
        "blocks": {"complete": blocks[0], "total": blocks[1]},
        "standings": [asdict(line) for line in lines],
    }
    return json.dumps(data, indent=2)


def leaderboard_csv(lines: Sequence[Standing]) -> str:
    """Return the leaderboard as CSV with a header, numbers in full."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(Standing.__dataclass_fields__)
    writer.writerows(asdict(line).values() for line in lines)
    return out.getvalue()


def leaderboard_markdown(lines: Sequence[Standing], tournament: StoredTournament) -> str:
    """Return the leaderboard as a Markdown table, with a line on where the decks come from."""
    rows = [HEADERS, tuple("---" if header == "bot" else "---:" for header in HEADERS), *map(cells_of, lines)]
    table = "".join(f"| {' | '.join(markdown_text(cell) for cell in row)} |\n" for row in rows)
    return f"{table}\n{seed_line(tournament)}\n"
