"""Verifying what is stored: every replay played again, every rating folded again, both digests taken again, and every disagreement listed.

It reads a source (a database, or a bundle that was exported) and changes nothing.
"""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from arena.executor import Executor
from arena.recheck import Checked, Disagreement, Findings, Recheck, Sought, shown
from arena.schedule import Schedule
from arena.sources import Source
from arena.spec import Spec, SpecError, make_spec
from arena.tournament import digest_line, new_fold, rated_result
from bots.loading import BotError, is_genuine
from bots.packing import unpack
from engine.core import EngineError
from engine.records import Ticket
from leaderboard.evidence import (
    RatingEvidence,
    TournamentEvidence,
    VoidEvidence,
    inflate,
)
from leaderboard.ratings import Rated, ratings_digest
from leaderboard.seals import BOTS, RATINGS, RESULTS, SPEC, entry_digests
from leaderboard.store import CHUNK

LEAST_WALK: Final = 1_000_000
"""Tickets of a schedule that are looked through at least; a schedule much longer than what is stored of it is not walked to its end."""
LARGEST_CONTENT: Final = 128 << 20
"""Bytes of a submitted bot as it is packed; what may be submitted has a quarter of that."""


@dataclass(slots=True)
class Verdict:
    """What came of verifying a tournament.

    ``stored`` of ``total`` matches were there, ``decisions`` were played again; ``other_rules`` counts matches by the version of the
    rules that they were played by, if it is not this program's. ``results`` and ``ratings`` are the digests as they were found.
    """

    tournament: str
    total: int = 0
    stored: int = 0
    decisions: int = 0
    other_rules: dict[int, int] = field(default_factory=dict)
    results: str = ""
    ratings: str = ""
    is_sealed: bool = False
    disagreements: list[Disagreement] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Progress:
    """How many of a tournament's stored matches have been checked, and the disagreements found so far."""

    tournament: str
    stored: int
    checked: int
    disagreements: int


def verify_tournament(
    source: Source,
    tournament: TournamentEvidence,
    executor: Executor,
    *,
    expected: Mapping[str, str] | None = None,
    tolerance: float = 0.0,
    on_progress: Callable[[Progress], None] = lambda _progress: None,
) -> Verdict:
    """Check everything of a tournament.

    ``expected`` has digests (``results``, ``ratings``) that a run printed, to be compared besides those stored. Ratings may differ by
    ``tolerance``, for machines whose arithmetic rounds otherwise. Raises StoreError and HostError.
    """
    findings = Findings(str(tournament.name))
    verdict = Verdict(str(tournament.name), disagreements=findings.all)
    seals = source.seals(tournament)
    verdict.is_sealed = RESULTS in seals or RATINGS in seals
    spec = _check_entry(tournament, seals, findings)
    if spec is None:
        return verdict
    verdict.total = len(Schedule(spec))
    contents = {entrant.name: entrant.digest for entrant in tournament.entrants}
    if set(contents) != {bot.name for bot in spec.bots}:
        return verdict  # which has been told; nothing can be said of who sat where
    task = Recheck(spec.name, spec.game, spec.make_game().options, contents)
    stored = StoredMatches(source, tournament, findings)
    audit = _Audit(spec, contents, findings, verdict)
    for answers in executor.work(task, stored.sought(spec)):
        for checked in answers:
            audit.add(stored.index.pop(checked.match), checked)
        on_progress(Progress(spec.name, len(stored.ids), verdict.stored, len(findings.all)))
    stored.tell_unknown()
    _check_voids(source.voids(tournament), stored.voids, findings)
    audit.finish(source.ratings(tournament), tolerance)
    for kind, found in ((RESULTS, verdict.results), (RATINGS, verdict.ratings)):
        if verdict.is_sealed:
            findings.compare(f"digest of the {kind}", seals.get(kind), found)
        if expected and kind in expected and expected[kind] != found:
            findings.add(f"digest of the {kind}, as it was expected", expected[kind], shown(found))
    return verdict


