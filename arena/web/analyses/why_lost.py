"""Why a bot lost its newest matches, for its page; analysed in the background on the first request."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Final

from fastapi import Request

from arena.analysis.bot_analysis import BotAnalysis
from arena.analysis.match_analysis import Phase
from arena.web.analyses.analyses import BOT_SECONDS, BUSY, analyses_of
from arena.web.analyses.jobs import BotAnswer, BotJob, Failure
from arena.web.data.queries import Queries, queries_of
from arena.web.protection.rate_limits import ANALYSES, address_of, is_visited, rate_limits
from leaderboard.storage.match_queries import MatchFilter
from leaderboard.storage.store import StoredTournament

MATCHES: Final = 10
"""The most lost matches that are analysed."""
_RENEWED: Final = 5
"""The analysis is repeated after this many more matches."""
_OLDEST: Final = 200
"""The age, in matches, up to which an analysis is used to name what a bot loses most with."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A bot's loss per match by decisions of one kind, in percentage points of winning chance, by the third of the match."""

    name: str
    decisions: int
    by_phase: dict[Phase, float]

    @property
    def lost(self) -> float:
        """The loss in the whole match."""
        return sum(self.by_phase.values())


@dataclass(frozen=True, slots=True)
class WhyLost:
    """The state of an analysis: the analysis, or a sentence on why there is none, or its ``progress`` while it is computed."""

    analysis: BotAnalysis | None = None
    sentence: str = ""
    progress: str = ""

    @property
    def is_pending(self) -> bool:
        """Whether it is being computed."""
        return self.analysis is None and not self.sentence

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Its losses by kind of decision, the most first."""
        kinds: dict[str, Kind] = {}
        for each in self.analysis.losses if self.analysis else ():
            known = kinds.get(each.kind, Kind(each.kind, 0, {}))
            kinds[each.kind] = Kind(each.kind, known.decisions + each.decisions, known.by_phase | {each.phase: 100 * each.lost})
        return tuple(sorted(kinds.values(), key=lambda kind: -kind.lost))


def why_lost(request: Request, tournament: StoredTournament, bot: str, matches: int) -> WhyLost | None:
    """Return why a bot that played ``matches`` matches lost; None if it lost none that may be shown.

    The analysis is started unless it exists, or the visitor has started too many.
    """
    settings, queries, analyses, who = request.app.state.settings, queries_of(request), analyses_of(request), address_of(request)
    if not settings.has_analyses:
        return None
    key = _key(tournament, bot, matches)
    answer = analyses.find(key)
    if isinstance(answer, BotAnswer):
        return WhyLost(answer.analysis)
    if isinstance(answer, Failure):
        return WhyLost(sentence=answer.sentence)
    if analyses.is_asked(key):
        return WhyLost(progress=analyses.progress(key, BOT_SECONDS))
    lost = _lost(queries, tournament, bot)
    if not lost:
        return None
    job = BotJob(settings.db, tournament.name, bot, lost, BOT_SECONDS)
    may_begin = is_visited(request) and not analyses.is_full(who) and rate_limits(request).has_room(ANALYSES, "analysis", who)
    has_room = may_begin and analyses.ask(key, job, who)
    return WhyLost(progress=analyses.progress(key, BOT_SECONDS)) if has_room else WhyLost(sentence=BUSY)


def most_lost(request: Request, tournament: StoredTournament, bot: str, matches: int) -> tuple[str, float] | None:
    """Return the kind of decision with which a bot loses the most, and its share of all losses, by its newest analysis, if there is one."""
    analyses, counts = analyses_of(request), range(matches, max(-1, matches - _OLDEST), -_RENEWED)
    known = (analyses.find(_key(tournament, bot, count)) for count in counts)
    answer = next((each for each in known if isinstance(each, BotAnswer)), None)
    kinds = WhyLost(answer.analysis).kinds if isinstance(answer, BotAnswer) else ()
    lost = sum(kind.lost for kind in kinds)
    return (kinds[0].name, kinds[0].lost / lost) if lost > 0 else None


def _key(tournament: StoredTournament, bot: str, matches: int) -> tuple[str, int, str, int]:
    return "bot", tournament.id, bot, matches // _RENEWED


def _lost(queries: Queries, tournament: StoredTournament, bot: str) -> tuple[str, ...]:
    """Return the newest matches that the bot did not win and whose replays may be seen."""
    played = (listed.match for listed in queries.matches(tournament, MatchFilter(bot=bot)).matches)
    lost = (match for match in played if all(seat.rank > 1 for seat in match.seats if seat.bot == bot))
    return tuple(match.id for match in islice((match for match in lost if queries.is_block_over(tournament, match)), MATCHES))
