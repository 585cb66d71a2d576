"""Checks the laws on random matches of one game and returns a verdict on each law; any exception counts as a breach."""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, Final

from engine.conformance import knowledge, processes, rules
from engine.conformance.trials import LONGEST, Law, LawError, SkipError, Table, Trial
from engine.core import OptionValue
from engine.registry import find_game, find_plugin
from engine.text import one_line


class Status(StrEnum):
    """The result of checking a law."""

    KEPT = "kept"
    BROKEN = "broken"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of checking one law; ``reason`` says how it was broken, or why it was skipped.

    ``games`` counts the matches with a breach. ``moves`` are the moves before the earliest breach, and ``command`` checks only that match.
    """

    law: str
    sentence: str
    status: Status
    reason: str = ""
    moves: tuple[str, ...] = ()
    command: str = ""
    games: int = 0

    def __str__(self) -> str:
        if self.status is not Status.BROKEN:
            return f"{self.law}: {self.status}{f', {self.reason}' if self.reason else ''}"
        last = f", last {', '.join(self.moves[-3:])}" if self.moves else ""
        return (
            f"the law '{self.law}' is broken: {self.reason}\n"
            f"  law: {self.sentence}\n"
            f"  where: after {len(self.moves)} decisions{last}\n"
            f"  to reproduce: {self.command}"
        )


_HERE: Final = __file__.removesuffix("battery.py")
LAWS: Final[tuple[Law, ...]] = (*rules.FIRST, *rules.LAWS, *knowledge.LAWS, *processes.LAWS)
"""All laws. A law whose breach leads to breaches of others comes before them."""


def tables_of(name: str, options: Mapping[str, OptionValue] | None = None, players: int | None = None) -> tuple[Table, ...]:
    """Return the tables to check: one for ``players`` or, by default, one for each number of players.

    If neither ``options`` nor ``players`` is given, the plug-in's ``samples`` are used, if any. Raises OptionsError for invalid values.
    """
    plugin = find_plugin(name)
    if options is None and players is None and plugin.samples and not plugin.is_family:
        return tuple(Table(name, dict(given), seats) for given, seats in plugin.samples)
    facts: Any = find_game(name, options)
    if players is not None:
        facts.check_start(players, 0)
    numbers = range(facts.min_players, facts.max_players + 1) if players is None else (players,)
    return tuple(Table(name, dict(options or {}), number) for number in numbers)


class Battery:
    """Checks laws on ``games`` random matches at each `Table` (a game and its number of players), with seeds ``seed``, ``seed + 1``, ..."""

    def __init__(self, tables: Sequence[Table], *, games: int = 3, seed: int = 0, longest: int = LONGEST) -> None:
        self.tables = tuple(tables)
        self._seeds = range(seed, seed + games)
        self._longest = longest

    @cached_property
    def trials(self) -> tuple[Trial, ...]:
        """The random matches, which are played on first use."""
        return tuple(
            Trial(find_game(table.game, table.options), table, seed, self._longest) for table in self.tables for seed in self._seeds
        )

    def verdict(self, law: Law) -> Verdict:
        """Check one law and return the verdict."""
        breaches: list[tuple[Trial, str]] = []
        reasons: list[str] = []
        trials = [trial for trial in self.trials if trial.marks or law in rules.FIRST]
        for trial in trials:
            trial.at = 0
            try:
                law.check(trial)
            except SkipError as error:
                reasons.append(str(error))
            except (Exception, SystemExit) as error:  # noqa: BLE001  # a game's code may raise anything, and the laws only call it
                breaches.append((trial, said(error)))
        if breaches:
            first, reason = min(breaches, key=lambda breach: breach[0].at)
            moves = tuple(map(str, first.moves[: first.at]))
            return Verdict(law.name, law.sentence, Status.BROKEN, reason, moves, first.table.command(first.seed), len(breaches))
        if len(reasons) == len(trials):
            return Verdict(law.name, law.sentence, Status.SKIPPED, reasons[0] if reasons else "no game can be started")
        return Verdict(law.name, law.sentence, Status.KEPT)

    def run(self, laws: Sequence[Law] = LAWS) -> Iterator[Verdict]:
        """Check the laws, yielding each verdict as soon as it is known."""
        return map(self.verdict, laws)

    def broken(self, laws: Sequence[Law] = LAWS) -> list[str]:
        """Check the laws and return a text for each law that is broken."""
        return [str(verdict) for verdict in self.run(laws) if verdict.status is Status.BROKEN]


def said(error: BaseException) -> str:
    """Return the exception as one line, with the place where it was raised unless it is a LawError."""
    if isinstance(error, LawError):
        return one_line(str(error))
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(_HERE)]
    where = ""
    if frames:
        file = frames[-1].filename.replace("\\", "/").rpartition("/")[2]
        where = f"{frames[0].name} raised at {file}:{frames[-1].lineno}: "
    return one_line(f"{where}{type(error).__name__}{f': {error}' if str(error) else ''}")