def _check_entry(tournament: TournamentEvidence, seals: Mapping[str, str], findings: Findings) -> Spec | None:
    """The spec, if it can be used: it is canonical, and agrees with the other columns, the entrants and the seals."""
    if seals:  # databases of before there were any have none
        for kind, found in entry_digests(str(tournament.spec), tournament.entrants).items():
            findings.compare("digest of the spec" if kind == SPEC else "digest of the bots", seals.get(kind), found)
        for kind in set(seals) - {SPEC, BOTS, RESULTS, RATINGS}:
            findings.add("kind of a digest", kind, "no such kind")
    try:
        spec = make_spec(json.loads(str(tournament.spec)), "the stored spec")
        total = len(Schedule(spec))
    except (ValueError, RecursionError, SpecError, EngineError) as error:
        findings.add("spec", tournament.spec, f"it can't be used: {error}")
        return None
    findings.compare("spec", tournament.spec, spec.canonical())
    findings.compare("name", tournament.name, spec.name)
    findings.compare("game", tournament.game, spec.game)
    findings.compare("seed", tournament.seed, spec.seed)
    findings.compare("number of matches", tournament.total, total)
    findings.compare("entrants", [entrant.name for entrant in tournament.entrants], sorted(bot.name for bot in spec.bots))
    for entrant, joined in zip(tournament.entrants, tournament.joined, strict=True):
        findings.compare(f"round before which {entrant.name} joined", joined, 0)
    return spec


class StoredMatches:
    """The stored matches of a tournament, taken from the source in the order of its schedule."""

    def __init__(self, source: Source, tournament: TournamentEvidence, findings: Findings) -> None:
        self._source = source
        self._tournament = tournament
        self._findings = findings
        self.ids: Final = frozenset(source.match_ids(tournament))
        self._left = set(self.ids)
        self._given = 0
        voids = source.voids(tournament)
        self._void_left = {void.match for void in voids}
        self.voids: Final[dict[str, Ticket]] = {}
        self.index: Final[dict[str, int]] = {}
        """Of matches handed out: the how manieth stored match of the schedule it is."""

    def sought(self, spec: Spec) -> Iterator[Sought]:
        """Each stored match with its ticket; the walk ends with the last of them."""
        chunk: list[Ticket] = []
        most = max(LEAST_WALK, 100 * len(self.ids))
        for number, ticket in enumerate(Schedule(spec)):
            if number == most or not (self._left or self._void_left):
                break
            if ticket.id in self._void_left:
                self._void_left.discard(ticket.id)
                self.voids[ticket.id] = ticket
            if ticket.id in self._left:
                self._left.discard(ticket.id)
                chunk.append(ticket)
                if len(chunk) == CHUNK:
                    yield from self._read(chunk)
                    chunk = []
        yield from self._read(chunk)

    def _read(self, chunk: list[Ticket]) -> Iterator[Sought]:
        found = self._source.matches(self._tournament, [ticket.id for ticket in chunk]) if chunk else {}
        for ticket in chunk:
            if ticket.id in found:  # what has gone since is told as a wrong digest
                self.index[ticket.id] = self._given
                self._given += 1
                yield Sought(ticket, found[ticket.id])

    def unknown(self) -> list[str]:
        """Once all are taken: stored matches that are none of the schedule's."""
        return sorted(self._left)

    def tell_unknown(self) -> None:
        """Disagree with those."""
        for match in self.unknown():
            self._findings.all.append(
                Disagreement(self._findings.tournament, match, "id", shown(match), "no match of the tournament's schedule has it")
            )


def _check_voids(stored: Sequence[VoidEvidence], tickets: Mapping[str, Ticket], findings: Findings) -> None:
    for void in stored:
        ticket = tickets.get(void.match)
        seats = ", ".join(ticket.seats) if ticket else None
        if seats is None:
            findings.add(f"void match {void.match}", void.match, "no match of the tournament's schedule has that id")
        else:
            findings.compare(f"seats of the void match {void.match}", void.seats, seats)


