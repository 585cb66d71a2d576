"""Verifies the tournaments of an open database or bundle (``verify_store``).

Every replay is played again, every rating and seal is recomputed, and all disagreements are listed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from arena.formats.schedule import Schedule
from arena.play.executors.base import Executor
from arena.spec.spec import Spec, package_of
from arena.verification.matches import CheckedMatch, Disagreement, Findings, MatchCheck, read_content, shown
from arena.verification.schedule import ClaimedSchedule, ScheduleReplay, check_entry
from arena.verification.seal_check import Chain, ExpectationCheck, Expected
from bots.errors import BotError
from bots.loader.version import is_genuine
from leaderboard.ratings.fold import Fold, Folded, ratings_digest
from leaderboard.records import WAITING, StandingRecord, TournamentRecord, VoidRecord, chunks
from leaderboard.seal_format import RATINGS, RESULTS
from leaderboard.storage.database import Database
from leaderboard.storage.raw_queries import (
    inconsistencies,
    played_voids,
    read_contents,
    read_matches,
    read_standings,
    read_voids,
)

if TYPE_CHECKING:
    from arena.verification.bot_replay import BotsVerdict, Recall


@dataclass(slots=True)
class Verdict:
    """The outcome of verifying a tournament.

    - ``total``: the number of matches in the schedule, or 0 if it can't be known yet; ``stored``: how many of them are stored
    - ``decisions``: how many decisions were played again
    - ``other_rules``: the number of matches played under a rules version different from this program's, by version
    - ``other_package``: how the game's package differs from the one that was used in the run, or ""
    - ``differing``: the number of matches for which the installed package gives a different result; these are not disagreements
    - ``results``, ``ratings``: the recomputed digests
    - ``is_sealed``: whether the newest seal was made at the end of a run and covers everything, so that standings can be compared
    - ``is_final``: whether that run had stored every match of the schedule
    - ``seals``: the number of seals; ``seal``: the digest of the newest; ``unsealed``: the number of matches added after it
    - ``conclusion``: the recomputed sentence on how certain the places of a final are
    - ``confirmed``: a sentence for each expected digest that was found
    - ``is_derived``: whether ids, seeds and pairings were compared with the schedule
    - ``bots``: the result of asking the bots again, or None if they were not asked
    """

    tournament: str
    total: int = 0
    stored: int = 0
    decisions: int = 0
    other_rules: dict[int, int] = field(default_factory=dict)
    other_package: str = ""
    differing: int = 0
    results: str = ""
    ratings: str = ""
    is_sealed: bool = False
    is_final: bool = False
    seals: int = 0
    seal: str = ""
    unsealed: int = 0
    conclusion: str = ""
    is_derived: bool = True
    confirmed: list[str] = field(default_factory=list)
    bots: BotsVerdict | None = None
    disagreements: list[Disagreement] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Progress:
    """How many matches of a tournament are stored and have been checked, and how many disagreements were found so far."""

    tournament: str
    stored: int
    checked: int
    disagreements: int


@dataclass(frozen=True, slots=True)
class Terms:
    """The options of a verification.

    - ``expected``: digests that were published earlier
    - ``key``: the public key that all seals must be signed with
    - ``tolerance``: how much ratings may differ, for machines whose arithmetic rounds differently
    - ``is_interim``: whether the secret of an unfinished tournament may be missing
    - ``recall``: how to ask the bots for all their decisions again, or None if they are not asked
    """

    expected: Sequence[Expected] = ()
    key: str | None = None
    tolerance: float = 0.0
    is_interim: bool = False
    recall: Recall | None = None


def verify_tournament(
    store: Database,
    tournament: TournamentRecord,
    executor: Executor,
    terms: Terms | None = None,
    *,
    on_progress: Callable[[Progress], None] = lambda _progress: None,
) -> Verdict:
    """Verify a tournament. Raises StoreError and HostError, and MissingGameError if its game is not installed."""
    terms = terms or Terms()
    findings = Findings(str(tournament.name))
    verdict = Verdict(str(tournament.name), disagreements=findings.all)
    chain = Chain(tournament, findings, terms.key)
    entry = check_entry(tournament, findings, is_interim=terms.is_interim)
    if entry is None:
        return verdict
    spec, schedule, contents, verdict.is_derived = entry.spec, entry.schedule, entry.contents, entry.is_derived
    expecting = ExpectationCheck(terms.expected, chain, partial(Fold, contents, spec.rating.parameters), findings)
    verdict.other_package = _other_package(spec)
    again = None
    if terms.recall is not None:
        from arena.verification.bot_replay import find_bots_again  # noqa: PLC0415  # loads what plays bots

        again, verdict.bots = find_bots_again(store, entry, terms.recall)
    task = MatchCheck(
        spec.name, spec.game, spec.make_game().options, contents, bool(verdict.other_package), again if entry.is_derived else None
    )
    rated = entry.rated
    if entry.is_derived:
        schedule_replay: ScheduleReplay | ClaimedSchedule = ScheduleReplay(store, tournament)
    else:
        schedule_replay = ClaimedSchedule(store, tournament, contents)
    audit = _Audit(Fold(rated, spec.rating.parameters), schedule, verdict, chain, expecting)
    for answers in executor.work(task, schedule_replay.matches(schedule)):
        for checked in answers:
            audit.add(schedule_replay.settle(checked.match, None if checked.entry is None else checked.entry.ranks), checked)
        on_progress(Progress(spec.name, len(schedule_replay.ids), verdict.stored, len(findings.all)))
    _report_unknown(schedule_replay, store, tournament, findings)
    if isinstance(schedule_replay, ScheduleReplay):
        _check_voids(store.fetch(read_voids, tournament.key), schedule_replay, findings)
    verdict.total = schedule.total or (verdict.stored if schedule_replay.is_whole else 0)
    folded = audit.finish()
    verdict.results, verdict.ratings = folded.results_digest, ratings_digest(folded.table, rated)
    chain.finish(store)
    is_awaited = any(entrant.joined == WAITING for entrant in tournament.entrants)  # if so, more matches will follow
    is_complete = not is_awaited and (schedule_replay.is_whole if schedule.total is None else verdict.stored == schedule.total)
    _check_seals(verdict, chain, findings, is_complete=is_complete)
    if chain.newest is not None and chain.newest.run is not None and verdict.is_derived and schedule_replay.is_whole:
        verdict.conclusion = schedule.conclusion() if verdict.is_final else ""
        findings.compare("conclusion from the results", chain.newest.run.conclusion, verdict.conclusion)
    _check_total(tournament, schedule, verdict, findings, is_whole=schedule_replay.is_whole)
    if verdict.is_sealed:
        findings.compare("number of rated matches", tournament.rated, folded.matches)
        _check_standings(store.fetch(read_standings, tournament.key), rated, folded, terms.tolerance, findings)
    verdict.confirmed += expecting.settle({RESULTS: verdict.results, RATINGS: verdict.ratings}, contents)
    return verdict


def _other_package(spec: Spec) -> str:
    here = package_of(spec.game)
    played = spec.package
    if here == played:
        return ""
    old, new = ("this program" if each is None else str(each) for each in (played, here))
    return f"it was played with the game '{spec.game}' from {old}, and is verified with the game from {new}"


def _check_seals(verdict: Verdict, chain: Chain, findings: Findings, *, is_complete: bool) -> None:
    run = None if chain.newest is None else chain.newest.run
    verdict.seals, verdict.unsealed = len(chain.links), chain.uncovered if chain.links else 0
    verdict.seal = chain.links[-1].digest if chain.links else ""
    verdict.is_sealed = chain.is_sealed
    verdict.is_final = verdict.is_sealed and run is not None and run.final
    if verdict.is_sealed and run is not None:
        findings.compare("digest of the results", run.results, verdict.results)
        findings.compare("digest of the ratings", run.ratings, verdict.ratings)
    if is_complete and verdict.stored and not verdict.is_final:
        findings.add("final seal", None, "the tournament is complete but not sealed; 'arena run' with its file seals it")
    if verdict.is_final and not is_complete:
        findings.add("final seal", verdict.seal, "the tournament is not complete: scheduled matches are missing")


def _check_total(tournament: TournamentRecord, schedule: Schedule, verdict: Verdict, findings: Findings, *, is_whole: bool) -> None:
    """Check the stored number of matches, which must be 0 as long as it depends on future results."""
    is_awaited = any(entrant.joined == WAITING for entrant in tournament.entrants)  # a new bot makes the number unknown again
    may_be_unknown = schedule.total is None and (not is_whole or is_awaited or not verdict.is_sealed)
    if not may_be_unknown or tournament.total != 0:
        findings.compare("number of matches", tournament.total, verdict.total)


def _report_unknown(
    schedule_replay: ScheduleReplay | ClaimedSchedule, store: Database, tournament: TournamentRecord, findings: Findings
) -> None:
    unknown, missing = schedule_replay.unknown, schedule_replay.missing
    why = "no match of the tournament's schedule has this id"
    listed = unknown
    if schedule_replay.is_broken:
        why = "an earlier match is unusable, so its round can't be paired"
    elif missing is not None and len(unknown) > 1:
        findings.add(f"match of round {missing.round + 1}", None, f"'{missing.id}'; no later round can be paired without it")
        listed, why = unknown[:1], f"{why}; the same is true of {len(unknown) - 1} more, because an earlier match is missing"
    for match in listed:
        findings.all.append(Disagreement(findings.tournament, match, "id", shown(match), why))
    first: dict[object, int] = {}
    late = {entrant.name: entrant.joined for entrant in tournament.entrants if entrant.joined}
    for chunk in chunks(unknown) if late else ():
        for evidence in store.fetch(read_matches, tournament.key, chunk).values():
            for seat in evidence.seats:
                if seat.bot in late and isinstance(evidence.round, int):
                    first[seat.bot] = min(evidence.round, first.get(seat.bot, evidence.round))
    for bot, joined in late.items():
        if bot in first and (joined == WAITING or joined > first[bot]):
            findings.add(f"round before which {bot} joined", joined, f"at most {first[bot]}, since it plays in that round")


def _check_voids(stored: Sequence[VoidRecord], schedule_replay: ScheduleReplay, findings: Findings) -> None:
    for void in stored:
        ticket = schedule_replay.voids.get(void.match)
        if ticket is None:
            findings.add(f"void match {void.match}", void.match, "no match of the tournament's schedule has this id")
        else:
            findings.compare(f"seats of the void match {void.match}", void.seats, ", ".join(ticket.seats))


class _Audit:
    """Collects checked matches in any order, and computes the ratings in the order of the schedule."""

    def __init__(self, fold: Fold, schedule: Schedule, verdict: Verdict, chain: Chain, expecting: ExpectationCheck) -> None:
        self._fold = fold
        self._schedule = schedule
        self._verdict = verdict
        self._chain = chain
        self._expecting = expecting

    def add(self, index: int, checked: CheckedMatch) -> None:
        """Add a match; ``index`` is its position among the stored matches, in schedule order."""
        self._verdict.disagreements.extend(checked.disagreements)
        self._verdict.stored += 1
        self._verdict.decisions += 0 if checked.other_rules or checked.is_of_other_package else checked.decisions
        self._verdict.differing += checked.is_of_other_package
        if checked.other_rules is not None:
            self._verdict.other_rules[checked.other_rules] = self._verdict.other_rules.get(checked.other_rules, 0) + 1
        if self._verdict.bots is not None:
            self._verdict.bots.add(checked)
        self._chain.add(checked.link, checked.row)
        self._expecting.add(index, checked)
        entry = checked.entry
        self._fold.add(index, entry if entry is not None and self._schedule.counts(entry.bots) else None)

    def finish(self) -> Folded:
        """Return the totals and ratings computed from all matches."""
        self._fold.close_gaps()
        return self._fold.take()


def _check_standings(
    stored: Sequence[StandingRecord], contents: Mapping[str, str], folded: Folded, tolerance: float, findings: Findings
) -> None:
    left = {total.bot: total for total in folded.totals}
    for standing in stored:
        bot = standing.bot
        if not isinstance(bot, str) or bot not in contents or standing.version != contents[bot]:
            findings.add("bot of a standing", bot, "the tournament has no such bot in this version")
            continue
        recomputed = left.pop(bot, None)
        if recomputed is None:
            findings.add("bot of a standing", bot, "a second standing of this bot")
            continue
        for key in ("matches", "places", "points", "faults", "decisions"):
            findings.compare(f"{key} in the standing of {bot}", getattr(standing, key), getattr(recomputed, key))
        for key in ("mu", "sigma", "wins"):
            found, expected = getattr(standing, key), getattr(recomputed, key)
            if not isinstance(found, float) or not abs(found - expected) <= tolerance:
                findings.compare(f"{key} in the standing of {bot}", found, expected)
    for bot in left:
        findings.add(f"standing of {bot}", None, "a standing")


def _check_tables(store: Database) -> list[Disagreement]:
    """Check data outside tournaments: references, matches that are both played and void, and the bots' content and authors."""
    findings = Findings("")
    authors: dict[object, object] = {}
    with store.reading() as connection:
        for name, value, expected in inconsistencies(connection):
            findings.add(name, value, expected)
        findings.all.extend(Disagreement("", match, "void", "not playable", "a result") for match in played_voids(connection))
        for each in read_contents(connection):
            label = f"bot {each.bot}"
            if each.is_submitted:
                label = f"submission {each.bot}@{each.number}"
                findings.compare(f"bot of the {label}", each.owner, each.bot)
                findings.compare(f"author of the {label}", each.author, authors.setdefault(each.bot, each.author))
            _check_content(label, each.version, each.content, findings)
    return findings.all


def _check_content(label: str, digest: object, content: object, findings: Findings) -> None:
    try:
        version = read_content(content)
    except BotError as error:
        findings.add(f"content of the {label}", content, str(error))
        return
    findings.compare(f"digest of the {label}", digest, version.digest)
    if not is_genuine(version):
        findings.add(f"content of the {label}", version.digest, "content with a different hash")


def verify_store(
    store: Database,
    tournaments: Sequence[TournamentRecord],
    executor: Executor,
    terms: Terms | None = None,
    *,
    on_progress: Callable[[Progress], None] = lambda _progress: None,
) -> tuple[list[Verdict], list[Disagreement]]:
    """Return the verdict of each tournament, and the disagreements outside tournaments. Raises StoreError and HostError."""
    general = _check_tables(store)
    verdicts = [verify_tournament(store, each, executor, terms, on_progress=on_progress) for each in tournaments]
    return verdicts, general
