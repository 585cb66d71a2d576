"""Checks stored matches against their tickets, and plays their replays again; workers of a verification run this."""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from arena.play.executors.base import Task
from bots.errors import BotError
from bots.loader.version import BotVersion, unpack
from engine.core import Game, OptionValue, Score
from engine.records import FaultKind, Forfeit, Replay, Ticket
from engine.registry import find_game, trials
from engine.replay.format import LARGEST_REPLAY, ReplayError, read_replay
from engine.replay.verifier import DisagreementError, rederive
from engine.text import quote
from leaderboard.ratings.fold import Entry
from leaderboard.records import MatchRecord, SeatRecord, inflate
from leaderboard.seal_format import match_digest
from leaderboard.storage.bundles import LARGEST_CONTENT

if TYPE_CHECKING:
    from arena.verification.bot_replay import BotsAgain, Replayed
    from bots.host.player_pool import PlayerPool
    from bots.limits import Level, Runtime

_SHOWN: Final = 80


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A stored value that differs from the value derived from other data. ``match`` is empty if the value does not belong to a match."""

    tournament: str
    match: str
    field: str
    stored: str
    found: str

    def __str__(self) -> str:
        what = f"match {self.match}" if self.match else f"tournament {self.tournament}" if self.tournament else "database"
        return f"{what}: {self.field}: stored {self.stored}, found {self.found}"


class Findings:
    """Collects the disagreements about a tournament or a match."""

    def __init__(self, tournament: str, match: str = "") -> None:
        self.tournament: Final = tournament
        self.match: Final = match
        self.all: Final[list[Disagreement]] = []

    def add(self, field: str, stored: object, found: str) -> None:
        """Add a disagreement; ``found`` says in words what is wrong with the stored value, or what should be there."""
        self.all.append(Disagreement(self.tournament, self.match, field, shown(stored), found))

    def compare(self, field: str, stored: object, found: object) -> None:
        """Add a disagreement unless both values and their types are equal, so that ``1`` equals neither ``1.0`` nor true."""
        if type(stored) is not type(found) or stored != found:
            self.add(field, stored, shown(found))


def shown(value: object) -> str:
    """Return a stored value as short, printable text."""
    return quote(value, _SHOWN)


@dataclass(frozen=True, slots=True)
class ScheduledMatch:
    """A stored match (``evidence``), and the scheduled ticket that it is compared with."""

    ticket: Ticket
    evidence: MatchRecord


@dataclass(frozen=True, slots=True)
class CheckedMatch:
    """The outcome of checking a match.

    - ``entry``: the result to rate, from the replay or, if the replay is unusable, from stored values; None if neither can be used
    - ``other_rules``: the rules version of the match if it differs from this program's; if so, the match was not played again
    - ``is_of_other_package``: whether the match was played with a different version of the game's package, which gave a different result
    - ``link``: the number of the first seal that covers the match; ``row``: the digest of the stored match, which that seal covers
    - ``again``: the result of asking the bots again, or None if they were not asked
    """

    match: str
    disagreements: tuple[Disagreement, ...]
    entry: Entry | None
    decisions: int
    other_rules: int | None = None
    is_of_other_package: bool = False
    link: object = None
    row: bytes = b""
    again: Replayed | None = None


@dataclass(frozen=True, slots=True)
class MatchCheck(Task[ScheduledMatch, CheckedMatch]):
    """The task of checking a tournament's matches. ``contents`` has the content hash of each bot.

    ``is_of_other_package`` is whether the installed package of the game differs from the one used in the run. ``again`` has the bots to
    ask again, if any.
    """

    tournament: str
    game: str
    options: Mapping[str, OptionValue]
    contents: Mapping[str, str]
    is_of_other_package: bool = False
    again: BotsAgain | None = None

    @property
    def table(self) -> tuple[Level, Game, Runtime] | None:
        """What a worker needs to run the bots that are asked again, or None."""
        return None if self.again is None else (self.again.level, find_game(self.game, self.options), self.again.runtime)

    def do(self, items: Sequence[ScheduledMatch], pool: PlayerPool | None) -> list[CheckedMatch]:
        """Return the outcome of checking each match."""
        with redirect_stdout(sys.stderr), trials(_try_game):  # keeps the bots' output apart from the results
            return [_with_row(check_match(self, item, pool), item) for item in items]

    def lost(self, item: ScheduledMatch, reason: str) -> CheckedMatch:
        """Return the outcome (a disagreement) for a match that can't be checked because it crashes workers."""
        findings = Findings(self.tournament, item.ticket.id)
        findings.add("replay", item.evidence.digest, f"it can't be checked: {reason}")
        return _with_row(_given_up(item, findings, ""), item)


def _try_game(name: str, options: Mapping[str, OptionValue]) -> object:
    from arena.entries.game_trial import try_game  # noqa: PLC0415  # few games need a trial

    return try_game(name, options)


def _with_row(checked: CheckedMatch, item: ScheduledMatch) -> CheckedMatch:
    return replace(checked, link=item.evidence.link, row=match_digest(item.evidence))


