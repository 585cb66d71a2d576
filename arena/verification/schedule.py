"""Checks the spec, secret and bots of a stored tournament, and steps through its schedule to find the stored match of each ticket.

If rounds are paired by results, the caller must settle every match of a round before the next round is known. As long as the tournament's
secret is not published, the schedule can't be derived; ``ClaimedSchedule`` then trusts the ticket that each match claims to have.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final

import msgspec

from arena.formats.base import Round
from arena.formats.ladder import NoTableError
from arena.formats.schedule import RoundDriver, Schedule
from arena.play.executors.base import PAUSE, Pause
from arena.spec.secret import SecretError, TournamentSecret, parse_secret
from arena.spec.spec import MissingGameError, Spec, SpecError, make_stored_spec
from arena.spec.tables import LadderPlan
from arena.verification.matches import Findings, ScheduledMatch
from engine.core import EngineError
from engine.records import Ticket, convert
from engine.text import quote
from leaderboard.records import WAITING, EntrantRecord, MatchRecord, Order, SecretRecord, TournamentRecord, chunks
from leaderboard.storage.database import Database
from leaderboard.storage.raw_queries import read_match_ids, read_matches, read_voids


@dataclass(frozen=True, slots=True)
class TournamentEntry:
    """The spec, schedule and bots of a tournament.

    ``contents`` maps the bots that play to their content hashes; ``rated`` does so for the bots whose results count. ``is_derived`` is
    whether tickets can be derived. They can't until the secret is published; until then, only the number of matches is known.
    """

    spec: Spec
    schedule: Schedule
    contents: dict[str, str]
    rated: dict[str, str]
    is_derived: bool


def check_entry(tournament: TournamentRecord, findings: Findings, *, is_interim: bool) -> TournamentEntry | None:
    """Return the spec, schedule and bots of a tournament, or None if they can't be used; add what is wrong to ``findings``.

    The secret may be missing only if the verification ``is_interim``. Raises MissingGameError if the game is not installed.
    """
    try:
        spec = make_stored_spec(str(tournament.spec), f"the tournament {quote(tournament.name)}")
        joined = _check_joined(spec, tournament.entrants, findings)
        is_hidden = is_interim and tournament.secret is not None and tournament.secret.secret is None
        secret = _check_secret(spec, tournament.secret, findings, is_hidden=is_hidden)
        orders = _check_orders(spec, tournament.orders, findings)
        schedule = Schedule(spec, joined, secret, orders)
    except MissingGameError:
        raise
    except (ValueError, RecursionError, SpecError, EngineError) as error:
        findings.add("spec", tournament.spec, f"it can't be used: {error}")
        return None
    if not tournament.links:
        findings.add("seals", None, "a chain of seals, which every tournament has from the start")
    findings.compare("spec", tournament.spec, spec.canonical())
    findings.compare("name", tournament.name, spec.name)
    findings.compare("game", tournament.game, spec.game)
    findings.compare("seed", tournament.seed, spec.seed or 0)
    names = [entrant.name for entrant in tournament.entrants]
    findings.compare("entrants", names, sorted(bot.name for bot in spec.bots))
    contents = {entrant.name: entrant.digest for entrant in tournament.entrants if joined is None or joined.get(entrant.name) != WAITING}
    rated = {name: digest for name, digest in contents.items() if name not in schedule.uncounted}
    if set(names) != {bot.name for bot in spec.bots} or not all(isinstance(digest, str) for digest in contents.values()):
        return None  # reported above; the seatings are unknown
    return TournamentEntry(spec, schedule, contents, rated, not is_hidden)


def _check_secret(spec: Spec, stored: SecretRecord | None, findings: Findings, *, is_hidden: bool) -> TournamentSecret | None:
    """Compare the secret with its commitment and return it, or None if the seed is open or the secret is hidden. Raises SpecError."""
    if (stored is None) != spec.is_open:
        raise SpecError("it has both an open seed and a secret" if spec.is_open else "its secret is missing")
    if stored is None:
        return None
    findings.compare("commitment", stored.commitment, spec.commitment)
    if is_hidden:
        return None
    try:
        secret = TournamentSecret(parse_secret(str(stored.secret), "the secret"))
    except SecretError as error:
        raise SpecError(str(error)) from None
    findings.compare("commitment to its secret", spec.commitment, secret.commitment)
    return secret if stored.public_value is None else replace(secret, public_value=str(stored.public_value))


def _check_orders(spec: Spec, orders: Sequence[Order], findings: Findings) -> tuple[Order, ...]:
    findings.compare("numbers of the orders", [each.number for each in orders], list(range(1, len(orders) + 1)))
    try:
        given = tuple(convert(asdict(each), Order) for each in orders)
    except msgspec.ValidationError as error:
        raise SpecError(f"an order is damaged: {error}") from None
    names = {bot.name for bot in spec.bots}
    for order in given:
        if order.bot is not None and order.bot not in names:
            raise SpecError(f"order {order.number} is about {quote(order.bot)}, but there is no such bot")
        if order.round < WAITING or not isinstance(spec.schedule, LadderPlan):
            raise SpecError(f"order {order.number} can't take effect in round {order.round} of the format '{spec.schedule.format}'")
    return given


def _check_joined(spec: Spec, entrants: Sequence[EntrantRecord], findings: Findings) -> dict[str, int] | None:
    """Return the round before which each bot joined a ladder later than the start; None in other formats. Raises SpecError."""
    if not isinstance(spec.schedule, LadderPlan):
        for entrant in entrants:
            findings.compare(f"round before which {entrant.name} joined", entrant.joined, 0)
        return None
    for entrant in entrants:
        if type(entrant.joined) is not int or entrant.joined < WAITING:
            findings.add(f"round before which {entrant.name} joined", entrant.joined, "no such round")
            raise SpecError("a bot's stored first round is not a valid round")
    if sum(entrant.joined == 0 for entrant in entrants) < spec.schedule.players:
        raise SpecError("too few bots took part from the start to fill the seats of a match")
    return {entrant.name: entrant.joined for entrant in entrants if entrant.joined}


LEAST_WALK: Final = 1_000_000
"""A schedule is followed for at most this many tickets, or for a hundred times the number of stored matches if that is more."""


class ScheduleReplay:
    """The stored matches of a tournament in the order of its schedule."""

    def __init__(self, store: Database, tournament: TournamentRecord) -> None:
        self._store = store
        self._tournament = tournament
        self.ids: Final = frozenset(store.fetch(read_match_ids, tournament.key))
        self._left = set(self.ids)
        self._void_left = {void.match for void in store.fetch(read_voids, tournament.key)}
        self._walked = 0
        self._given = 0
        self._index: dict[str, int] = {}
        self._driver: RoundDriver
        self.voids: Final[dict[str, Ticket]] = {}
        """The tickets of the void matches that have been reached, by match id."""
        self.is_whole = False
        """Whether the end of the schedule was reached (if rounds are paired by results, only possible if every match is stored)."""
        self.is_broken = False
        """Whether a round could not be paired because an earlier match is unusable."""
        self.missing: Ticket | None = None
        """The first ticket without a stored match, if later rounds depend on its result; otherwise None."""

    @property
    def unknown(self) -> list[str]:
        """The ids of stored matches that have not been reached; once ``matches`` has ended, these are not in the schedule."""
        return sorted(self._left)

    def matches(self, schedule: Schedule) -> Iterator[ScheduledMatch | Pause]:
        """Yield each stored match with its ticket, and a pause whenever matches must be settled before the next round.

        The iterator ends after the last stored match or, if rounds are paired by results, after the last round that can be paired.
        """
        self._driver = driver = schedule.drive()
        is_whole = True
        while (round_ := self._next()) is not None:
            is_whole = (yield from self._take(round_.tickets, is_paired=schedule.needs_results)) and is_whole
            while driver.is_waiting:
                yield PAUSE
            if not (schedule.needs_results or is_whole):
                return
        self.is_whole, self.is_broken = driver.is_over and is_whole, driver.is_blocked and is_whole

    def _next(self) -> Round | None:
        try:
            return self._driver.next()
        except NoTableError:  # neither complete nor broken: an order may let bots play again later
            return None

    def settle(self, match: str, ranks: tuple[int, ...] | None) -> int:
        """Give a match from ``matches`` its ranks (None if they are unusable), and return its position among the stored matches.

        Positions are in schedule order and count from 0.
        """
        self._driver.settle(match, ranks)
        return self._index.pop(match)

    def _take(self, tickets: Iterable[Ticket], *, is_paired: bool) -> Generator[ScheduledMatch, None, bool]:
        """Yield the stored matches of a round; return whether its end was reached and, if ``is_paired``, all its matches are stored."""
        most = max(LEAST_WALK, 100 * len(self.ids))
        is_whole = True
        for chunk in chunks(tickets):
            if self._walked >= most or not (self._left or self._void_left or (is_paired and is_whole)):
                return False
            self._walked += len(chunk)
            here = [ticket for ticket in chunk if ticket.id in self._left]
            stored = self._store.fetch(read_matches, self._tournament.key, [ticket.id for ticket in here]) if here else {}
            is_whole = is_whole and len(stored) == len(chunk)
            self._left.difference_update(ticket.id for ticket in here)  # if a match has been removed since, the digest will be wrong
            for ticket in chunk:
                if ticket.id in self._void_left:
                    self._void_left.discard(ticket.id)
                    self.voids[ticket.id] = ticket
                if is_paired or ticket.id in stored:
                    self._driver.expect(ticket)
                if ticket.id in stored:
                    self._index[ticket.id] = self._given
                    self._given += 1
                    yield ScheduledMatch(ticket, stored[ticket.id])
                elif is_paired:
                    self.missing = self.missing or (None if ticket.id in self.voids else ticket)
                    self._driver.settle(ticket.id, None)
        return is_whole or not is_paired


class ClaimedSchedule:
    """Replaces ``ScheduleReplay`` if the schedule can't be derived; matches are not compared with the schedule."""

    def __init__(self, store: Database, tournament: TournamentRecord, bots: Collection[str]) -> None:
        self._store = store
        self._tournament = tournament
        self._bots = bots
        self._index: dict[str, int] = {}
        self.ids: Final = store.fetch(read_match_ids, tournament.key)
        self.unknown: list[str] = []
        """The ids of matches that can't belong to this tournament."""
        self.is_whole = False
        """Always False, because it can't be known yet whether there are more matches."""
        self.is_broken = False
        self.missing: None = None

    def matches(self, _schedule: Schedule) -> Iterator[ScheduledMatch]:
        """Yield each stored match with the ticket that it claims to have."""
        for chunk in chunks(self.ids):
            stored = self._store.fetch(read_matches, self._tournament.key, chunk)
            for evidence in (stored[match] for match in chunk if match in stored):
                ticket = _ticket(evidence)
                if set(ticket.seats) <= set(self._bots):
                    self._index[ticket.id] = len(self._index)
                    yield ScheduledMatch(ticket, evidence)
                else:
                    self.unknown.append(ticket.id)

    def settle(self, match: str, _ranks: tuple[int, ...] | None) -> int:
        """Return the position of the match among the stored matches, counted from 0."""
        return self._index[match]


def _ticket(match: MatchRecord) -> Ticket:
    seats = tuple(str(seat.bot) for seat in match.seats)
    numbers = [each if type(each) is int else -1 for each in (match.block, match.rotation, match.seed, match.round, match.block_key)]
    block, rotation, seed, round_, block_key = numbers
    return Ticket(match.id, tuple(sorted(seats)), block, rotation, seats, seed, round_, block_key)
