"""Analysing a match: chances by frame, what each decision and chance after it changed, and better moves (``analyse``).

The most is found first: chances of all frames, then decisions apart from chance, then better moves, beginning with the decisions whose seat
lost most. Whoever has little time stops anywhere (``Settings.is_over``), and gets what was found until then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from arena.analysis.better_moves import Decided, MoveSearch
from arena.analysis.judging import Judge, judge_of
from arena.analysis.match_analysis import (
    FORMAT,
    DecisionAnalysis,
    MatchAnalysis,
    Method,
    MoveWorth,
    Phase,
)
from arena.analysis.moments import moments_of
from arena.analysis.skill_and_luck import Split, split_match
from arena.analysis.story import accounts_of, sentence_of
from bots.protocol import Bot, MatchInfo
from engine.core import Move, State
from engine.records import Replay
from engine.registry import find_plugin
from engine.render.drawing import describe_events, describe_move, named
from engine.replay.verifier import ReplayTimeline, timeline_of

THIRDS: Final = (Phase.OPENING, Phase.MIDDLE, Phase.END)


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Settings:
    """How a match is analysed. ``asked`` makes the bot that is asked for better moves, of one ``seat`` only if it is given."""

    bot: str = ""
    nodes: int = 0
    seat: int | None = None
    asked: Callable[[MatchInfo], Bot] | None = None
    is_over: Callable[[], bool] = field(default=_never)
    """Whether the time is over; it is asked between two decisions."""
    report: Callable[[int, int], None] | None = None
    """Called with how many of how many decisions have been gone through."""


def analyse(replay: Replay, digest: str, settings: Settings = Settings()) -> MatchAnalysis:
    """Return the analysis of a match. Raises DisagreementError for a replay that can't be played, and NotAnalysableError."""
    timeline = timeline_of(replay)
    judge = judge_of(timeline.states[0].game, replay.players)
    split = split_match(timeline, judge, settings.is_over)
    searched = _search(timeline, judge, split, settings)
    decisions = tuple(_decision(timeline, split, at, searched.get(at)) for at in range(len(split.skill)))
    asked = [each for each in decisions if each.legal > 1]
    is_whole = split.is_whole and all(each.is_searched for each in asked)
    analysis = MatchAnalysis(
        format=FORMAT,
        digest=digest,
        game=replay.game,
        title=title_of(replay.game),
        names=_names(timeline),
        scores=tuple(map(float, replay.scores)),
        ranks=replay.ranks,
        unit=judge.unit,
        method=judge.method,
        value=judge.version,
        samples=judge.samples,
        bot=settings.bot,
        nodes=settings.nodes,
        is_whole=is_whole,
        notes=_notes(timeline, judge, split, is_whole=is_whole),
        chances=split.chances,
        decisions=decisions,
        setup=split.setup,
        accounts=(),
        moments=(),
        sentence="",
        total=timeline.end,
        forfeits=replay.forfeits,
    )
    analysis = replace(analysis, accounts=accounts_of(analysis, timeline))
    analysis = replace(analysis, moments=moments_of(analysis))
    return replace(analysis, sentence=sentence_of(analysis))


def _search(timeline: ReplayTimeline, judge: Judge, split: Split, settings: Settings) -> dict[int, Decided]:
    """Return what was found of each decision that was searched."""
    search = MoveSearch(timeline, judge, settings.asked, settings.nodes)
    decisions = timeline.replay.decisions
    asked = [at for at in range(len(split.skill)) if decisions[at].legal > 1]
    asked.sort(key=lambda at: split.skill[at][decisions[at].seat])
    found: dict[int, Decided] = {}
    for done, at in enumerate(asked):
        if settings.is_over():
            break
        found[at] = search.compare(at)
        if settings.report is not None:
            settings.report(done + 1, len(asked))
    if settings.asked is not None:
        by_loss = sorted(found, key=lambda at: -found[at].loss)
        for at in by_loss:
            if settings.is_over():
                break
            if settings.seat in {None, decisions[at].seat}:
                found[at] = search.ask(at, found[at])
    return found


def _decision(timeline: ReplayTimeline, split: Split, at: int, found: Decided | None) -> DecisionAnalysis:
    replay = timeline.replay
    decided = replay.decisions[at]
    after, move = timeline.states[at + 1], timeline.moves[at]
    names = _names(timeline)
    others = () if found is None else (found.best, found.suggested)
    words = words_of(timeline.states[at], [move, *(other for other in others if other is not None)], names)

    def told(other: Move, worth: float) -> MoveWorth:
        return MoveWorth(str(other), words[str(other)], worth)

    worth = split.expected[at][decided.seat] if found is None else found.worth
    return DecisionAnalysis(
        index=at,
        seat=decided.seat,
        legal=decided.legal,
        kind=kind_of(move),
        phase=THIRDS[min(2, 3 * at // len(replay.decisions))],
        played=told(move, worth),
        best=told(found.best, found.best_worth) if found is not None and found.best is not None else None,
        loss=0.0 if found is None else found.loss,
        skill=split.skill[at],
        luck=split.luck[at],
        events=tuple(named(event.words, names) for event in describe_events(after)),
        suggested=told(found.suggested, found.suggested_worth) if found is not None and found.suggested is not None else None,
        is_searched=found is not None or decided.legal == 1,
        is_substitute=any(forfeit.seat == decided.seat and forfeit.index <= at for forfeit in replay.forfeits),
        is_hidden=at in split.hidden,
    )


def words_of(state: State, moves: Iterable[Move], names: Sequence[str]) -> dict[str, str]:
    """Return moves of a position in words, by their notation, which stands behind the words of those that would be told alike."""
    words = {str(move): named(describe_move(state, move), names) for move in moves}
    told = list(words.values())
    return {notation: f"{said} ({notation})" if told.count(said) > 1 else said for notation, said in words.items()}


def kind_of(move: Move) -> str:
    """Return the kind of decision that a move is an answer to: the word that its notation begins with, or ``move``."""
    word = str(move).partition(" ")[0]
    return word if word.isalpha() else "move"


def title_of(game: str) -> str:
    """Return what people call a game, with its own name if it is one of a family."""
    member = game.partition(":")[2]
    return find_plugin(game).title + (f": {member}" if member else "")


def _names(timeline: ReplayTimeline) -> tuple[str, ...]:
    """Return the names by seat, told apart by their seats where several are alike."""
    names = timeline.names
    return tuple(f"{name} ({seat})" if names.count(name) > 1 else name for seat, name in enumerate(names))


def _notes(timeline: ReplayTimeline, judge: Judge, split: Split, *, is_whole: bool) -> tuple[str, ...]:
    """Return what a reader has to know of the figures."""
    notes = []
    game = title_of(timeline.replay.game)
    if judge.method is Method.PLAYOUTS:
        notes.append(f"{game} has no value function: chances are shares of random games, each off by some hundredths.")
    if not is_whole:
        notes.append(_unfinished(split, len(timeline.moves)))
    return tuple(notes)


def _unfinished(split: Split, decisions: int) -> str:
    if not split.is_whole:
        where = f"decision {len(split.skill)} of {decisions}"
        return f"The time was over: skill and luck are told apart until {where}, and no better moves are found."
    return "The time was over before better moves were looked for at every decision; those at which most was lost came first."