def check_match(task: MatchCheck, item: ScheduledMatch, pool: PlayerPool | None = None) -> CheckedMatch:
    """Compare a stored match with its ticket, with its replay's outcome and, if bots are asked again, with their answers."""
    ticket, stored = item.ticket, item.evidence
    findings = Findings(task.tournament, ticket.id)
    _check_ticket(task, item, findings)
    try:
        text = unpack_replay(stored.replay)
    except ValueError as error:
        findings.add("replay", stored.replay, str(error))
        return _given_up(item, findings, "")
    digest = hashlib.sha256(text).hexdigest()
    findings.compare("digest of the replay", stored.digest, digest)
    try:
        replay = read_replay(text.decode())
    except (ReplayError, UnicodeDecodeError) as error:
        findings.add("replay", text, f"it is not a replay: {error}")
        return _given_up(item, findings, digest)
    _check_start(task, ticket, replay, findings)
    version = find_game(task.game, task.options).rules_version
    other_rules = replay.rules_version if replay.rules_version not in {None, version} else None
    actual = replay
    is_other = False
    if other_rules is None:
        derived, again = _play_again(task, ticket, replay, text)
        is_other = task.is_of_other_package and bool(again.all)
        if not is_other:
            findings.all.extend(again.all)
            if derived is None:
                return _given_up(item, findings, digest)
            actual = derived
    if not len(actual.scores) == len(actual.ranks) == len(ticket.seats):
        findings.add("replay", text, f"it must have a score and a rank for each of {len(ticket.seats)} seats")
        return _given_up(item, findings, digest)
    scores, ranks = tuple(seat.score for seat in stored.seats), tuple(seat.rank for seat in stored.seats)
    _compare_end("", scores, ranks, stored.end, actual, findings)
    findings.compare("number of decisions", stored.decisions, len(replay.decisions))
    faults, choices = _check_faults(stored.seats, replay, findings)
    entry = _entry(ticket, actual.scores, actual.ranks, faults, choices, actual.end, digest)
    if entry is None:
        findings.add("replay's ranks", actual.ranks, "no seat has rank 1")
    asked = None if pool is None or is_other or other_rules is not None else _ask_again(task, item, replay, pool, findings)
    return CheckedMatch(ticket.id, tuple(findings.all), entry, len(replay.decisions), other_rules, is_other, again=asked)


def _ask_again(task: MatchCheck, item: ScheduledMatch, replay: Replay, pool: PlayerPool, findings: Findings) -> Replayed | None:
    """Ask the bots again, and add disagreements to the findings. Return None if the replay belongs to a different match."""
    game, ticket = find_game(task.game, task.options), item.ticket
    is_of_ticket = (replay.game, dict(replay.options), replay.seed) == (task.game, dict(task.options), ticket.seed)
    if task.again is None or not is_of_ticket or replay.names != ticket.seats:
        return None
    from arena.verification.bot_replay import replay_bots  # noqa: PLC0415  # it imports this module

    again = replay_bots(task.again, game, ticket, item.evidence.seats, replay, pool)
    findings.all.extend(again.alarms)
    return again


def _play_again(task: MatchCheck, ticket: Ticket, replay: Replay, text: bytes) -> tuple[Replay | None, Findings]:
    """Return a replay derived from the moves (None if they can't be played), and its differences from the stored replay."""
    findings = Findings(task.tournament, ticket.id)
    try:
        actual = rederive(replay)
    except DisagreementError as error:
        findings.add("replay", text, str(error))
        return None, findings
    _compare_end("replay's ", replay.scores, replay.ranks, replay.end, actual, findings)
    return actual, findings


def _entry(
    ticket: Ticket,
    scores: Sequence[Score],
    ranks: Sequence[int],
    faults: Sequence[tuple[str, int] | None],
    decisions: Sequence[int],
    end: str,
    digest: str,
) -> Entry | None:
    """Return the result to rate, or None if no seat has rank 1. It takes 0 seconds, since times can't be verified."""
    if 1 not in ranks:
        return None
    seconds = (0.0,) * len(ticket.seats)
    return Entry(ticket.id, ticket.block, ticket.seats, tuple(scores), tuple(ranks), tuple(faults), tuple(decisions), seconds, end, digest)


def unpack_replay(packed: object) -> bytes:
    """Return the text of a stored replay, as bytes. Raises ValueError if the replay is damaged."""
    return inflate(packed, LARGEST_REPLAY)


def read_content(content: object) -> BotVersion:
    """Return the bot version in this stored content, without checking its digest. Raises BotError."""
    try:
        return unpack(inflate(content, LARGEST_CONTENT))
    except ValueError as error:
        raise BotError(str(error)) from None


