"""The data of the pages of bots: the result in each tournament, by the format's own places or else by rating."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from arena.analysis.standings import Standing
from arena.web.data.course import ranking
from arena.web.data.names import game_title
from arena.web.data.queries import Queries
from leaderboard.storage.store import StoredTournament


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
