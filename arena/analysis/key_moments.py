"""The turns of a match, from which graphs are drawn, and its key moments: the turns that changed the chances, or gave away, most.

Chances in the middle of a turn mean little, since the rest of the turn may reverse them. Graphs and key moments therefore show changes
only from the end of one turn to the end of the next.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from operator import itemgetter
from typing import Final, NamedTuple

from arena.analysis.match_analysis import DecisionAnalysis, Grade, MatchAnalysis, Moment, MomentKind, Unit, Vector, grade_of
from arena.analysis.skill_and_luck import plus
from engine.text import figure, percent

MOMENTS: Final = 3
"""The maximum number of key moments."""
LEAST_MOMENT: Final = 0.01
"""The least change or loss that makes a turn a key moment, in chances of winning or, in solo play, as a share of the final points."""

GRADED: Final = {MomentKind.INACCURACY, MomentKind.MISTAKE, MomentKind.BLUNDER}
"""The kinds of moments at which a decision gave something away."""


class Turn(NamedTuple):
    """Consecutive decisions of one seat, or secret choices that are revealed together.

    ``is_end`` is whether the decisions did no more than end the match.
    """

    decisions: Sequence[DecisionAnalysis]
    is_end: bool

    @property
    def first(self) -> int:
        """The index of the turn's first decision; the frame before the turn has the same index."""
        return self.decisions[0].index

    @property
    def last(self) -> int:
        """The index of the turn's last decision; the frame after the turn has the next index."""
        return self.decisions[-1].index

    @property
    def change(self) -> Vector:
        """How much the turn changed each seat's chance (in solo play, its points)."""
        return plus(*(plus(each.skill, each.luck) for each in self.decisions))


def turns_of(analysis: MatchAnalysis) -> list[Turn]:
    """Return the decisions that were analysed, divided into turns; in solo play, each decision is a turn of its own."""
    ending = _ending(analysis)
    if any(_counts(analysis, each) for each in analysis.decisions[ending:]):
        ending = analysis.total
    turns = [Turn(run, is_end=False) for run in _runs(analysis.decisions[:ending])]
    return [*turns, Turn(analysis.decisions[ending:], is_end=True)] if ending < len(analysis.decisions) else turns


def drawn_frames(analysis: MatchAnalysis) -> list[int]:
    """Return the frames that a graph joins with straight lines: the start of the match, and the end of each turn."""
    last = len(analysis.chances) - 1
    if len(analysis.decisions) < analysis.total or analysis.players == 1:
        return list(range(last + 1))
    return [0, *(turn.last + 1 for turn in turns_of(analysis))]


def drawn_chances(analysis: MatchAnalysis, frame: int) -> Vector:
    """Return the chances (in solo play, points) that a graph shows at a frame; between frames of ``drawn_frames``, interpolate them."""
    frames = drawn_frames(analysis)
    after = bisect_left(frames, frame)
    if frames[after] == frame:
        return analysis.chances[frame]
    low, high = frames[after - 1], frames[after]
    share = (frame - low) / (high - low)
    return tuple(one + share * (other - one) for one, other in zip(analysis.chances[low], analysis.chances[high], strict=True))


def _ending(analysis: MatchAnalysis) -> int:
    """Return the index of the final decision, after which chances jump to the result, or of the first of several final secret choices."""
    if len(analysis.decisions) < analysis.total or analysis.unit is Unit.POINTS or analysis.forfeits:
        return analysis.total
    first = analysis.total - 1
    while first > 0 and analysis.chances[first - 1] == analysis.chances[first]:
        first -= 1
    return first


def _counts(analysis: MatchAnalysis, decision: DecisionAnalysis) -> bool:
    """Return whether a final decision did more than end the match: a better move was available, or chance followed."""
    return any(decision.luck) or grade_of(decision.loss / analysis.scale) is not Grade.FINE


def _runs(decisions: Sequence[DecisionAnalysis]) -> list[list[DecisionAnalysis]]:
    runs: list[list[DecisionAnalysis]] = []
    for decision in decisions:
        last = runs[-1][-1] if runs else None
        if last is not None and (last.is_hidden or _goes_on(runs[-1], decision)):
            runs[-1].append(decision)
        else:
            runs.append([decision])
    return runs


