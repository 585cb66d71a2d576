"""The server's queue: checks submissions as 'arena bots check' does, stores bots that pass, and enters them into ladders.

The queue runs in the server's process. An interrupted check is run again, and each submission gets one verdict.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Executor, Future, wait
from dataclasses import dataclass, replace
from datetime import timedelta
from time import monotonic
from typing import Final, TypeAlias

import msgspec

from arena.bots import BEST, IsolationError, admit, choose_level
from arena.entries.bot_check import CheckProgress, CheckTerms, OnProgress
from arena.entries.check_report import CheckReport
from arena.run.ladder_entry import NoLadderError
from arena.season.entry import find_terms as terms_of_ladder
from arena.season.entry import hand_in
from arena.web.errors import HostLog, UnusableError
from arena.web.games import OfferedGames
from arena.web.rendering.templates import without_folders
from arena.web.settings import CheckSettings, WebSettings
from arena.web.submit.check_process import CheckJob, check_apart
from bots.errors import BotError, HostFaultError, LostProcessError, SandboxError, UnfitError
from bots.limits import Runtime
from bots.loader.reference_bots import REFERENCE_BOTS
from bots.loader.version import BotVersion, unpack
from bots.protocol import ClockSpec
from engine.core import OptionsError
from engine.core.errors import ArenaError
from engine.records import decode
from engine.registry import game_or_only
from engine.text import name_key, one_line
from leaderboard.errors import StoreError
from leaderboard.storage.database import Database
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import (
    Submission,
    SubmissionError,
    SubmissionGoneError,
    SubmissionState,
    claim,
    content,
    keep_version,
    pack_replays,
    put_back,
    queue,
    save,
    seconds_by_author,
)

MACHINE: Final = (HostFaultError, SandboxError, UnfitError, StoreError, IsolationError, UnusableError, OSError)
"""Errors that mean that a check failed because of this machine, not because of the bot."""
LATELY: Final = timedelta(hours=1)
"""The period for which each author's checks are added up; of the waiting authors, the one with the least time is next."""
_CHECK_SECONDS: Final = 5.0
"""The expected duration of a check."""
_CLOSE_SECONDS: Final = 10.0
"""The time that a stopping server waits for checks to stop."""
_REPLAYS: Final = 5
_TRIES: Final = 3
_NO_RESULT: Final = f"{_TRIES} attempts to check it failed, but other bots can be checked; its files may be the cause; if not, ask the host"
_CUT_OFF: Final = "its check was cut off; it will start again"
_STOPPED: Final = "its check was interrupted, because the server was stopped; it will start again"
_log: Final = logging.getLogger("arena.web")


class StoppedError(ArenaError):
    """The check was stopped because the server is stopping."""


def next_submission(
    waiting: Sequence[Submission], checking: Collection[str | None], spent: Mapping[str | None, float]
) -> Submission | None:
    """Return the next of the ``waiting`` submissions (sorted oldest first) to check, or None if there is none.

    ``checking`` holds the authors who have a bot being checked; no author has two checked at once. ``spent`` is how many seconds each
    author's checks have taken in the last hour. The author with the fewest of these seconds comes first.
    """
    oldest: dict[str | None, Submission] = {}
    for each in waiting:
        if each.author not in checking:
            oldest.setdefault(each.author, each)
    return min(oldest.values(), key=lambda each: (_after(each, spent), each.sent, each.id), default=None)


def in_turn(queued: Sequence[Submission], running: Collection[str] = ()) -> list[Submission]:
    """Return the waiting submissions, oldest first: only the earliest of each bot, and none of a bot whose check is ``running``.

    A submission stays in its place if its check is interrupted. Names therefore go to the author who sent them first, and versions are
    numbered in order of arrival.
    """
    bots = {name_key(each) for each in running}
    ready = []
    for each in queued:
        if name_key(each.name) not in bots and each.state is SubmissionState.WAITING:
            ready.append(each)
        bots.add(name_key(each.name))
    return ready


def places_in_queue(database: Database) -> dict[str, int]:
    """Return the expected place (from 1) of each waiting submission, by id, assuming that nothing else is submitted."""
    waiting = [each for each in queue(database) if each.state is SubmissionState.WAITING]
    spent = seconds_by_author(database, LATELY) if waiting else {}
    places: dict[str, int] = {}
    while (chosen := next_submission(waiting, (), spent)) is not None:
        places[chosen.id] = len(places) + 1
        spent[chosen.author] = _after(chosen, spent)
        waiting.remove(chosen)
    return places


def _after(submission: Submission, spent: Mapping[str | None, float]) -> float:
    return spent.get(submission.author, 0.0) + _CHECK_SECONDS


Check: TypeAlias = Callable[[Store, Submission, int, OnProgress], None]
"""Checks a submission, given how often the machine has failed to check it, and writes the verdict into the submission."""


