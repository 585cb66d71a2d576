"""Checks a chain of seals: each seal must continue the previous one, and the data that the seals cover must be unchanged.

``ExpectationCheck`` checks digests that were published earlier.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

from arena.verification.matches import CheckedMatch, Findings, shown
from bots.loader.files import UnreadableFileError, read_file
from engine.core.errors import InputError
from engine.text import plain
from leaderboard.ratings.fold import Fold, ratings_digest
from leaderboard.records import NumberedSeal, SecretRecord, TournamentRecord
from leaderboard.seal_format import (
    RESULTS,
    Body,
    Link,
    LinkError,
    entry_of,
    read_body,
    set_digest,
    standings_digest,
    text_digest,
    voids_digest,
)
from leaderboard.storage.database import Database
from leaderboard.storage.raw_queries import read_standings, read_voids
from leaderboard.storage.seal_chain import UNREADABLE, read_line, verify_signature

SEAL: Final = "seal"
LARGEST_SEALS_FILE: Final = 64 << 20
"""The maximum size of a seal file, in bytes; a seal takes about 1 KiB."""


@dataclass(frozen=True, slots=True)
class Expected:
    """An expected digest; ``kind`` is ``seal``, ``results`` or ``ratings``. Without a ``tournament``, it may belong to any tournament."""

    kind: str
    digest: str
    tournament: str | None = None


class Chain:
    """A tournament's chain of seals, compared with the matches as they are added.

    ``key`` is the public key that the seals must be signed with, if one is required.
    """

    def __init__(self, tournament: TournamentRecord, findings: Findings, key: str | None = None) -> None:
        self._tournament = tournament
        self._findings = findings
        self._rows: dict[int, list[bytes]] = defaultdict(list)
        self._covers: dict[int, int | None] = {}
        self.uncovered = 0
        """The number of matches, including void ones, that are not covered by any seal."""
        self.links: Final = tuple(read for each in tournament.links if (read := self._read(each)) is not None)
        self._check_order()
        self._check_end()
        if key is not None:
            self._check_key(key)
        if self.newest is not None:
            self._check_entry(self.newest)

    @property
    def newest(self) -> Body | None:
        """The body of the last readable seal."""
        return self.links[-1].body if self.links else None

    def _read(self, link: NumberedSeal) -> Link | None:
        label = f"seal {shown(link.number)}"
        try:
            body = read_body(link.body)
        except LinkError as error:
            self._findings.add(label, link.body, f"it can't be read: {error}")
            return None
        digest = text_digest(body.text)
        self._findings.compare(f"digest of {label}", link.digest, digest)
        self._findings.compare(f"number of {label}", link.number, body.number)
        self._findings.compare(f"tournament of {label}", body.tournament, self._tournament.name)
        self._check_secret(label, body)
        self._check_signature(label, link, body)
        return Link(digest, body, None if link.signature is None else str(link.signature))

    def _check_secret(self, label: str, body: Body) -> None:
        """Check that the seal has the commitment and the public value, and the secret only if the seal is final."""
        secret = self._tournament.secret or SecretRecord(None)
        self._findings.compare(f"commitment in {label}", body.commitment, secret.commitment)
        self._findings.compare(f"public value in {label}", body.public_value, secret.public_value)
        if body.is_final or body.secret is not None:
            self._findings.compare(f"secret in {label}", body.secret, secret.secret if body.is_final else None)

    def _check_signature(self, label: str, link: NumberedSeal, body: Body) -> None:
        if body.key is None:
            self._findings.compare(f"signature of {label}", link.signature, None)
        elif not isinstance(link.signature, str) or not verify_signature(body.key, body.text, link.signature):
            self._findings.add(f"signature of {label}", link.signature, f"not a signature with the seal's key {body.key}")

    def _check_key(self, key: str) -> None:
        """Check that the key, and no other, signed each run's seal and the last seal. A run's seal covers unsigned seals before it."""
        if not self.links:
            self._findings.add("key", None, f"no seal signed by {key}")
        for each in self.links:
            body = each.body
            if body.key != key and (body.key is not None or body.run is not None or each is self.links[-1]):
                self._findings.add(f"key of seal {body.number}", body.key, key if body.key else f"{key}: the seal is not signed")

    def _check_order(self) -> None:
        if self.links:
            first = self.links[0].body
            if first.number != 1 or first.previous is not None:
                self._findings.add("first seal", first.number, "seal 1, with no previous seal")
        for before, after in pairwise(self.links):
            label = f"seal {after.body.number}"
            self._findings.compare(f"number of {label}, given the previous seal", after.body.number, before.body.number + 1)
            self._findings.compare(f"seal previous to {label}", after.body.previous, before.digest)

    def _check_end(self) -> None:
        ended = None
        for body in (each.body for each in self.links):
            if ended is not None:
                self._findings.compare(f"number of matches in seal {body.number}, after the secret was published", body.matches, ended)
            elif body.secret is not None:
                ended = body.matches

    def _check_entry(self, body: Body) -> None:
        """Check that the spec, bots and orders match the newest seal, since every change to them adds a seal."""
        label = f"seal {body.number}"
        actual = entry_of(self._tournament, body.entry.submitted)
        self._findings.compare("digest of the spec", body.entry.spec, actual.spec)
        self._findings.compare("digest of the bots", body.entry.bots, actual.bots)
        self._findings.compare("digest of the orders", body.entry.orders, actual.orders)
        self._findings.compare(f"name, dates, versions, submissions (covered by {label})", body.entry.tournament, actual.tournament)
        self._findings.compare(f"submitted bots of {label}", body.entry.submitted, actual.submitted)

    def add(self, link: object, row: bytes) -> None:
        """Add a stored match: ``link`` is the number of the first seal that should cover it, and ``row`` is its digest."""
        covering = self.covering(link)
        if covering is None:
            self.uncovered += 1
        else:
            self._rows[covering].append(row)

    def covering(self, link: object) -> int | None:
        """Return the number of the first seal whose number is at least ``link``, or None."""
        if type(link) is not int:
            return None
        if link not in self._covers:
            self._covers[link] = next((each.body.number for each in self.links if each.body.number >= link), None)
        return self._covers[link]

    def finish(self, store: Database) -> None:
        """Compare all matches with the seals, and the state of the tournament with the newest seal."""
        if store.content and self.newest is not None:  # a database may have submissions that are newer than the seal
            submitted = sorted(each.name for each in self._tournament.entrants if each.submitted is not None)
            self._findings.compare("submitted bots", submitted, sorted(self.newest.entry.submitted))
        self.uncovered += sum(self.covering(void.link) is None for void in store.fetch(read_voids, self._tournament.key))
        if self._tournament.links and not self.links:
            return  # reported when they were read
        stored = 0
        for each in self.links:
            number, rows = each.body.number, self._rows[each.body.number]
            stored += len(rows)
            self._findings.compare(f"number of matches that seal {number} covers", each.body.added, len(rows))
            self._findings.compare(f"matches that seal {number} covers", each.body.rows, set_digest(rows))
            self._findings.compare(f"number of matches up to seal {number}", each.body.matches, stored)
        if self.is_sealed:
            self._compare_run(store)

    @property
    def is_sealed(self) -> bool:
        """Whether the newest seal was made at the end of a run and covers everything."""
        return self.newest is not None and self.newest.run is not None and not self.uncovered

    def _compare_run(self, store: Database) -> None:
        assert self.newest is not None
        assert self.newest.run is not None
        run, label, key = self.newest.run, f"seal {self.newest.number}", self._tournament.key
        self._findings.compare(f"number of matches in {label}", run.total, self._tournament.total)
        self._findings.compare(f"number of rated matches in {label}", run.rated, self._tournament.rated)
        self._findings.compare(f"standings in {label}", run.standings, standings_digest(store.fetch(read_standings, key)))
        self._findings.compare(f"void matches in {label}", run.voids, voids_digest(store.fetch(read_voids, key)))

    def covered(self, number: int) -> bool:
        """Return whether all matches covered by the seals up to this number are present and unchanged."""
        return all(set_digest(self._rows[each.body.number]) == each.body.rows for each in self.links if each.body.number <= number)

    def find(self, digest: str) -> Body | None:
        """Return the body of the seal with that digest, or None."""
        return next((each.body for each in self.links if each.digest == digest), None)

    def with_digest(self, kind: str, digest: str) -> Sequence[Body]:
        """Return the bodies of the seals whose run has this digest; ``kind`` says of what: ``results`` or ``ratings``."""
        return [each.body for each in self.links if each.body.run is not None and getattr(each.body.run, kind) == digest]


class ExpectationCheck:
    """Checks the digests expected of one tournament.

    The results or ratings of an earlier run are recomputed from the matches that the run's seal covers.
    """

    def __init__(self, expected: Sequence[Expected], chain: Chain, make_fold: Callable[[], Fold], findings: Findings) -> None:
        self._expected = [each for each in expected if each.tournament in {None, findings.tournament}]
        self._chain = chain
        self._findings = findings
        earlier = [body for each in self._expected if each.kind != SEAL for body in chain.with_digest(each.kind, each.digest)]
        self._folds = {body.number: make_fold() for body in earlier if body != chain.newest}

    def add(self, index: int, checked: CheckedMatch) -> None:
        """Add a match; ``index`` is its position among the stored matches, in schedule order."""
        for number, fold in self._folds.items():
            covering = self._chain.covering(checked.link)
            fold.add(index, checked.entry if covering is not None and covering <= number else None)

    def settle(self, actual: Mapping[str, str], contents: Mapping[str, str]) -> list[str]:
        """Report each expected digest that is missing; return a sentence for each found. ``actual`` has the current digests, by kind."""
        return [sentence for each in self._expected if (sentence := self._settle(each, actual, contents)) is not None]

    def _settle(self, expected: Expected, actual: Mapping[str, str], contents: Mapping[str, str]) -> str | None:
        kind, digest = expected.kind, expected.digest
        if kind == SEAL:
            return self._seal(digest)
        if actual[kind] == digest:
            return f"the digest of the {kind} is the expected one"
        runs = self._chain.with_digest(kind, digest)
        for body in runs:
            if body.number in self._folds and self._came_to(body, kind, contents) == digest:
                return f"the digest of the {kind} is in seal {body.number}; the {body.matches} matches it covers are stored and unchanged"
        if runs:
            advice = "if bots or matches have been added since, this digest can't be recomputed; give the digest of the seal instead"
            self._findings.add(f"expected digest of the {kind} of seal {runs[-1].number}", digest, f"a different digest; {advice}")
        else:
            self._findings.add(f"expected digest of the {kind}", digest, shown(actual[kind]))
        return None

    def _came_to(self, body: Body, kind: str, contents: Mapping[str, str]) -> str:
        fold = self._folds[body.number]
        fold.close_gaps()
        folded = fold.take()
        return folded.results_digest if kind == RESULTS else ratings_digest(folded.table, dict(contents))

    def _seal(self, digest: str) -> str | None:
        body = self._chain.find(digest)
        if body is None:
            self._findings.add("expected seal", digest, "no such seal in the chain: the chain was cut or replaced")
            return None
        if not self._chain.covered(body.number):
            self._findings.add("expected seal", digest, f"seal {body.number}, but matches that it covers were changed or removed")
            return None
        return f"seal {body.number} is in the chain; the {body.matches} matches it covers are stored and unchanged"


def read_seals_file(path: Path) -> tuple[Expected, ...]:
    """Return the seals in a seal file, written by a run or ``arena export --seals``. Raises InputError."""
    name = plain(str(path))
    try:
        lines = read_file(path, LARGEST_SEALS_FILE).splitlines()
    except UnreadableFileError as error:
        raise InputError(f"the seal file: {error}") from None
    if not lines:
        raise InputError(f"{name} is empty, so it proves nothing; give the seal file that 'arena run' writes next to the database")
    seals = []
    for number, line in enumerate(lines, start=1):
        try:
            seal, body = read_line(line)
        except UNREADABLE as error:
            raise InputError(f"{name} is not a seal file: line {number} can't be read ({' '.join(str(error).split())[:200]})") from None
        if text_digest(str(seal.body)) != seal.digest:
            raise InputError(f"{name} is a damaged seal file: in line {number}, the digest does not match the text")
        seals.append(Expected(SEAL, str(seal.digest), body.tournament))
    return tuple(seals)
