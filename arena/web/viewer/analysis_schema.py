"""What the viewer is told of a match that has been analysed: a part of its document (docs/viewer.md)."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

GradeName: TypeAlias = Literal["inaccuracy", "mistake", "blunder"]


class Part(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The base of all parts, as ``schema.Record`` is of the document's."""


class Better(Part, frozen=True):
    """The best move found: in notation, in words, drawn over the board, and the part of the plane that shows all of that drawing."""

    notation: str
    words: str
    sketch: str = ""
    box: tuple[float, float, float, float] | None = None


class Mark(Part, frozen=True):
    """A decision that lost something, by its index: how much, of what ``Analysis.unit`` says, and the same in words."""

    index: int
    grade: GradeName
    lost: float
    words: str
    better: Better | None = None


class Moment(Part, frozen=True):
    """The position after a decision that mattered: what it is called, what happened, and what its turn changed for each seat.

    ``turn`` has the frames before and after the turn, ``before`` and ``after`` each seat's chance (points) in them.
    """

    at: int
    kind: str
    words: str
    turn: tuple[int, int]
    before: list[float]
    after: list[float]


class Account(Part, frozen=True):
    """Where a seat's result came from: the parts, in the unit of the analysis, add up to ``result``.

    ``substitute`` is what decisions of substitutes changed, ``rest`` what is not told apart: forfeits, and what there was no time for.
    """

    start: float
    setup: float
    own: float
    others: float
    luck: float
    result: float
    substitute: float = 0.0
    rest: float = 0.0


class Analysis(Part, frozen=True):
    """Why the match went as it did.

    ``unit`` is what decisions gain and lose: chances of winning between 0 and 1, or points where a seat plays alone. ``sentence`` says why
    the winner won, ``method`` how all this was found, ``accounts`` has an entry for each seat (none where there is no chance to speak of).
    ``others`` are sentences on what the moments leave out: how the match ended, and how much of the winner's way they are.
    """

    unit: Literal["chance", "points"]
    sentence: str
    method: str
    moments: list[Moment]
    marks: list[Mark] = []
    accounts: list[Account] = []
    others: list[str] = []
