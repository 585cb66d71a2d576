"""The analysis of a match as frozen records of plain data, which are written to and read from JSON (``write_analysis``, ``read_analysis``).

``arena.analysis.analyser`` creates them. A *frame* is a position of the match, numbered by the decisions made before it: frame 0 is the
start, and frame k+1 is the position after decision k. A *world* is a position with everything hidden filled in at random. A vector has one
number for each seat, in seat order: chances of winning, from 0 to 1, or points in solo play (``unit``).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

import msgspec

from engine.records import Forfeit, decode

FORMAT: Final = "arena-analysis/1"

Vector: TypeAlias = tuple[float, ...]

INACCURACY: Final = 0.03
MISTAKE: Final = 0.07
BLUNDER: Final = 0.15
"""These three constants are the least losses, in chances of winning, that get the grades of the same names."""


class Grade(StrEnum):
    """The grade of a decision, according to its loss."""

    FINE = ""
    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


class Unit(StrEnum):
    """The unit of gains and losses: chances of winning, or points in solo play."""

    CHANCE = "chance"
    POINTS = "points"


DIGITS: Final = {Unit.CHANCE: 0, Unit.POINTS: 1}
"""The decimals with which parts of a sum are shown, in percentage points or in points."""


class Method(StrEnum):
    """How positions were valued: using the game's value function or, if it has none, random games to the end."""

    VALUE = "value"
    PLAYOUTS = "playouts"


class MomentKind(StrEnum):
    """What mainly caused the change at a key moment.

    An inaccuracy, mistake or blunder is a decision with the ``Grade`` of that name. A setback cost its seat something, although no much
    better move was found. A gain improved its seat's chances; a ``move`` mainly changed those of others. Luck is the effect of chance.
    """

    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"
    SETBACK = "setback"
    GAIN = "gain"
    MOVE = "move"
    LUCK = "luck"


@dataclass(frozen=True, slots=True)
class MoveWorth:
    """A move in notation and in words (with players' names), and its worth to the seat that makes it.

    The words end with the notation in brackets if another move of the decision has the same words.
    """

    notation: str
    words: str
    worth: float

    @property
    def meaning(self) -> str:
        """The words without the notation in brackets; empty if the words only repeat the notation."""
        return "" if self.words == self.notation else self.words.removesuffix(f" ({self.notation})")

    @property
    def in_full(self) -> str:
        """The notation, followed by the move's meaning, if any."""
        return f"{self.notation}: {self.meaning}" if self.meaning else self.notation


@dataclass(frozen=True, slots=True)
class PositionAnalysis:
    """The best moves found in a position, best first, and what the position is worth to each seat if the first of them is played."""

    unit: Unit
    worth: tuple[float, ...]
    best: tuple[MoveWorth, ...]


@dataclass(frozen=True, slots=True)
class DecisionAnalysis:
    """One decision, which leads from frame ``index`` (counted from 0) to frame ``index + 1``.

    ``played.worth`` and ``best.worth`` are averages over the same sampled worlds; ``loss`` is their difference, never negative. ``best`` is
    None if the move was forced, if time ran out (``is_searched`` is False), or if nothing better was found (``loss`` is 0). ``skill`` and
    ``luck`` are the changes in each seat's chance, or in its points in solo play, caused by the decision and by luck after it. ``events``
    describes the chance events. ``is_hidden`` is whether the decision was a secret choice that only later decisions revealed, so that the
    chances after it don't show its effect yet.
    """

    index: int
    seat: int
    legal: int
    played: MoveWorth
    best: MoveWorth | None
    loss: float
    skill: Vector
    luck: Vector
    events: tuple[str, ...] = ()
    is_searched: bool = True
    is_hidden: bool = False


@dataclass(frozen=True, slots=True)
class Account:
    """A seat's result as a sum: ``start + setup + own + rivals + luck + unsplit + forfeits = result``, exactly.

    ``start`` is an equal share (0 points in solo play), ``setup`` is the effect of seat and deal, ``own`` and ``rivals`` are the effects of
    decisions by the seat and its rivals, ``luck`` is the effect of draws and dice, ``unsplit`` is what was not split into these effects
    because time ran out, and ``forfeits`` is the result minus the chance (in solo play, points) at the first forfeit.
    """

    seat: int
    start: float
    setup: float
    own: float
    rivals: float
    luck: float
    unsplit: float
    forfeits: float
    result: float