def _goes_on(run: Sequence[DecisionAnalysis], decision: DecisionAnalysis) -> bool:
    """Return whether a decision continues a seat's turn; a secret choice begins a new turn, and so does the decision after it."""
    last = run[-1]
    return last.seat == decision.seat and len(decision.skill) > 1 and not decision.is_hidden and not run[0].is_hidden


class _Cause(NamedTuple):
    """A cause of change in a turn: a seat's decisions, or chance. ``decision`` is the decision that contributed most."""

    effect: Vector
    decision: DecisionAnalysis
    kind: MomentKind


def moments_of(analysis: MatchAnalysis, named: DecisionAnalysis | None = None) -> tuple[Moment, ...]:
    """Return up to ``MOMENTS`` key moments in order of play: the turn of decision ``named``, then those that changed or gave away most."""
    candidates = []
    for turn in turns_of(analysis):
        size, cause = _main_cause(analysis, turn)
        if not turn.is_end and size >= LEAST_MOMENT * analysis.scale:
            candidates.append((named not in turn.decisions, -size, _moment(analysis, turn, cause)))
    candidates.sort(key=itemgetter(0, 1))
    return tuple(sorted((moment for *_, moment in candidates[:MOMENTS]), key=lambda moment: moment.index))


def _main_cause(analysis: MatchAnalysis, turn: Turn) -> tuple[float, _Cause]:
    """Return how much a turn changed and what mainly caused that or, if a decision gave away more, its loss and that decision."""
    change, worst = turn.change, max(turn.decisions, key=lambda each: each.loss)
    size, grade = _size(change), grade_of(worst.loss / analysis.scale)
    if worst.loss > size and grade is not Grade.FINE and worst.best is not None:
        skill = plus(*(each.skill for each in turn.decisions if each.seat == worst.seat))
        return worst.loss, _Cause(skill, worst, MomentKind(grade.value))
    return size, max(_causes(analysis, turn), key=lambda each: _share(each.effect, change))


def _size(change: Vector) -> float:
    """Return how much of the chances (points) went from some seats to others."""
    return sum(map(abs, change)) / 2 if len(change) > 1 else abs(change[0])


def _share(effect: Vector, change: Vector) -> float:
    return sum(one * other for one, other in zip(effect, change, strict=True))


def _causes(analysis: MatchAnalysis, turn: Turn) -> list[_Cause]:
    """Return the causes of change in a turn: each seat's decisions together, and the chance after all of them."""
    luckiest = max(turn.decisions, key=lambda each: _size(each.luck))
    luck = _Cause(plus(*(each.luck for each in turn.decisions)), luckiest, MomentKind.LUCK)
    seats = dict.fromkeys(each.seat for each in turn.decisions)
    return [luck, *(_cause_of(analysis, [each for each in turn.decisions if each.seat == seat]) for seat in seats)]


def _cause_of(analysis: MatchAnalysis, decisions: Sequence[DecisionAnalysis]) -> _Cause:
    """Return one seat's decisions in a turn as a cause, whose kind depends on their effect on the seat."""
    seat = decisions[0].seat
    scale = analysis.scale
    skill = plus(*(each.skill for each in decisions))
    worst = max(decisions, key=lambda each: each.loss)
    grade = grade_of(worst.loss / scale)
    if skill[seat] < 0 and grade is not Grade.FINE and worst.best is not None:
        return _Cause(skill, worst, MomentKind(grade.value))
    if abs(skill[seat]) < LEAST_MOMENT * scale:
        return _Cause(skill, max(decisions, key=lambda each: _size(each.skill)), MomentKind.MOVE)
    if skill[seat] < 0:
        return _Cause(skill, min(decisions, key=lambda each: each.skill[seat]), MomentKind.SETBACK)
    return _Cause(skill, max(decisions, key=lambda each: each.skill[seat]), MomentKind.GAIN)