class _Audit:
    """Takes checked matches in any order, and folds them in the order of the schedule: into the digest of results, and into ratings."""

    def __init__(self, spec: Spec, contents: Mapping[str, str], findings: Findings, verdict: Verdict) -> None:
        self._contents = contents
        self._findings = findings
        self._verdict = verdict
        self._fold = new_fold(spec)
        self._digest = hashlib.sha256()
        self._waiting: dict[int, Checked] = {}
        self._next = 0
        self._ratings = {bot.name: _History() for bot in spec.bots}

    def add(self, index: int, checked: Checked) -> None:
        """One more match; ``index`` is its place among those stored, in the order of the schedule."""
        self._findings.all.extend(checked.disagreements)
        self._verdict.stored += 1
        self._verdict.decisions += 0 if checked.other_rules else checked.decisions
        if checked.other_rules is not None:
            self._verdict.other_rules[checked.other_rules] = self._verdict.other_rules.get(checked.other_rules, 0) + 1
        self._waiting[index] = checked
        while self._next in self._waiting:
            self._take(self._next, self._waiting.pop(self._next))
            self._next += 1

    def _take(self, index: int, checked: Checked) -> None:
        if checked.seats is None:
            self._fold.add(index, None)
            return
        self._digest.update(digest_line(checked.match, checked.seats, self._contents, checked.end, checked.digest))
        self._fold.add(index, rated_result(checked.match, checked.block, checked.seats))
        for rated in self._fold.take_fresh():
            self._ratings[rated.bot].add(rated)

    def finish(self, stored: Iterator[RatingEvidence], tolerance: float) -> None:
        """Take the digests, and compare the stored ratings: all must be there once the tournament is complete."""
        for index in sorted(self._waiting):
            self._take(index, self._waiting.pop(index))
        self._verdict.results = f"sha256:{self._digest.hexdigest()}"
        self._verdict.ratings = ratings_digest(self._fold.table, dict(self._contents))
        seen = dict.fromkeys(self._ratings, 0)
        for rating in stored:
            bot = str(rating.bot)
            if bot not in self._ratings or rating.version != self._contents[bot]:
                self._findings.add("bot of a rating", rating.bot, "no bot of the tournament in that version")
                continue
            seen[bot] += 1
            self._compare(rating, bot, seen[bot], tolerance)
        if self._verdict.stored == self._verdict.total:
            for bot, history in self._ratings.items():
                if seen[bot] < len(history.matches):
                    self._findings.compare(f"number of ratings of {bot}", seen[bot], len(history.matches))

    def _compare(self, rating: RatingEvidence, bot: str, number: int, tolerance: float) -> None:
        history = self._ratings[bot]
        if rating.number != number or number > len(history.matches):
            self._findings.add(
                f"number of a rating of {bot}", rating.number, str(number) if number <= len(history.matches) else "no such match"
            )
            return
        match = history.matches[number - 1]
        findings = Findings(self._findings.tournament, match)
        findings.compare(f"match of rating {number} of {bot}", rating.match, match)
        for name, said, found in (("mu", rating.mu, history.mu[number - 1]), ("sigma", rating.sigma, history.sigma[number - 1])):
            if not isinstance(said, float) or not abs(said - found) <= tolerance:
                findings.compare(f"{name} of {bot}", said, found)
        self._findings.all.extend(findings.all)


class _History:
    """A bot's ratings, match by match."""

    def __init__(self) -> None:
        self.matches: Final[list[str]] = []
        self.mu: Final = array("d")
        self.sigma: Final = array("d")

    def add(self, rated: Rated) -> None:
        """One more."""
        self.matches.append(rated.match)
        self.mu.append(rated.mu)
        self.sigma.append(rated.sigma)


def verify_submissions(source: Source) -> list[Disagreement]:
    """Whether the content of each submitted version is the one that its hash is of, and all versions of a bot are one author's."""
    findings = Findings("")
    authors: dict[object, object] = {}
    for each in source.submissions():
        label = f"submission {each.bot}@{each.number}"
        findings.compare(f"bot of the {label}", each.owner, each.bot)
        findings.compare(f"author of the {label}", each.author, authors.setdefault(each.bot, each.author))
        try:
            version = unpack(each.content.encode() if isinstance(each.content, str) else inflate(each.content, LARGEST_CONTENT))
        except (ValueError, BotError) as error:
            findings.add(f"content of the {label}", each.content, str(error))
            continue
        findings.compare(f"digest of the {label}", each.version, version.digest)
        if not is_genuine(version):
            findings.add(f"content of the {label}", version.digest, "content of another hash")
    return findings.all


def verify_source(
    source: Source,
    tournaments: Sequence[TournamentEvidence],
    executor: Executor,
    *,
    expected: Mapping[str, str] | None = None,
    tolerance: float = 0.0,
    on_progress: Callable[[Progress], None] = lambda _progress: None,
) -> tuple[list[Verdict], list[Disagreement]]:
    """The verdicts of these tournaments, and the disagreements that are of none of them. Raises StoreError and HostError."""
    general = [*source.problems(), *verify_submissions(source)]
    verdicts = [
        verify_tournament(source, each, executor, expected=expected, tolerance=tolerance, on_progress=on_progress) for each in tournaments
    ]
    return verdicts, general
