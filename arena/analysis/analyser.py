"""Analyses a match (``analyse``): the chances of winning, the effects of decisions and of luck, better moves, and key moments.

The chances before and after every decision come first, then the effects of decisions and luck, then better moves, beginning with the
costliest decisions. ``Settings.is_over`` may stop the analysis, which is then partial. ``analysis_of`` keeps analyses in a cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from pathlib import Path

from arena.analysis.key_moments import moments_of
from arena.analysis.match_analysis import (
    FORMAT,
    DecisionAnalysis,
    MatchAnalysis,
    Method,
    MoveWorth,
    PositionAnalysis,
    read_analysis,
    write_analysis,
)
from arena.analysis.move_quality import MoveQuality, MoveSearch
from arena.analysis.position_value import WORLDS, Judge, judge_of
from arena.analysis.sentence import decisive, sentence_of
from arena.analysis.skill_and_luck import Split, accounts_of, split_match
from arena.analysis.worlds import is_luck_known
from arena.result_cache import Cache, key_of
from arena.version import __version__
from bots.loader.loading import identify
from engine.core import EngineError, Move, State
from engine.records import Decision, Replay
from engine.registry import find_plugin
from engine.render.drawing import describe_events, describe_move, named
from engine.replay.format import write_replay
from engine.replay.verifier import ReplayTimeline, game_of, shown_names, state_at, timeline_of


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of an analysis."""

    is_over: Callable[[], bool] = lambda: False
    """Called between decisions; if it returns True, the analysis stops and is partial."""
    report: Callable[[int, int], None] | None = None
    """Called each time a decision has been searched for better moves, with how many have been searched and how many will be in all."""


def analyse(replay: Replay, digest: str, settings: Settings = Settings()) -> MatchAnalysis:
    """Return the analysis of a match. Random numbers are derived from ``digest``, the replay's digest.

    Raises DisagreementError if the replay can't be played, and NotAnalysableError if its positions can't be valued.
    """
    timeline = _until_forfeit(timeline_of(replay))
    judge = judge_of(timeline.states[0].game, replay.players, digest)
    split = split_match(timeline, judge, settings.is_over)
    searched = _search(timeline, judge, split, settings)
    decisions = tuple(_decision(timeline, split, at, searched.get(at)) for at in range(len(split.skill)))
    is_whole = split.is_whole and all(each.is_searched for each in decisions if each.legal > 1)
    figures = MatchAnalysis(
        format=FORMAT,
        digest=digest,
        game=replay.game,
        title=title_of(replay.game),
        names=names_of(timeline),
        scores=tuple(map(float, replay.scores)),
        ranks=replay.ranks,
        unit=judge.unit,
        method=judge.method,
        value=judge.version,
        samples=WORLDS,
        is_whole=is_whole,
        notes=_notes(timeline, judge, split, is_whole=is_whole),
        chances=split.chances,
        decisions=decisions,
        setup=split.setup,
        accounts=accounts_of(split, decisions, replay, judge.unit),
        total=timeline.end,
        forfeits=replay.forfeits,
    )
    return replace(figures, moments=moments_of(figures, decisive(figures)), sentence=sentence_of(figures))


def analyse_position(replay: Replay, at: int, moves: Sequence[str], most: int) -> PositionAnalysis:
    """Return the analysis, with up to ``most`` moves, of the position reached by playing ``moves`` after the first ``at`` decisions.

    ``moves`` are in notation, must be legal, and must not end the match. Raises NotAnalysableError.
    """
    state = state_at(replay, at)
    decisions = list(replay.decisions[:at])
    played = [state.game.parse(each.move) for each in decisions]
    states = [state.copy()] * at  # only the last ones are looked at
    for notation in (*moves, None):  # then any move, which shows whether choices are secret
        move = state.move_at(0) if notation is None else state.game.parse(notation)
        assert state.actor is not None, "somebody has to decide"
        states.append(state.copy())
        decisions.append(Decision(state.actor, str(move), state.count_moves()))
        played.append(move)
        state.play(move)
    timeline = ReplayTimeline(replace(replay, decisions=tuple(decisions)), shown_names(replay), (*states, state), tuple(played))
    here = states[-1]
    judge = judge_of(here.game, replay.players, digest_of(replay))
    best = MoveSearch(timeline, judge).best(timeline.end - 1, most)
    words = words_of(here, [move for _, move in best], names_of(timeline))
    candidates = tuple(MoveWorth(str(move), words[str(move)], worth[decisions[-1].seat]) for worth, move in best)
    return PositionAnalysis(judge.unit, best[0][0], candidates)


def _until_forfeit(timeline: ReplayTimeline) -> ReplayTimeline:
    """Return the match up to the first forfeit, after which places no longer depend on the positions alone."""
    end = min((forfeit.index for forfeit in timeline.replay.forfeits), default=timeline.end)
    replay = replace(timeline.replay, decisions=timeline.replay.decisions[:end])
    return replace(timeline, replay=replay, states=timeline.states[: end + 1], moves=timeline.moves[:end])


