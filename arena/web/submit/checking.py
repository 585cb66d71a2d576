"""Checking one upload as by 'arena bots check': start it, play it in every seat, keep the version, enter it into its ladder."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Final

import msgspec

from arena.bots import BEST, IsolationError, admit, choose_level
from arena.entries.bot_check import CheckProgress, CheckTerms, check_bot
from arena.entries.check_report import CheckReport, CheckStage, Trouble
from arena.season.entry import HandedIn, hand_in
from arena.web.errors import RefusedError
from arena.web.games import OfferedGames
from arena.web.rendering.templates import without_folders
from arena.web.settings import WebSettings
from arena.web.submit.admission import find_terms
from bots.errors import HostFaultError, LostProcessError, SandboxError, UnfitError
from bots.host.player_pool import PlayerPool
from bots.loader.reference_bots import REFERENCE_BOTS
from bots.loader.version import BotVersion, pack, unpack
from engine.core.errors import ArenaError
from engine.records import PackedReplay, decode
from leaderboard.errors import StoreError
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import (
    Progress,
    Submission,
    SubmissionError,
    Upload,
    UploadGoneError,
    UploadState,
    UploadVerdict,
    content,
    find_submission,
    keep_version,
)

MACHINE: Final = (HostFaultError, SandboxError, UnfitError, StoreError, IsolationError, RefusedError, OSError)
"""The errors by which a check failed on this machine, not because of the bot."""
_REPLAYS: Final = 5
_TRIES: Final = 3
_NO_RESULT: Final = f"it could not be checked here in {_TRIES} attempts, though others can; its files may be to blame, or ask the host"
_log: Final = logging.getLogger("arena.web")


class InterruptedCheckError(ArenaError):
    """The check was stopped, since the server stops."""


@dataclass(slots=True)
class Attempt:
    """One attempt to check an upload, between the thread that checks and the one that stores its progress."""

    upload: Upload
    content: bytes
    on_stage: Callable[[], None] = lambda: None
    """Called when the next stage begins, so that it is shown at once."""
    began: float = field(default_factory=monotonic)
    failures: int = 0
    """How often the machine has failed to check the upload."""
    check: CheckProgress | None = None
    is_cancelled: bool = False

    def go_on(self, check: CheckProgress) -> None:
        """Record the progress of the check. Raises InterruptedCheckError if it is to be stopped."""
        is_next = self.check is None or self.check.stage is not check.stage
        self.check = check
        if is_next:
            self.on_stage()
        if self.is_cancelled:
            raise InterruptedCheckError

    @property
    def progress(self) -> Progress:
        """The progress of the check."""
        seconds = self.upload.seconds + monotonic() - self.began
        check = self.check
        return (
            Progress(seconds) if check is None else Progress(seconds, check.stage, check.done, check.planned, check.failed, check.decisions)
        )


def read_report(upload: Upload) -> CheckReport | None:
    """Return the report of an upload's check; None if there is none yet."""
    return decode(upload.report, CheckReport) if upload.report else None


def kept_replays(report: CheckReport) -> tuple[tuple[int, int], ...]:
    """Return the failed matches whose replays are kept, by players and seat: the first of each cause, up to a number of causes."""
    return tuple((first.players, first.seat) for first, *_ in report.causes[:_REPLAYS])


@dataclass(frozen=True, slots=True)
class Checker:
    """Checks uploads by the host's settings."""

    settings: WebSettings
    games: OfferedGames

    def check(self, store: Store, attempt: Attempt) -> UploadVerdict:
        """Check an upload, and do everything that follows except storing the verdict. All of it may be done again after an interruption.

        An error that the bot's files may have caused is a verdict at the third attempt, if an empty bot in its place causes none. Raises
        InterruptedCheckError, UploadGoneError, and errors that show that the machine has failed.
        """
        try:
            return self._check(store, attempt)
        except (InterruptedCheckError, UploadGoneError):
            raise
        except Exception as error:
            is_machines = isinstance(error, MACHINE) and not isinstance(error, LostProcessError)
            if is_machines or attempt.failures + 1 < _TRIES:
                raise
            self._play_empty(store, attempt)
            _log.exception("the upload %s is refused, since it could not be checked", attempt.upload.name)
            return UploadVerdict(UploadState.FAILED, attempt.progress, _NO_RESULT)

    def _terms(self, store: Store, upload: Upload) -> CheckTerms:
        sizes = [*map(int, upload.players.split())]
        return find_terms(store, upload.ladder, upload.game, sizes, self.games, self.settings.runtime)

    def _play_empty(self, store: Store, attempt: Attempt) -> None:
        """Play an empty bot of the same kind as the upload. Raises an error if the machine fails also then."""
        version, terms = unpack(attempt.content), self._terms(store, attempt.upload)
        if version.command:
            empty = replace(version, command=("bot",), files=(("bot", b""),))
        else:
            empty = BotVersion(version.name, version.digest, version.origin, version.class_name, code="")
        with PlayerPool(choose_level(BEST), game=terms.game, runtime=terms.runtime) as pool:
            check_bot(empty, terms, pool, is_quick=True, seconds=self.settings.checks.seconds)

    def _check(self, store: Store, attempt: Attempt) -> UploadVerdict:
        upload = attempt.upload
        if upload.label:  # the check was interrupted after the version had been stored
            submission = find_submission(store, upload.label)
            return self._enter(store, attempt, submission, unpack(content(store, submission)), upload.report)
        terms = self._terms(store, upload)
        version = unpack(attempt.content)
        level = choose_level(BEST)
        admit([replace(version, is_submitted=True)], level, trusted=self.settings.trust_bots, clock=terms.clock)
        attempt.go_on(CheckProgress(CheckStage.START))
        replays: dict[tuple[int, int], PackedReplay] = {}

        def keep(trouble: Trouble, replay: PackedReplay) -> None:
            replays[trouble.players, trouble.seat] = replay

        with PlayerPool(level, game=terms.game, runtime=terms.runtime) as pool:
            report = check_bot(version, terms, pool, attempt.go_on, keep, seconds=self.settings.checks.seconds)
        report_json = msgspec.json.encode(report).decode()
        if not report.is_passed:
            first = report.troubles[0].fault if report.troubles else None
            why = f": {first.kind.value}: {first.detail}" if first else ""
            texts = {key: replays[key].text for key in kept_replays(report)}
            reason = without_folders(f"it {report.failure}{why}")
            return UploadVerdict(UploadState.FAILED, attempt.progress, reason, report=report_json, replays=texts)
        try:
            submission = keep_version(store, upload.number, version.digest, pack(version), REFERENCE_BOTS, report=report_json)
        except SubmissionError as error:
            return UploadVerdict(UploadState.FAILED, attempt.progress, str(error), report=report_json)
        return self._enter(store, attempt, submission, version, report_json)

    @staticmethod
    def _enter(store: Store, attempt: Attempt, submission: Submission, version: BotVersion, report: str) -> UploadVerdict:
        ladder = attempt.upload.ladder
        store.keep_speeds({submission.digest: decode(report, CheckReport).match_seconds})
        entry = hand_in(store, ladder, submission, version, attempt.upload.sent) if ladder else HandedIn()
        return UploadVerdict(UploadState.ACCEPTED, attempt.progress, entry.problem, entry.entrant, entry.when, report)
