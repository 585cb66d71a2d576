"""Checks the laws over random games of one game, and reports a verdict on each; every exception becomes a complaint."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, Final

from engine.conformance import knowledge, processes, rules
from engine.conformance.trials import LONGEST, Law, LawError, SkipError, Table, Trial
from engine.core import OptionValue, RulesError
from engine.registry import find_game, find_plugin, find_registration
from engine.replay.format import write_replay
from engine.text import one_line


class Status(StrEnum):
    """The result for a law."""

    KEPT = "kept"
    BROKEN = "broken"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Complaint:
    """The first breach of a law, and the random game that shows it.

    ``at`` is the number of decisions before the position; ``replay`` is the text of a replay of them, empty where none can be written;
    ``command`` checks that game alone. ``games`` is the number of games in which the law was broken.
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
    """The result for one law; ``reason`` says why it was skipped."""

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
class Report:
    """The verdicts of a battery on a game."""

    game: str
    package: str
    version: str
    tables: tuple[str, ...]
    games: int
    decisions: int
    verdicts: tuple[Verdict, ...]

    @property
    def broken(self) -> tuple[Verdict, ...]:
        """The laws that are broken."""
        return tuple(verdict for verdict in self.verdicts if verdict.status is Status.BROKEN)


_HERE: Final = __file__.removesuffix("battery.py")
LAWS: Final[tuple[Law, ...]] = (*rules.FIRST, *rules.LAWS, *knowledge.LAWS, *processes.LAWS)
"""All laws; those whose breach causes others come first."""


def tables_of(name: str, options: Mapping[str, OptionValue] | None = None, players: int | None = None) -> tuple[Table, ...]:
    """Return the tables to check: the requested one, or else the samples of the plug-in, or else each number of players.

    Raises OptionsError, also for a number of players that the game does not allow.
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
    """The laws and the random games they are checked on: ``games`` at each table, with the seeds ``seed``, ``seed + 1``, ..."""

    def __init__(self, tables: Sequence[Table], *, games: int = 3, seed: int = 0, longest: int = LONGEST) -> None:
        self.tables = tuple(tables)
        self._seeds = range(seed, seed + games)
        self._longest = longest

    @cached_property
    def trials(self) -> tuple[Trial, ...]:
        """The random games, played when they are first needed."""
        return tuple(
            Trial(find_game(table.game, table.options), table, seed, self._longest) for table in self.tables for seed in self._seeds
        )

    def verdict(self, law: Law) -> Verdict:
        """Check one law."""
        complaints: list[Complaint] = []
        reasons: list[str] = []
        trials = self.trials if law in rules.FIRST else tuple(trial for trial in self.trials if trial.is_begun)
        if not trials:
            return Verdict(law.name, law.sentence, Status.SKIPPED, reason="no game can be started")
        jobs: list[tuple[Callable[..., None] | None, Any]] = (
            [(law.check, trial) for trial in trials] if law.check is not None else [(law.check_all, trials)]
        )
        for trial in trials:
            trial.at = 0
        for check, subject in jobs:
            assert check is not None
            try:
                check(subject)
            except SkipError as error:
                reasons.append(str(error))
            except (Exception, SystemExit) as error:  # noqa: BLE001  # a game's code may raise anything, and the laws only call it
                complaints.append(_complaint(error, subject if isinstance(subject, Trial) else trials[0]))
        if complaints:
            first = min(complaints, key=lambda each: each.at)
            return Verdict(law.name, law.sentence, Status.BROKEN, replace(first, games=len(complaints)))
        if len(reasons) == len(jobs):
            return Verdict(law.name, law.sentence, Status.SKIPPED, reason=reasons[0])
        return Verdict(law.name, law.sentence, Status.KEPT)

    def run(self, laws: Sequence[Law] = LAWS, *, on_verdict: Callable[[Verdict], None] | None = None) -> Report:
        """Check the laws. ``on_verdict`` gets each verdict at once."""
        verdicts = []
        for law in laws:
            verdicts.append(self.verdict(law))
            if on_verdict is not None:
                on_verdict(verdicts[-1])
        brought = find_registration(self.tables[0].game)
        return Report(
            game=self.tables[0].game,
            package=brought.package,
            version=brought.version,
            tables=tuple(map(str, self.tables)),
            games=len(self.trials),
            decisions=sum(len(trial.moves) for trial in self.trials),
            verdicts=tuple(verdicts),
        )


def _complaint(error: BaseException, trial: Trial) -> Complaint:
    """Return the complaint for an exception of a check; anything but a LawError was raised by the game."""
    at = trial.at
    if isinstance(error, LawError):
        trial = error.trial or trial
        at = trial.at if error.at is None else error.at
    at = min(at, len(trial.decisions))
    return Complaint(
        sentence=said(error),
        options=dict(trial.table.options),
        players=trial.table.players,
        seed=trial.seed,
        at=at,
        moves=tuple(decision.move for decision in trial.decisions[:at]),
        command=trial.table.command(trial.seed),
        replay=_replay(trial, at),
    )


def said(error: BaseException) -> str:
    """Return the exception as a sentence, preceded by where it was raised unless it is a LawError."""
    if isinstance(error, LawError):
        return one_line(str(error))
    called = next((frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(_HERE)), None)
    root = error
    while root.__cause__ is not None:
        root = root.__cause__
    where = ""
    if called is not None and isinstance(error, RulesError):  # its text names the line
        where = f"{called.name} raised "
    elif called is not None:
        last = traceback.extract_tb(root.__traceback__)[-1]
        inside = f" (in {last.name})" if last.name != called.name else ""
        file = last.filename.replace("\\", "/").rsplit("/", 1)[-1]
        where = f"{called.name}{inside} raised at {file}:{last.lineno}: "
    return one_line(f"{where}{type(error).__name__}{f': {error}' if str(error) else ''}")


def _replay(trial: Trial, at: int) -> str:
    try:
        return write_replay(trial.prefix(at))
    except (Exception, SystemExit):  # noqa: BLE001  # the facts of the game may be what is broken
        return ""
