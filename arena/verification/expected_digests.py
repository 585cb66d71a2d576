"""Expected digests, published earlier: does the tournament still have them, or did it have them once and has only grown since?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from arena.verification.match_check import Checked, Findings, shown
from arena.verification.seal_check import Chain
from bots.loader.files import UnreadableFileError, read_file
from engine.core.errors import InputError
from engine.text import plain
from leaderboard.ratings.rating_fold import ratings_digest
from leaderboard.ratings.results_fold import Fold, Folded
from leaderboard.records.evidence import SealRecord
from leaderboard.seals.encoding import text_digest
from leaderboard.seals.links import Body, LinkError, read_body
from leaderboard.storage.seal_chain import RESULTS

SEAL: Final = "seal"
LARGEST_SEALS_FILE: Final = 64 << 20
"""Bytes; a seal takes about one KiB."""


@dataclass(frozen=True, slots=True)
class Expected:
    """An expected digest: that of a seal, or the ``results`` or ``ratings`` that a run printed; of any tournament unless one is named."""

    kind: str
    digest: str
    tournament: str | None = None


class SealsFileError(InputError):
    """A file of seals that can't be read; the message says where."""


def read_seals_file(path: Path) -> tuple[Expected, ...]:
    """Read the seals in a file that a run or ``arena export --seals`` wrote. Raises SealsFileError."""
    name = plain(str(path))
    try:
        lines = read_file(path, LARGEST_SEALS_FILE).splitlines()
    except UnreadableFileError as error:
        raise SealsFileError(f"the file of seals: {error}") from None
    if not lines:
        raise SealsFileError(f"{name} is empty, so it proves nothing; give the file of seals that 'arena run' keeps beside the database")
    seals = []
    for number, line in enumerate(lines, start=1):
        try:
            read = msgspec.json.decode(line, type=SealRecord)
            body = read_body(read.body)
        except (msgspec.MsgspecError, LinkError, UnicodeError, RecursionError) as error:
            raise SealsFileError(f"{name} is not a file of seals: line {number}: {' '.join(str(error).split())[:200]}") from None
        if text_digest(str(read.body)) != read.digest:
            raise SealsFileError(f"{name} is not a whole file of seals: line {number}: its digest is not that of its text")
        seals.append(Expected(SEAL, str(read.digest), body.tournament))
    return tuple(seals)


class ExpectationCheck:
    """Checks the digests expected of one tournament.

    For a digest of an earlier run's results or ratings, the matches that the run covered are folded again.
    """

    def __init__(self, expected: Sequence[Expected], chain: Chain, make_fold: Callable[[], Fold], findings: Findings) -> None:
        self._expected = [each for each in expected if each.tournament in {None, findings.tournament}]
        self._chain = chain
        self._findings = findings
        earlier = [body for each in self._expected if each.kind != SEAL for body in chain.with_digest(each.kind, each.digest)]
        self._folds = {body.number: make_fold() for body in earlier if body != chain.newest}

    def add(self, index: int, checked: Checked) -> None:
        """Add a match; ``index`` is its place among the stored ones, in the order of the schedule."""
        for number, fold in self._folds.items():
            covering = self._chain.covering(checked.link)
            fold.add(index, checked.entry if covering is not None and covering <= number else None)

    def settle(self, actual: Mapping[str, str], contents: Mapping[str, str]) -> list[str]:
        """Report what is not as expected, and return what is, as sentences; ``actual`` has the digests over all matches, by kind."""
        return [sentence for each in self._expected if (sentence := self._settle(each, actual, contents)) is not None]

    def _settle(self, expected: Expected, actual: Mapping[str, str], contents: Mapping[str, str]) -> str | None:
        kind, digest = expected.kind, expected.digest
        if kind == SEAL:
            return self._seal(digest)
        if actual[kind] == digest:
            return f"the digest of the {kind} is the one expected"
        runs = self._chain.with_digest(kind, digest)
        for body in runs:
            if body.number in self._folds and self._came_to(body, kind, contents) == digest:
                return f"the digest of the {kind} is that of seal {body.number}, whose {body.matches} matches are all there unchanged"
        if runs:
            advice = "if bots or matches were added since, that can't be computed again: expect the digest of the seal"
            self._findings.add(f"digest of the {kind} of seal {runs[-1].number}, as it was expected", digest, f"another one; {advice}")
        else:
            self._findings.add(f"digest of the {kind}, as it was expected", digest, shown(actual[kind]))
        return None

    def _came_to(self, body: Body, kind: str, contents: Mapping[str, str]) -> str:
        fold = self._folds[body.number]
        fold.close_gaps()
        folded: Folded = fold.take()
        return folded.results_digest if kind == RESULTS else ratings_digest(folded.table, dict(contents))

    def _seal(self, digest: str) -> str | None:
        body = self._chain.find(digest)
        if body is None:
            self._findings.add("seal, as it was expected", digest, "no such seal in the chain: it was cut, or made anew")
            return None
        if not self._chain.covered(body.number):
            self._findings.add("seal, as it was expected", digest, f"seal {body.number}, but not all matches that it covers, unchanged")
            return None
        return f"seal {body.number} is in the chain, and its {body.matches} matches are all there unchanged"