def _check_ticket(task: MatchCheck, item: ScheduledMatch, findings: Findings) -> None:
    ticket, stored = item.ticket, item.evidence
    findings.compare("number of players", stored.players, len(ticket.seats))
    findings.compare("round", stored.round, ticket.round)
    findings.compare("block", stored.block, ticket.block)
    findings.compare("rotation", stored.rotation, ticket.rotation)
    findings.compare("seed", stored.seed, ticket.seed)
    findings.compare("key of the block", stored.block_key, ticket.block_key)
    findings.compare("numbers of the seats", [seat.seat for seat in stored.seats], list(range(len(ticket.seats))))
    for number, (seat, bot) in enumerate(zip(stored.seats, ticket.seats, strict=False)):
        findings.compare(f"seat {number}'s bot", seat.bot, bot)
        if seat.bot == bot:
            findings.compare(f"seat {number}'s version", seat.version, task.contents[bot])


def _check_start(task: MatchCheck, ticket: Ticket, replay: Replay, findings: Findings) -> None:
    findings.compare("replay's game", replay.game, task.game)
    findings.compare("replay's options", dict(replay.options), dict(task.options))
    findings.compare("replay's number of players", replay.players, len(ticket.seats))
    findings.compare("replay's seed", replay.seed, ticket.seed)
    findings.compare("replay's names", replay.names, ticket.seats)


def _compare_end(
    whose: str, scores: tuple[object, ...], ranks: tuple[object, ...], end: object, actual: Replay, findings: Findings
) -> None:
    for number, (score, rank) in enumerate(zip(scores, ranks, strict=False)):
        if number < len(actual.scores):
            findings.compare(f"{whose}score of seat {number}", score, actual.scores[number])
            findings.compare(f"{whose}rank of seat {number}", rank, actual.ranks[number])
    findings.compare(f"{whose}end", end, actual.end)


def _check_faults(stored: Sequence[SeatRecord], replay: Replay, findings: Findings) -> tuple[list[tuple[str, int] | None], list[int]]:
    """Return each seat's fault and the number of decisions that each bot was asked for.

    Faults are derived from the replay's forfeits if possible; otherwise, the stored faults are returned. A bot that fails at the start
    forfeits at its seat's first decision; a bot that fails at a decision forfeits at that decision.
    """
    forfeits = {forfeit.seat: forfeit for forfeit in replay.forfeits}
    seats = range(len(replay.scores))
    choices = Counter([decision.seat for decision in replay.decisions if decision.legal > 1])
    asked = [choices[seat] for seat in seats]
    for forfeit in forfeits.values():
        if forfeit.seat in seats:  # always true under this version of the rules
            before = replay.decisions[: forfeit.index + 1]
            is_first = all(decision.seat != forfeit.seat for decision in before[:-1])
            is_at_start = is_first and _failed_at_start(stored, forfeit.seat)
            asked[forfeit.seat] = 0 if is_at_start else sum(each.seat == forfeit.seat and each.legal > 1 for each in before)
    seen = {decision.seat for decision in replay.decisions}
    faults: list[tuple[str, int] | None] = []
    for number, seat in zip(seats, stored, strict=False):
        findings.compare(f"decisions of seat {number}", seat.decisions, asked[number])
        if number in seen:
            faults.append(_check_fault(number, seat, forfeits.get(number), asked[number], findings))
        else:
            faults.append(_fault(seat.fault, seat.fault_index))  # the bot may have failed at the start, which the replay doesn't show
    return faults + [None] * (len(seats) - len(faults)), asked


def _failed_at_start(stored: Sequence[SeatRecord], seat: int) -> bool:
    return seat < len(stored) and stored[seat].fault_index == 0 and stored[seat].decisions == 0


def _check_fault(number: int, seat: SeatRecord, forfeit: Forfeit | None, asked: int, findings: Findings) -> tuple[str, int] | None:
    if forfeit is None:
        findings.compare(f"fault of seat {number}", seat.fault, None)
        findings.compare(f"decision of the fault of seat {number}", seat.fault_index, None)
        return None
    findings.compare(f"fault of seat {number}", seat.fault, forfeit.reason)
    index = 0 if asked == 0 and seat.fault_index == 0 else forfeit.index
    findings.compare(f"decision of the fault of seat {number}", seat.fault_index, index)
    return _fault(forfeit.reason, index)


def _fault(kind: object, index: object) -> tuple[str, int] | None:
    try:
        return FaultKind(str(kind)).value, index if type(index) is int else 0
    except ValueError:
        return None


def _given_up(item: ScheduledMatch, findings: Findings, digest: str) -> CheckedMatch:
    """Return the outcome for a match whose replay is unusable, with the stored result if that can be rated."""
    ticket, seats = item.ticket, item.evidence.seats
    scores = [seat.score for seat in seats if type(seat.score) is int or type(seat.score) is float]
    ranks = [seat.rank for seat in seats if type(seat.rank) is int]
    decisions = [seat.decisions if type(seat.decisions) is int else 0 for seat in seats]
    faults = [_fault(seat.fault, seat.fault_index) for seat in seats]
    entry = None
    if len(scores) == len(ranks) == len(seats) == len(ticket.seats):
        entry = _entry(ticket, scores, ranks, faults, decisions, str(item.evidence.end), digest)
    return CheckedMatch(ticket.id, tuple(findings.all), entry, 0)