class CheckQueue:
    """Checks the submissions that wait in the database at ``place``, a few at a time; its methods may be called from any thread."""

    def __init__(self, place: str, check: Check, settings: CheckSettings, background: Executor) -> None:
        self._place = place
        self._check = check
        self._settings = settings
        self._joined: Store | None = None
        self._joining = threading.Lock()
        self._background = background
        self._workers: list[Future[None]] = []
        self._running: dict[str, Submission] = {}
        self._failed: dict[str, tuple[int, float]] = {}
        """For each waiting submission, how often the machine could not check it, and when it last failed."""
        self._choosing = threading.Lock()
        self._wake = threading.Event()
        self._is_stopping = False
        self._host = HostLog()

    def join(self) -> Store:
        """Return the database opened for writing. Raises StoreError."""
        with self._joining:
            if self._joined is None:
                self._joined = Store.join(self._place)
            return self._joined

    def start(self) -> None:
        """Start checking waiting submissions, and submissions whose check was interrupted."""
        self._workers = [self._background.submit(self._work) for _ in range(self._settings.at_once)]

    def wake(self) -> None:
        """Look for submissions to check now."""
        self._wake.set()

    def close(self) -> None:
        """Interrupt running checks, which are run again when the server restarts; waiting submissions are kept."""
        self._is_stopping = True
        self.wake()
        wait(self._workers, _CLOSE_SECONDS)
        if self._joined is not None:
            self._joined.close()

    def _work(self) -> None:
        while not self._is_stopping:
            try:
                store = self.join()
                chosen = self._choose(store)
            except SubmissionGoneError:
                continue  # it has just been deleted with its author
            except Exception as error:  # noqa: BLE001  # nothing else catches it, and the worker must keep running
                self._host.tell(f"submissions can't be checked at the moment: {error}")
                chosen = None
            if chosen is not None:
                self._attempt(store, chosen)
            elif not self._is_stopping:
                self._wake.wait(self._settings.poll)
                self._wake.clear()
        self.wake()  # wakes the other workers

    def _choose(self, store: Store) -> Submission | None:
        """Put back submissions whose check was interrupted, and return the next one to check, if there is one."""
        with self._choosing:
            running = dict(self._running)  # before the queue is read: a check that ends meanwhile was not cut off
            queued = queue(store)
            for each in queued:
                if each.state is SubmissionState.CHECKING and each.id not in running:  # or its outcome could not be stored
                    put_back(store, each, _CUT_OFF)
                    each.state = SubmissionState.WAITING
            ready = [each for each in in_turn(queued, [each.name for each in running.values()]) if not self._pauses(each)]
            spent = seconds_by_author(store, LATELY) if ready else {}
            chosen = next_submission(ready, {each.author for each in running.values()}, spent)
            if chosen is not None:
                claim(store, chosen)
                self._running[chosen.id] = chosen
            return chosen

    def _pauses(self, submission: Submission) -> bool:
        tries, last = self._failed.get(submission.id, (0, 0.0))
        pauses = self._settings.pauses
        return tries > 0 and monotonic() - last < pauses[min(tries, len(pauses)) - 1]

    def _attempt(self, store: Store, submission: Submission) -> None:
        tries, _ = self._failed.get(submission.id, (0, 0.0))
        try:
            self._check(store, submission, tries, self._follow(store, submission))
            save(store, submission)
            self._failed.pop(submission.id, None)
        except SubmissionGoneError as error:
            self._failed.pop(submission.id, None)
            _log.info("%s", error)
        except StoppedError:
            self._put_back(store, submission, _STOPPED)
        except Exception as error:  # noqa: BLE001  # the server's own faults do not count against the bot
            if not isinstance(error, (*MACHINE, BotError)):
                _log.exception("a submission could not be checked")
            reason = f"{type(error).__name__}: {error}"
            self._host.tell(f"the submission {submission.name} could not be checked and will be tried again: {reason}")
            self._failed[submission.id] = tries + 1, monotonic()
            self._put_back(store, submission, one_line(reason))
        finally:
            del self._running[submission.id]
            self.wake()

    def _put_back(self, store: Store, submission: Submission, reason: str) -> None:
        try:
            put_back(store, submission, reason)
        except StoreError as error:
            self._host.tell(f"a submission could not be put back: {error}")

    def _follow(self, store: Store, submission: Submission) -> OnProgress:
        """Return a function that notes the progress of a check, stores it from time to time, and raises StoppedError if it must end."""
        began, earlier, stored = monotonic(), submission.seconds, 0.0

        def go_on(check: CheckProgress) -> None:
            nonlocal stored
            now, is_next = monotonic(), check.stage != submission.stage
            submission.seconds = earlier + now - began
            submission.stage, submission.done, submission.planned = check.stage.value, check.done, check.planned
            submission.failed, submission.decisions = check.failed, check.decisions
            if is_next or now - stored >= self._settings.poll:
                stored = now
                save(store, submission)
            if self._is_stopping:
                raise StoppedError

        return go_on