def _search(timeline: ReplayTimeline, judge: Judge, split: Split, settings: Settings) -> dict[int, MoveQuality]:
    """Return the quality of the move at each decision that was searched, keyed by the decision's index."""
    search = MoveSearch(timeline, judge)
    decisions = timeline.replay.decisions
    choices = [at for at in range(len(split.skill)) if decisions[at].legal > 1]
    choices.sort(key=lambda at: split.skill[at][decisions[at].seat])
    qualities: dict[int, MoveQuality] = {}
    for done, at in enumerate(choices, start=1):
        if settings.is_over():
            break
        qualities[at] = search.compare(at)
        if settings.report is not None:
            settings.report(done, len(choices))
    return qualities


def _decision(timeline: ReplayTimeline, split: Split, at: int, quality: MoveQuality | None) -> DecisionAnalysis:
    decision = timeline.replay.decisions[at]
    after, move = timeline.states[at + 1], timeline.moves[at]
    names = names_of(timeline)
    best = None if quality is None else quality.best
    words = words_of(timeline.states[at], [each for each in (move, best) if each is not None], names)

    def move_worth(move: Move, worth: float) -> MoveWorth:
        return MoveWorth(str(move), words[str(move)], worth)

    worth = split.expected[at][decision.seat] if quality is None else quality.worth
    return DecisionAnalysis(
        index=at,
        seat=decision.seat,
        legal=decision.legal,
        played=move_worth(move, worth),
        best=move_worth(best, quality.best_worth) if quality is not None and best is not None else None,
        loss=0.0 if quality is None else quality.loss,
        skill=split.skill[at],
        luck=split.luck[at],
        events=tuple(named(event.words, names) for event in describe_events(after)),
        is_searched=quality is not None or decision.legal == 1,
        is_hidden=at in split.hidden,
    )


def words_of(state: State, moves: Iterable[Move], names: Sequence[str]) -> dict[str, str]:
    """Return moves of a position in words, keyed by their notation. Moves with the same words get their notation appended."""
    words = {str(move): named(describe_move(state, move), names) for move in moves}
    every = list(words.values())
    return {notation: f"{each} ({notation})" if every.count(each) > 1 else each for notation, each in words.items()}


def title_of(game: str) -> str:
    """Return the title of a game or, for a game that belongs to a family, the family's title followed by the game's name in the family."""
    member = game.partition(":")[2]
    return find_plugin(game).title + (f": {member}" if member else "")


def names_of(timeline: ReplayTimeline) -> tuple[str, ...]:
    """Return the name of each seat; seats with equal names get their seat numbers appended."""
    names = timeline.names
    return tuple(f"{name} ({seat})" if names.count(name) > 1 else name for seat, name in enumerate(names))


def _notes(timeline: ReplayTimeline, judge: Judge, split: Split, *, is_whole: bool) -> tuple[str, ...]:
    notes = []
    if timeline.replay.forfeits:
        notes.append("Chances, luck and key moments end at the forfeit, after which places do not depend on the board alone.")
    if judge.method is Method.PLAYOUTS:
        game = title_of(timeline.replay.game)
        notes.append(f"{game} has no value function: chances are shares of random games, each accurate to a few hundredths.")
    if not is_luck_known(timeline.states[0].game) and (any(map(any, split.luck)) or any(map(_has_secrets, timeline.states))):
        notes.append(
            "The game's package does not declare that all luck is public. If seats have secret hands, moves reveal something about them, "
            "which samples of chance ignore. Decisions and luck are therefore separated only roughly, and luck is not zero on average."
        )
    if not split.is_whole:
        where = f"decision {len(split.skill)} of {timeline.end}"
        notes.append(f"Time ran out: skill and luck are separated up to {where}, and better moves were not looked for.")
    elif not is_whole:
        notes.append("Time ran out, so only the costliest decisions were checked for better moves.")
    return tuple(notes)


def _has_secrets(state: State) -> bool:
    """Return whether a seat knows more than a spectator."""
    public = state.view(-1).position.text
    return any(state.view(seat).position.text != public for seat in range(state.players))


# Analyses in the cache


@cache
def program_digest() -> str:
    """Return the hex SHA-256 of the program's version and the source files of analyses; a change in any of them may change results."""
    digest = sha256(__version__.encode())
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def digest_of(replay: Replay) -> str:
    """Return the hex SHA-256 of a replay's text, which is also the digest that a database stores."""
    return sha256(write_replay(replay).encode()).hexdigest()


def analysis_of(replay: Replay, settings: Settings, kept: Cache) -> MatchAnalysis:
    """Return the analysis of a match, from the cache if it is there; a complete new analysis is added to the cache.

    Raises DisagreementError if the replay can't be played, and NotAnalysableError if its positions can't be valued.
    """
    digest = digest_of(replay)
    key = _key(replay, digest, settings)
    if key is not None and (text := kept.get(key)) is not None:
        with suppress(ValueError):  # written by different code with the same version number
            return read_analysis(text)
    analysis = analyse(replay, digest, settings)
    if key is not None and analysis.is_whole:
        kept.put(key, write_analysis(analysis))
    return analysis


def _key(replay: Replay, digest: str, settings: Settings) -> str | None:
    """Return a key of everything that the analysis depends on. Return None if the game is missing; ``analyse`` then reports that."""
    try:
        judge = judge_of(game_of(replay), replay.players, digest)
    except EngineError:
        return None
    heuristics = identify("expert").digest
    return key_of(FORMAT, program_digest(), heuristics, digest, judge.version)
