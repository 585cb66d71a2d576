"""The report of a battery: a verdict on each law, the complaint of a broken one, and how fast the game is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.core import OptionValue


class Status(StrEnum):
    """What became of a law."""

    KEPT = "kept"
    BROKEN = "broken"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Complaint:
    """How a law was broken first, and the random game that shows it.

    ``at`` is the number of decisions before the position; ``replay`` is the text of a replay of them, empty where none can be written;
    ``command`` checks that game alone. ``games`` is in how many games the law was broken.
    """

    sentence: str
    options: dict[str, OptionValue]
    players: int
    seed: int
    at: int
    moves: tuple[str, ...]
    command: str
    replay: str
    games: int = 1


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one law; ``reason`` says why it was skipped."""

    law: str
    sentence: str
    status: Status
    complaint: Complaint | None = None
    reason: str = ""

    def __str__(self) -> str:
        if self.complaint is None:
            return f"{self.law}: {self.status}{f', {self.reason}' if self.reason else ''}"
        complaint = self.complaint
        last = f", last {', '.join(complaint.moves[-3:])}" if complaint.moves else ""
        return (
            f"the law '{self.law}' is broken: {complaint.sentence}\n"
            f"  law: {self.sentence}\n"
            f"  where: {complaint.players} players, seed {complaint.seed}, after {complaint.at} decisions{last}\n"
            f"  again: {complaint.command}"
        )


@dataclass(frozen=True, slots=True)
class Speed:
    """Microseconds that one call takes on the average, along random games at one table."""

    table: str
    copy: float
    play: float
    legal_moves: float


@dataclass(frozen=True, slots=True)
class Report:
    """The verdicts of a battery on a game."""

    game: str
    package: str
    version: str
    tables: tuple[str, ...]
    games: int
    decisions: int
    verdicts: tuple[Verdict, ...]
    speeds: tuple[Speed, ...]

    @property
    def broken(self) -> tuple[Verdict, ...]:
        """The laws that are broken."""
        return tuple(verdict for verdict in self.verdicts if verdict.status is Status.BROKEN)
