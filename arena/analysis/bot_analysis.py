"""Where a bot loses chances over a tournament: analyses of its matches, gathered by kind of decision and phase (``analyse_bot``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import sqrt

from arena.analysis.analyser import Settings, analysis_of
from arena.analysis.match_analysis import DecisionAnalysis, MatchAnalysis, Phase, Unit
from arena.analysis.weak_points import LEAST_MATCHES, WeakPoint, can_compare, weak_points
from arena.result_cache import Cache
from engine.core.errors import InputError
from engine.replay.format import ReplayError, read_replay
from engine.replay.verifier import DisagreementError
from leaderboard.storage.database import StoreError
from leaderboard.storage.store import Store, StoredMatch, StoredTournament

WORST = 10
"""The most decisions that are listed."""


@dataclass(frozen=True, slots=True)
class Losses:
    """A bot's losses at decisions of one kind in one phase: how many there were, how many lost something, and the total loss."""

    kind: str
    phase: Phase
    decisions: int
    losing: int
    lost: float


@dataclass(frozen=True, slots=True)
class WorstDecision:
    """One of the decisions that lost most, with the id of its match; ``link`` is its address on the pages of ``arena serve``."""

    match: str
    decision: DecisionAnalysis
    link: str


@dataclass(frozen=True, slots=True)
class BotAnalysis:
    """The summary of a bot's analysed matches. All figures are means for each match, in chances to win or points.

    ``result`` is the sum of the six before it, as in ``Account``; ``rest`` has what substitutes and forfeits changed. ``luck_error`` is the
    standard error of ``luck``. ``lost`` is what its decisions lost against the best moves found. ``skipped`` says which matches can't be
    analysed and why; ``is_whole`` is False if time ran out before the end. ``weak_points`` is None if decisions were not compared with
    those of rivals: too few matches had rivals, or the matches were chosen by their results.
    """

    bot: str
    tournament: str
    game: str
    unit: Unit
    value: str
    matches: int
    wanted: int
    start: float
    setup: float
    own: float
    rivals: float
    luck: float
    rest: float
    result: float
    luck_error: float
    lost: float
    weak_points: tuple[WeakPoint, ...] | None
    losses: tuple[Losses, ...]
    worst: tuple[WorstDecision, ...]
    skipped: tuple[str, ...]
    is_whole: bool


class NothingToAnalyseError(InputError):
    """None of a bot's matches can be analysed; the text says why."""


def analyse_bot(
    store: Store,
    tournament: StoredTournament,
    bot: str,
    matches: Sequence[StoredMatch],
    cache: Cache,
    is_over: Callable[[], bool] = lambda: False,
    report: Callable[[int, int], None] | None = None,
    *,
    were_lost: bool = False,
) -> BotAnalysis:
    """Analyse these matches of a bot, all with rivals or all solo, one after the other until time runs out.

    ``were_lost`` says that they were chosen because the bot did not win them. Raises NothingToAnalyseError.
    """
    analysed: list[tuple[StoredMatch, MatchAnalysis]] = []
    skipped: list[str] = []
    for number, match in enumerate(matches):
        if is_over():
            break
        try:
            analysis = analysis_of(read_replay(store.replay(match.id)), Settings(is_over=is_over), cache)
        except (StoreError, ReplayError, DisagreementError) as error:
            skipped.append(f"match {match.id}: {error}")
        else:
            if analysis.is_whole:
                analysed.append((match, analysis))
        if report is not None:
            report(number + 1, len(matches))
    if not analysed:
        raise NothingToAnalyseError(_nothing(bot, matches, skipped))
    gathered = _gather(tournament, bot, analysed)
    if not were_lost:
        gathered = replace(gathered, weak_points=_weak_points(bot, analysed))
    return replace(gathered, wanted=len(matches), skipped=tuple(skipped), is_whole=len(analysed) + len(skipped) == len(matches))


def _nothing(bot: str, matches: Sequence[StoredMatch], skipped: Sequence[str]) -> str:
    if not matches:
        return f"there is no match of '{bot}' to analyse"
    if skipped:
        return f"no match of '{bot}' can be analysed: {skipped[0]}"
    return "time ran out before the first match was analysed; give --seconds more"


def _gather(tournament: StoredTournament, bot: str, analysed: Sequence[tuple[StoredMatch, MatchAnalysis]]) -> BotAnalysis:
    """Return the figures of the matches of a bot, which may have had several seats in one."""
    accounts = [analysis.accounts[seat] for match, analysis in analysed for seat in _seats(match, bot)]
    decisions = [(match, decision) for match, analysis in analysed for decision in _decisions(analysis, _seats(match, bot))]
    lucks = [account.luck for account in accounts]
    worst = sorted(decisions, key=lambda entry: (-entry[1].loss, entry[0].id, entry[1].index))[:WORST]
    first = analysed[0][1]
    return BotAnalysis(
        bot=bot,
        tournament=tournament.name,
        game=tournament.game,
        unit=first.unit,
        value=first.value,
        matches=len(analysed),
        wanted=len(analysed),
        start=_mean(account.start for account in accounts),
        setup=_mean(account.setup for account in accounts),
        own=_mean(account.own for account in accounts),
        rivals=_mean(account.rivals for account in accounts),
        luck=_mean(lucks),
        rest=_mean(account.substitute + account.forfeits for account in accounts),
        result=_mean(account.result for account in accounts),
        luck_error=_error(lucks),
        lost=sum(decision.loss for _, decision in decisions) / len(accounts),
        weak_points=None,
        losses=_losses([decision for _, decision in decisions], len(accounts)),
        worst=tuple(
            WorstDecision(match.id, decision, f"/m/{match.id}/replay#d={decision.index + 1}") for match, decision in worst if decision.loss
        ),
        skipped=(),
        is_whole=True,
    )


def _weak_points(bot: str, analysed: Sequence[tuple[StoredMatch, MatchAnalysis]]) -> tuple[WeakPoint, ...] | None:
    """Return the bot's weak points; None if too few matches had rivals."""
    matches = [(analysis, seats) for match, analysis in analysed if can_compare(analysis, seats := _seats(match, bot))]
    return weak_points(matches) if len(matches) >= LEAST_MATCHES else None


def _seats(match: StoredMatch, bot: str) -> list[int]:
    return [seat for seat, result in enumerate(match.seats) if result.bot == bot]


def _decisions(analysis: MatchAnalysis, seats: Sequence[int]) -> list[DecisionAnalysis]:
    """Return the bot's own decisions, without forced and substitute moves."""
    return [each for each in analysis.decisions if each.seat in seats and each.legal > 1 and not each.is_substitute]


def _losses(decisions: Sequence[DecisionAnalysis], matches: int) -> tuple[Losses, ...]:
    """Return the loss per match by kind of decision and phase, largest first."""
    by_kind: dict[tuple[str, Phase], list[DecisionAnalysis]] = {}
    for decision in decisions:
        by_kind.setdefault((decision.kind, decision.phase), []).append(decision)
    losses = [
        Losses(kind, phase, len(each), sum(decision.loss > 0 for decision in each), sum(decision.loss for decision in each) / matches)
        for (kind, phase), each in by_kind.items()
    ]
    return tuple(sorted(losses, key=lambda each: (-each.lost, each.kind, each.phase)))


def _mean(values: Iterable[float]) -> float:
    known = list(values)
    return sum(known) / len(known)


def _error(values: Sequence[float]) -> float:
    """Return the standard error of the mean; 0 for a single value."""
    if len(values) < 2:
        return 0.0
    mean = _mean(values)
    return sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values))