def _moment(analysis: MatchAnalysis, turn: Turn, cause: _Cause) -> Moment:
    decision = cause.decision
    return Moment(
        index=decision.index,
        seat=decision.seat,
        kind=cause.kind,
        first=turn.first,
        last=turn.last,
        before=analysis.chances[turn.first],
        after=analysis.chances[turn.last + 1],
        change=turn.change,
        effect=cause.effect,
        words=_words(analysis, decision, cause.kind),
    )


def _words(analysis: MatchAnalysis, decision: DecisionAnalysis, kind: MomentKind) -> str:
    """Return the event in words; a move is in notation only if another move has the same words."""
    if kind in GRADED and decision.best is not None:
        return f"{analysis.player(decision)} {decision.played.words}; better by {lost(analysis, decision.loss)}: {decision.best.words}"
    did = f"{analysis.player(decision)} {decision.played.meaning or decision.played.notation}"
    if kind is MomentKind.LUCK:
        return f"{did}: {', '.join(decision.events) or 'chance decides'}"
    return did


_KIND_WORDS: Final = {MomentKind.GAIN: "strong move", MomentKind.LUCK: "mostly luck"}
"""The names of moments whose kind has a different name."""


def worth(analysis: MatchAnalysis, value: float) -> str:
    """Return a value as text: a chance as a percentage, or points in solo play."""
    return percent(value) if analysis.unit is Unit.CHANCE else figure(round(value, 1))


def lost(analysis: MatchAnalysis, loss: float) -> str:
    """Return a loss in words, rounded down so that the figure agrees with its grade: ``12 pp``, or ``3 points`` in solo play."""
    return f"{int(100 * loss)} pp" if analysis.unit is Unit.CHANCE else game_points(loss)


def game_points(points: float) -> str:
    """Return points of the game in words, with at most one decimal: ``3.5 points``, or ``1 point``."""
    shown = figure(round(points, 1))
    return f"{shown} point{'' if shown == '1' else 's'}"


def decisions_words(turn: Moment | Turn) -> str:
    """Return which decisions a turn consists of, counted from 1: ``decision 29``, or ``decisions 101 to 103``."""
    return f"decision {turn.first + 1}" if turn.first == turn.last else f"decisions {turn.first + 1} to {turn.last + 1}"


def moment_title(analysis: MatchAnalysis, moment: Moment) -> str:
    """Return the title of a key moment, with its decisions, kind and, except for luck, player: ``Decision 29, Ann: blunder``."""
    at = "" if moment.first == moment.last else f" {'after' if moment.kind is MomentKind.LUCK else 'at'} {moment.index + 1}"
    kind = f"helps {analysis.names[_about(moment)]}" if moment.kind is MomentKind.MOVE else _KIND_WORDS.get(moment.kind, moment.kind.value)
    who = "" if moment.kind is MomentKind.LUCK else f", {analysis.player(moment)}"
    return f"{decisions_words(moment).capitalize()}{who}: {kind}{at}"


def _about(moment: Moment) -> int:
    """Return the seat whose chance a key moment is mainly about: the one that decided, or else the one that gained most."""
    return moment.seat if moment.kind not in {MomentKind.LUCK, MomentKind.MOVE} else moment.effect.index(max(moment.effect))


def changed_words(analysis: MatchAnalysis, moment: Moment) -> str:
    """Return how a moment changed the chances of the seat that it is about and, with more than two players, of the most affected other."""
    most = sorted(range(analysis.players), key=lambda seat: (seat != _about(moment), -abs(round(moment.change[seat], 9))))
    return ", ".join(changed(analysis, moment, seat) for seat in most[: 1 if analysis.players <= 2 else 2])


def changed(analysis: MatchAnalysis, turn: Moment | Turn, seat: int) -> str:
    """Return how a turn changed a seat's chances (in solo play, points): ``Ann 40% to 30%``."""
    before, after = analysis.chances[turn.first][seat], analysis.chances[turn.last + 1][seat]
    return f"{analysis.names[seat]} {worth(analysis, before)} to {worth(analysis, after)}"
