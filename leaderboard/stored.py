"""What the store gives back: frozen records of tournaments, matches and tallies. They compute nothing."""

from __future__ import annotations

from dataclasses import dataclass

from engine.records import SeatResult


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot's version in a tournament; ``digest`` is its content hash, ``origin`` the file or module it came from."""

    name: str
    digest: str
    origin: str


@dataclass(frozen=True, slots=True)
class StoredTournament:
    """A tournament as it was when its run began; ``spec`` is canonical JSON, ``total`` the number of its matches."""

    id: int
    name: str
    game: str
    seed: int
    spec: str
    total: int
    entrants: tuple[Entrant, ...]


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A stored match without its replay; ``digest`` is the hex SHA-256 of the replay's text."""

    id: str
    tournament: str
    block: int
    rotation: int
    seed: int
    seats: tuple[SeatResult, ...]
    end: str
    decisions: int
    seconds: float
    digest: str
    isolation: str


@dataclass(frozen=True, slots=True)
class Tally:
    """What a bot's stored matches add up to. A win shared by k seats counts 1/k; ``seconds`` is thinking time."""

    bot: str
    matches: int
    wins: float
    mean_rank: float
    mean_score: float
    faults: int
    decisions: int
    seconds: float
