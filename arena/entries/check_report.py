"""The result of a bot's check: the stage reached, the matches in which the bot failed, its times, and hints for its author."""

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
    """Return the detail of a fault without numbers other than line numbers, so that faults with the same cause are equal."""
    return _NUMBERS.sub(lambda match: match[1] or "#", detail)


class CheckStage(StrEnum):
    """The stages of a check. The bot's files are read before the first stage, so a syntax error is reported earlier."""

    START = "start"
    PLAY = "play"


@dataclass(frozen=True, slots=True)
class Trouble:
    """A match in which the bot failed: the number of players, its seat, the game's seed, the fault, and the bot's own traceback.

    To play the match again, run ``arena match`` with the seed, the bot in that seat and ``random`` in the others. ``stage`` is START if the
    bot was not asked for any move.
    """

    players: int
    seat: int
    seed: int
    stage: CheckStage
    fault: Fault
    traceback: str = ""

    @property
    def cause(self) -> tuple[FaultKind, str]:
        """The key shared by faults with the same cause: the kind, and the detail without numbers other than line numbers."""
        return self.fault.kind, without_numbers(self.fault.detail)


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The result of a check. Times are wall and CPU seconds of single decisions; ``memory`` is the peak in bytes, None if unknown.

    The same ``seed`` gives the same matches. ``matches`` is how many of the ``planned`` matches were played to the end: fewer if the bot
    did not start, if it failed in the first few for the same cause, or if time ran out (``ended_after``). ``decisions`` includes those in
    unfinished matches. ``stage`` is the last stage reached; ``start_seconds`` is the time that the bot took to start. ``coverage``
    describes the planned matches in words; ``is_complete`` is whether they cover every seat at all table sizes of the terms.
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
    """The seconds after which the check ran out of time; None if it did not."""
    match_seconds: float = 0.0
    """The bot's wall-clock seconds per match, without waits for a processor; an estimate if it finished no match."""

    @property
    def is_passed(self) -> bool:
        """Whether the bot never failed and either made a decision or finished a match without one."""
        return bool(self.decisions or self.matches) and not self.troubles

    @property
    def is_stopped(self) -> bool:
        """Whether the check stopped early because the bot did not start or every match failed for the same cause."""
        return self.matches < self.planned and self.ended_after is None

    @property
    def failure(self) -> str:
        """The bot's failure as a predicate, to follow the word "it"."""
        if self.stage is CheckStage.START:
            return "did not start" if self.troubles else f"was not ready after {self.ended_after or 0:g} s"
        if not self.troubles:
            return f"made no decision in {self.ended_after or 0:g} s"
        if self.is_stopped:
            return f"failed in each of the first {self.matches} matches for the same reason, and the check stopped there"
        return f"failed in {len(self.troubles)} of {self.matches} match{'' if self.matches == 1 else 'es'}"

    @property
    def fine_sizes(self) -> frozenset[int]:
        """Table sizes at which the bot has not failed; also untried sizes if ``start`` raised an error, which may depend on the size."""
        is_tried = not any(trouble.fault.detail.startswith("start raised") for trouble in self.troubles)
        return frozenset(self.sizes[: self.matches] if is_tried else self.sizes) - {trouble.players for trouble in self.troubles}

    def end_of_log(self, most: int) -> str:
        """Return the last lines of the log, at most ``most`` characters; if the last line is longer, return its end."""
        whole, end = self.log[:-most], self.log[-most:]
        return end.partition("\n")[2] or end if whole and not whole.endswith("\n") else end

    @property
    def causes(self) -> tuple[tuple[Trouble, ...], ...]:
        """The matches that failed, grouped by cause, in the order of the first match of each group."""
        causes: dict[tuple[FaultKind, str], list[Trouble]] = {}
        for trouble in self.troubles:
            causes.setdefault(trouble.cause, []).append(trouble)
        return tuple(map(tuple, causes.values()))

    @property
    def hints(self) -> tuple[str, ...]:
        """Advice on the faults, the most frequent first."""
        failed = [each for each in self.troubles if each.stage is CheckStage.PLAY or each.fault.kind is not FaultKind.CRASH]
        kinds = Counter(trouble.fault.kind for trouble in failed)
        return tuple(f"{kind.value}: {HINTS[kind]}" for kind, _ in kinds.most_common())


def report_data(report: CheckReport) -> dict[str, object]:
    """Return the report for JSON, with the verdict and the hints."""
    verdict = "passed" if report.is_passed else "failed"
    return {"verdict": verdict, **asdict(report), "is_stopped": report.is_stopped, "hints": list(report.hints)}