def find_terms(store: Store, ladder: str, game: str, players: Sequence[int], games: OfferedGames, runtime: Runtime) -> CheckTerms:
    """Return the terms of a bot's check for a ladder or, if ``ladder`` is empty, for the game with this ``runtime``.

    ``players`` are table sizes for the game; if empty, its default sizes are used. Raises UnusableError.
    """
    if ladder and players:
        raise UnusableError("players", f"a bot for the ladder '{ladder:.80}' is checked at the ladder's table sizes; leave this field out")
    try:
        if ladder:
            return CheckTerms.of_tournament(terms_of_ladder(store, ladder))
        terms = CheckTerms.of_game(games.find(game_or_only(game)), ClockSpec(), runtime)
    except NoLadderError as error:
        raise UnusableError("ladder", str(error)) from None
    except OptionsError as error:
        raise UnusableError("ladder" if ladder else "game", str(error)) from None
    try:
        for size in players:
            terms.game.check_start(size, 0)
    except OptionsError as error:
        raise UnusableError("players", str(error)) from None
    return replace(terms, sizes=tuple(dict.fromkeys(players)) or terms.sizes)


def read_report(submission: Submission) -> CheckReport | None:
    """Return the report of a submission's check, or None if there is none yet."""
    return decode(submission.report, CheckReport) if submission.report else None


def kept_replays(report: CheckReport) -> tuple[tuple[int, int], ...]:
    """Return the failed matches whose replays are kept, as (players, seat): the first match of each of the first ``_REPLAYS`` causes."""
    return tuple((first.players, first.seat) for first, *_ in report.causes[:_REPLAYS])


@dataclass(frozen=True, slots=True)
class Checker:
    """Checks submissions according to the host's settings."""

    settings: WebSettings
    games: OfferedGames

    def check(self, store: Store, submission: Submission, failures: int, go_on: OnProgress) -> None:
        """Check a submission and write the verdict into it. After an interruption, this may be called again.

        ``failures`` is how many earlier attempts ended in an error. The first two errors are raised. At the third, the bot is refused;
        but if the machine is at fault, or an empty bot fails as well, an error is raised. Raises StoppedError and SubmissionGoneError too.
        """
        version = unpack(content(store, submission))
        try:
            if submission.number is not None or self._passes(store, submission, version, go_on):
                self._accept(store, submission, version)
        except (StoppedError, SubmissionGoneError):
            raise
        except Exception as error:
            is_machines = isinstance(error, MACHINE) and not isinstance(error, LostProcessError)
            if is_machines or failures + 1 < _TRIES:
                raise
            self._play_empty(store, submission, version)
            _log.exception("the submission %s is refused, since it could not be checked", submission.name)
            _refuse(submission, _NO_RESULT)

    def _terms(self, store: Store, submission: Submission) -> CheckTerms:
        sizes = [*map(int, submission.players.split())]
        return find_terms(store, submission.ladder, submission.game, sizes, self.games, self.settings.runtime)

    def _play_empty(self, store: Store, submission: Submission, version: BotVersion) -> None:
        """Play an empty bot of the same kind as the submission. Raises an error if the machine fails even then."""
        terms = self._terms(store, submission)
        if version.command:
            empty = replace(version, command=("bot",), files=(("bot", b""),))
        else:
            empty = BotVersion(version.name, version.digest, version.origin, version.class_name, code="")
        check_apart(CheckJob(empty, terms, choose_level(BEST), self.settings.checks.seconds, is_quick=True))

    def _passes(self, store: Store, submission: Submission, version: BotVersion, go_on: OnProgress) -> bool:
        terms, level = self._terms(store, submission), choose_level(BEST)
        admit([replace(version, is_submitted=True)], level, trusted=self.settings.trust_bots, clock=terms.clock)
        report, replays = check_apart(CheckJob(version, terms, level, self.settings.checks.seconds), go_on)
        submission.report = msgspec.json.encode(report).decode()
        if not report.is_passed:
            first = report.troubles[0].fault if report.troubles else None
            why = f": {first.kind.value}: {first.detail}" if first else ""
            texts = {key: replays[key].text for key in kept_replays(report)}
            _refuse(submission, without_folders(f"it {report.failure}{why}"), texts)
        return report.is_passed

    @staticmethod
    def _accept(store: Store, submission: Submission, version: BotVersion) -> None:
        """Store the version of a bot that has passed, unless that was done before an interruption, and enter it into its ladder."""
        if submission.number is None:
            try:
                keep_version(store, submission, REFERENCE_BOTS)
            except SubmissionError as error:
                _refuse(submission, str(error))
                return
        store.keep_speeds({submission.digest: decode(submission.report, CheckReport).match_seconds})
        hand_in(store, submission, version)
        submission.state = SubmissionState.ACCEPTED


def _refuse(submission: Submission, reason: str, replays: Mapping[tuple[int, int], str] | None = None) -> None:
    submission.state, submission.reason, submission.replays = SubmissionState.REFUSED, reason, pack_replays(replays or {})