@dataclass(frozen=True, slots=True)
class Moment:
    """A key moment: a turn that changed the chances much, or gave away much. It consists of the decisions from ``first`` to ``last``.

    ``index`` is the decision that mainly caused the change or, if chance did, the one just before; ``seat`` made it. ``before`` and
    ``after`` are the seats' chances (in solo play, points); ``effect`` is the cause's part of the ``change``.
    """

    index: int
    seat: int
    kind: MomentKind
    first: int
    last: int
    before: Vector
    after: Vector
    change: Vector
    effect: Vector
    words: str


@dataclass(frozen=True, slots=True)
class MatchAnalysis:
    """The analysis of a match: the figures, and the key moments and the sentence derived from them.

    ``chances[k]`` belongs to frame k; there is one more frame than decisions, unless time ran out (then ``is_whole`` is False). The
    last entry is the result or, if a seat forfeited, the chances before the first decision of the substitute, where the analysis ends.
    ``setup`` is ``chances[0]`` minus the equal share. ``samples`` is the number of worlds over which an expectation is averaged if there
    are too many worlds to use all.
    """

    format: str
    digest: str
    game: str
    title: str
    names: tuple[str, ...]
    scores: tuple[float, ...]
    ranks: tuple[int, ...]
    unit: Unit
    method: Method
    value: str
    samples: int
    is_whole: bool
    notes: tuple[str, ...]
    chances: tuple[Vector, ...]
    decisions: tuple[DecisionAnalysis, ...]
    setup: Vector
    accounts: tuple[Account, ...]
    total: int
    """The number of decisions up to the end or the first forfeit: greater than the length of ``decisions`` if time ran out."""
    forfeits: tuple[Forfeit, ...]
    """The seats taken over by a substitute, each with the first decision of the substitute and the reason."""

    moments: tuple[Moment, ...] = ()
    sentence: str = ""

    @property
    def players(self) -> int:
        """The number of seats."""
        return len(self.names)

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that came first."""
        return tuple(seat for seat, rank in enumerate(self.ranks) if rank == 1)

    @property
    def scale(self) -> float:
        """The size that changes are measured against: 1 (a certain win) or, in solo play, the final points (at least 1)."""
        return 1.0 if self.unit is Unit.CHANCE else max(1.0, *map(abs, self.scores))

    @property
    def is_split(self) -> bool:
        """Whether skill and luck are separated at every decision. If time ran out, some decisions were not analysed."""
        return len(self.decisions) == self.total

    def player(self, decision: DecisionAnalysis | Moment) -> str:
        """Return the name of the player who made the decision."""
        return self.names[decision.seat]


def rounded(account: Account, unit: Unit) -> dict[str, float]:
    """Return the parts and the result of an account in whole percentage points (in solo play, in points with one decimal).

    Part ``start`` includes the setup. The largest of the other parts absorbs the rounding errors, so that the parts add up to the result.
    """
    scale, digits = 100 if unit is Unit.CHANCE else 1, DIGITS[unit]
    exact = {
        "start": account.start + account.setup,
        "own": account.own,
        "others": account.rivals,
        "luck": account.luck,
        "unsplit": account.unsplit,
        "forfeits": account.forfeits,
    }
    parts = {field: round(scale * value, digits) for field, value in exact.items()}
    result = round(scale * account.result, digits)
    largest = max(parts.keys() - {"start"}, key=lambda field: (abs(exact[field]), field))
    parts[largest] = round(parts[largest] + result - sum(parts.values()), digits)
    return parts | {"result": result}


def write_analysis(analysis: MatchAnalysis) -> bytes:
    """Return the analysis as JSON."""
    return msgspec.json.encode(analysis)


def read_analysis(text: bytes) -> MatchAnalysis:
    """Return the analysis that ``write_analysis`` wrote. Raises ValueError for anything else."""
    try:
        analysis = decode(text, MatchAnalysis)
    except msgspec.MsgspecError as error:
        raise ValueError(f"it is not an analysis: {error}") from None
    if analysis.format != FORMAT:
        raise ValueError(f"its format is not {FORMAT}")
    return analysis


def grade_of(loss: float) -> Grade:
    """Return the grade of a decision, given the chance of winning that it lost."""
    if loss >= BLUNDER:
        return Grade.BLUNDER
    if loss >= MISTAKE:
        return Grade.MISTAKE
    return Grade.INACCURACY if loss >= INACCURACY else Grade.FINE
