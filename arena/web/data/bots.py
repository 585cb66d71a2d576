"""The data of the pages of bots: the result in each tournament, by the format's own places or else by rating, and the worst losses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from arena.analysis.standings import Standing
from arena.web.data.course import ranking
from arena.web.data.names import game_title
from arena.web.data.queries import Queries
from arena.web.data.tournament_stats import TournamentStats
from engine.core import EngineError
from engine.records import Replay, SeatResult
from engine.replay.format import read_replay
from engine.replay.verifier import walk
from leaderboard.statistics.highlights import Loss
from leaderboard.storage.match_queries import DatedMatch
from leaderboard.storage.store import StoredMatch, StoredTournament


@dataclass(frozen=True, slots=True)
class Result:
    """How a bot does in a tournament; ``place`` and ``line`` are None before its first match there or where the game is missing."""

    tournament: StoredTournament
    digest: str
    game: str
    place: int | None
    line: Standing | None

    @property
    def bots(self) -> int:
        """The number of bots in the tournament."""
        return len(self.tournament.entrants)


@dataclass(frozen=True, slots=True)
class BotRow:
    """A bot in the list of all: the number of its versions, its tournaments, and its result in the newest one."""

    name: str
    versions: int
    tournaments: tuple[str, ...]
    newest: Result | None


@dataclass(frozen=True, slots=True)
class Career:
    """A bot's results in all tournaments, newest first, and their totals."""

    results: tuple[Result, ...]

    @property
    def played(self) -> tuple[Standing, ...]:
        """Its leaderboard lines in the tournaments in which it has played."""
        return tuple(each.line for each in self.results if each.line is not None and each.line.matches)

    @property
    def matches(self) -> int:
        """The number of its rated matches."""
        return sum(line.matches for line in self.played)

    @property
    def wins(self) -> float:
        """The share of its rated matches that it won."""
        return sum(line.win_share * line.matches for line in self.played) / max(self.matches, 1)

    @property
    def faults(self) -> int:
        """The number of rated matches in which it failed."""
        return sum(line.faults for line in self.played)

    @property
    def best(self) -> int | None:
        """Its best place in any tournament."""
        return min((each.place for each in self.results if each.place is not None), default=None)


def bot_rows(queries: Queries, names: Sequence[str]) -> tuple[BotRow, ...]:
    """Return these bots with their newest results."""
    entered = defaultdict[str, list[tuple[StoredTournament, str]]](list)
    for tournament in map(queries.tournament, reversed(queries.tournament_names())):
        for entrant in tournament.entrants:
            entered[entrant.name].append((tournament, entrant.digest))
    bots = queries.bots()
    rows = []
    for name in names:
        newest = next((result_of(queries, tournament, name, digest) for tournament, digest in entered[name]), None)
        rows.append(BotRow(name, len(bots[name]), tuple(tournament.name for tournament, _ in entered[name]), newest))
    return tuple(rows)


def career(queries: Queries, bot: str) -> Career:
    """Return a bot's results, newest first."""
    entered = reversed(queries.tournaments_of(bot))
    return Career(tuple(result_of(queries, queries.tournament(name), bot, digest) for name, digest in entered))


def result_of(queries: Queries, tournament: StoredTournament, bot: str, digest: str) -> Result:
    """Return how a bot does in a tournament that it has entered."""
    ranks, lines = queries.keep_for(tournament, "results by bot", lambda: _results(queries, tournament))
    line = lines.get(bot)
    place = ranks.get(bot, line.rank) if line is not None and line.matches else None
    return Result(tournament, digest, game_title(tournament.game), place, line)


def _results(queries: Queries, tournament: StoredTournament) -> tuple[dict[str, int], dict[str, Standing]]:
    lines = queries.standings_if_known(tournament)
    return {each.bot: each.place for each in ranking(queries, tournament, lines)}, {line.bot: line for line in lines}


@dataclass(frozen=True, slots=True)
class TurningPoint:
    """The course of a match for a seat by the points during the game: when it fell behind for good.

    ``margins[k]`` is its points less the best of the others' after ``k`` decisions; ``seats`` made the decisions.
    """

    margins: tuple[float, ...]
    seats: tuple[int, ...]

    @property
    def behind_from(self) -> int | None:
        """The decision, counted from 1, after which it was always behind; None if it was not behind at the end."""
        if self.margins[-1] >= 0:
            return None
        return 1 + max((at for at, margin in enumerate(self.margins) if margin >= 0), default=0)

    @property
    def is_decided_at_end(self) -> bool:
        """Whether points came only with the last decision, so that the moment of falling behind can't be determined."""
        return not any(self.margins[:-1])

    @property
    def lead(self) -> float:
        """Its largest lead, 0 if it was never ahead."""
        return max(0, *self.margins)

    @property
    def lead_at(self) -> int:
        """The number of decisions after which its lead was largest."""
        return self.margins.index(max(self.margins))

    def mover(self, decision: int) -> int:
        """Return the seat that made the decision, counted from 1."""
        return self.seats[decision - 1]


def turning_point(queries: Queries, match: StoredMatch, seat: int) -> TurningPoint | None:
    """Return the course of the match for the seat; None if points do not add up to the score, or its replay can't be played."""

    def make() -> TurningPoint | None:
        try:
            return find_turning_point(read_replay(queries.store.replay(match.id)), [each.score for each in match.seats], seat)
        except EngineError:
            return None

    return queries.keep_match(("turning point", seat), match.id, make)


def find_turning_point(replay: Replay, scores: list[float], seat: int) -> TurningPoint | None:
    """Play the replay and return its course for the seat, or None if the final values of the game's first tally are not the scores.

    Raises EngineError for a replay that can't be played.
    """
    margins: list[float] = []
    points: tuple[float, ...] = ()
    for state, _ in walk(replay):
        points = next(iter(state.tally().values()), ())
        if len(points) < 2:
            return None
        margins.append(points[seat] - max(points[:seat] + points[seat + 1 :]))
    if list(points) != scores or len(margins) < 2:
        return None
    return TurningPoint(tuple(margins), tuple(decision.seat for decision in replay.decisions))


@dataclass(frozen=True, slots=True)
class LostMatch:
    """One of a bot's worst losses; ``point`` is None if it can't be known or shown."""

    loss: Loss
    listed: DatedMatch
    seat: int
    result: SeatResult
    point: TurningPoint | None

    @property
    def mover(self) -> str | None:
        """The bot whose decision put it behind for good; None if it was its own."""
        if self.point is None or self.point.behind_from is None:
            return None
        seat = self.point.mover(self.point.behind_from)
        return None if seat == self.seat else self.listed.match.seats[seat].bot


def worst_losses(queries: Queries, tournament: StoredTournament, stats: TournamentStats, bot: str) -> list[LostMatch]:
    """Return those of the bot's worst losses that are still stored."""
    losses = stats.losses.get(bot, ())
    listed = {each.match.id: each for each in queries.look_up(tuple(loss.match for loss in losses))}
    lost = []
    for loss in losses:
        if loss.match not in listed:
            continue
        match = listed[loss.match].match
        seat = next(number for number, each in enumerate(match.seats) if each.bot == bot)
        point = turning_point(queries, match, seat) if queries.is_block_over(tournament, match) else None
        lost.append(LostMatch(loss, listed[loss.match], seat, match.seats[seat], point))
    return lost
