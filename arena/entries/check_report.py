"""The result of a bot's check: the stage reached, the matches in which the bot failed, the time it took, and hints for its author."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Final

from engine.records import Fault, FaultKind

HINTS: Final = {
    FaultKind.INIT_TIMEOUT: "do less when your module is imported and in start(); the limit is clock.start, or clock.start_fuel",
    FaultKind.MOVE_TIMEOUT: "stop before the limit of each decision, clock.seconds or clock.fuel; leave a reserve for busy machines",
    FaultKind.CRASH: "let the bot log what you want to know; 'arena match --log' shows it",
    FaultKind.ILLEGAL_MOVE: "return one of view.legal_moves; try moves on view.sample(rng), not on a position of your own",
    FaultKind.PROTOCOL_ERROR: "return one of view.legal_moves; a program must write one answer per decision (docs/protocol.md)",
    FaultKind.MEMORY: "keep less between decisions: bound your caches",
    FaultKind.OUTPUT_FLOOD: "print less: at most 1 MiB per turn; only the last 8 KiB of a match are kept",
}
_NUMBERS: Final = re.compile(r"(line \d+)|0x[0-9a-f]+|\d+(?:,\d{3})*(?:\.\d+)?")


def without_numbers(detail: str) -> str:
    """Return a fault's detail with ``#`` for all numbers except line numbers, so that faults with the same cause have equal details."""
    return _NUMBERS.sub(lambda match: match[1] or "#", detail)


class CheckStage(StrEnum):
    """The stages of a check: starting the bot, and playing. A syntax error is reported earlier, when the bot's files are read."""

    START = "start"
    PLAY = "play"


@dataclass(frozen=True, slots=True)
class Trouble:
    """A match in which the bot failed: the number of players, the bot's seat, the game's seed, the fault, and the bot's traceback.

    To play the match again, run ``arena match`` with the seed, the bot in that seat and ``random`` in the others. ``stage`` is START if the
    bot failed before it was asked for a move.
    """

    players: int
    seat: int
    seed: int
    stage: CheckStage
    fault: Fault
    traceback: str = ""

    @property
    def cause(self) -> tuple[FaultKind, str]:
        """The key by which faults are grouped: the kind of fault, and what ``without_numbers`` returns for its detail."""
        return self.fault.kind, without_numbers(self.fault.detail)


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The result of a check. ``seconds`` (wall time) and ``cpu_seconds`` are `percentiles` of the time that single decisions took.

    The same ``seed`` gives the same matches. ``matches`` counts the matches that were played to the end: fewer than ``planned`` if the bot
    did not start, if it failed in the first few for the same cause, or if time ran out (``ended_after``). ``decisions`` includes those in
    unfinished matches. ``start_seconds`` is how long the bot took to start; ``memory`` is its peak in bytes, or None if unknown.
    ``coverage`` puts the planned matches in words; ``is_complete`` is whether they cover every seat at all table sizes in ``CheckTerms``.
    """

    bot: str
    version: str
    game: str
    isolation: str
    seed: int
    stage: CheckStage
    matches: int
    planned: int
    sizes: tuple[int, ...]
    coverage: str
    is_complete: bool
    decisions: int
    troubles: tuple[Trouble, ...]
    notes: tuple[str, ...]
    start_seconds: float | None
    seconds: dict[str, float]
    cpu_seconds: dict[str, float]
    memory: int | None
    log: str
    ended_after: float | None = None
    """The time limit in seconds, if the check reached it before the last match was over; otherwise None."""
    match_seconds: float = 0.0
    """The bot's wall time per match in seconds, not counting waits for a processor. An estimate if no match was finished."""

    @property
    def is_passed(self) -> bool:
        """Whether the bot never failed, and either made a decision or finished a match in which it had no decision to make."""
        return bool(self.decisions or self.matches) and not self.troubles

    @property
    def is_stopped(self) -> bool:
        """Whether the check stopped early because the bot did not start, or failed in the first few matches for the same cause."""
        return self.matches < self.planned and self.ended_after is None

    @property
    def failure(self) -> str:
        """How the bot failed, as a phrase to follow the word "it"."""
        if self.stage is CheckStage.START:
            return "did not start" if self.troubles else f"was not ready after {self.ended_after or 0:g} s"
        if not self.troubles:
            return f"made no decision in {self.ended_after or 0:g} s"
        if self.is_stopped:
            return f"failed in each of the first {self.matches} matches for the same reason, and the check stopped there"
        return f"failed in {len(self.troubles)} of {self.matches} match{'' if self.matches == 1 else 'es'}"

    @property
    def fine_sizes(self) -> frozenset[int]:
        """The table sizes that were tried without a fault. If the bot's ``start`` raised an error, sizes that were not tried count too."""
        is_tried = not any(trouble.fault.detail.startswith("start raised") for trouble in self.troubles)
        return frozenset(self.sizes[: self.matches] if is_tried else self.sizes) - {trouble.players for trouble in self.troubles}

    def end_of_log(self, most: int) -> str:
        """Return the last whole lines of the log that fit into ``most`` characters, or the end of the last line if it is longer."""
        whole, end = self.log[:-most], self.log[-most:]
        return end.partition("\n")[2] or end if whole and not whole.endswith("\n") else end

    @property
    def causes(self) -> tuple[tuple[Trouble, ...], ...]:
        """The matches in which the bot failed, grouped by cause. The groups are in the order of their first matches."""
        causes: dict[tuple[FaultKind, str], list[Trouble]] = {}
        for trouble in self.troubles:
            causes.setdefault(trouble.cause, []).append(trouble)
        return tuple(map(tuple, causes.values()))

    @property
    def hints(self) -> tuple[str, ...]:
        """Advice on each kind of fault, the most frequent kind first. There is none for crashes before the first decision."""
        failed = [each for each in self.troubles if each.stage is CheckStage.PLAY or each.fault.kind is not FaultKind.CRASH]
        kinds = Counter(trouble.fault.kind for trouble in failed)
        return tuple(f"{kind.value}: {HINTS[kind]}" for kind, _ in kinds.most_common())


def report_data(report: CheckReport) -> dict[str, object]:
    """Return the report as a dict for JSON, with the verdict and the hints added."""
    verdict = "passed" if report.is_passed else "failed"
    return {"verdict": verdict, **asdict(report), "is_stopped": report.is_stopped, "hints": list(report.hints)}
