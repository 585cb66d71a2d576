"""The chain of seals of a tournament: a link for each run and for each change of the entries. ``links`` has the format of a link."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from sqlalchemy import Connection
from sqlmodel import Session, col, func, select

from leaderboard.chunks import chunks
from leaderboard.errors import StoreError
from leaderboard.records.evidence import EntrantRecord, NumberedSeal, TournamentRecord
from leaderboard.records.stored import Entrant
from leaderboard.seals.encoding import set_digest, text_digest
from leaderboard.seals.links import (
    Body,
    LinkError,
    Results,
    entry_of,
    match_digest,
    newest,
    points_digest,
    read_body,
    standings_digest,
    voids_digest,
)
from leaderboard.seals.signing import HostKey
from leaderboard.storage.database import Database
from leaderboard.storage.raw_queries import (
    count_matches,
    count_uncovered,
    read_match_ids,
    read_matches,
    read_ratings,
    read_standings,
    read_tournaments,
    read_voids,
)
from leaderboard.storage.tables import Match, SealLink, Void

SPEC: Final = "spec"
BOTS: Final = "bots"
RESULTS: Final = "results"
RATINGS: Final = "ratings"


@dataclass(frozen=True, slots=True)
class RunEnd:
    """The outcome of a run: whether every match of the schedule was played, the digests, and the format's conclusion from the results."""

    is_final: bool
    results: str
    ratings: str
    conclusion: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """A stored link."""

    digest: str
    body: Body
    signature: str | None


def entry_digests(spec: str, entrants: Sequence[Entrant | EntrantRecord]) -> dict[str, str]:
    """Return the digests of the entries: the canonical spec, and the bots by name with content hash and the round they joined."""
    bots = [[each.name, each.digest, each.joined] for each in entrants]
    return {SPEC: text_digest(spec), BOTS: text_digest(json.dumps(bots, separators=(",", ":"), default=repr))}


class Seals(Database):
    """The seals in a database."""

    signer: HostKey | None = None
    """The key that signs new links, if there is one."""

    def add_link(self, session: Session, tournament: int, ended: RunEnd | None = None) -> str:
        """Add a link that covers everything stored of the tournament and the outcome of a run that has ended; return its digest."""
        key = None if self.signer is None else self.signer.public
        session.flush()
        body = _make_body(session.connection(), tournament, ended, key)
        signature = None if self.signer is None else self.signer.sign(body.text)
        digest = text_digest(body.text)
        session.add(SealLink(tournament_id=tournament, number=body.number, digest=digest, body=body.text, signature=signature))
        return digest

    def chain(self, tournament: int) -> tuple[Link, ...]:
        """Return the links of a tournament, oldest first. Raises StoreError if one can't be read."""
        with self.reading() as connection:
            [evidence] = read_tournaments(connection, tournament)
        try:
            return tuple(map(_link, evidence.links))
        except LinkError as error:
            raise StoreError(f"a seal in {self.name} can't be read: {error}; 'arena verify {self.name}' lists what is wrong") from None

    def newest_body(self, tournament: int) -> Body | None:
        """Return the content of the newest link, without comparing it with the stored data; None if there is no readable link."""
        query = select(SealLink.body).where(SealLink.tournament_id == tournament).order_by(col(SealLink.number).desc()).limit(1)
        with self.session() as session:
            text = session.exec(query).one_or_none()
        try:
            return None if text is None else read_body(text)
        except LinkError:
            return None

    def sealed(self, tournament: int) -> Link | None:
        """Return the newest link if a run made it and the stored data still agrees, else None. Matches are counted, not compared."""
        with self.reading() as connection:
            [evidence] = read_tournaments(connection, tournament)
            try:
                link = _link(evidence.links[-1]) if evidence.links else None
            except LinkError:
                return None
            if link is None or link.body.run is None or link.digest != text_digest(link.body.text):
                return None
            is_whole = not count_uncovered(connection, tournament, link.body.number)
            is_whole = is_whole and count_matches(connection, tournament) == link.body.matches
            return link if is_whole and _state(connection, evidence, link) == (link.body.entry, link.body.run) else None

    def check_entry(self, tournament: int) -> None:
        """Raise StoreError if spec, bots or secret differ from the newest link, so that no new link covers the change."""
        with self.reading(one_moment=True) as connection:  # other processes may enter bots at the same time
            [evidence] = read_tournaments(connection, tournament)
        try:
            body = _link(evidence.links[-1]).body if evidence.links else None
        except LinkError:
            body = None
        if not evidence.links:
            what = "its seals are gone"
        elif body is None:
            return
        elif entry_of(evidence, **_entry_digests(evidence), submitted=body.entry.submitted) != body.entry:
            what = "its spec, its bots or its orders are not those that were sealed"
        elif _committed(evidence) != (body.commitment, body.public_value):
            what = "its secret is not the one that was sealed"
        else:
            return
        raise StoreError(
            f"the tournament '{evidence.name}' in {self.name} was changed by something other than this program: {what}; "
            f"'arena verify {self.name}' says more"
        )

    def seals(self, tournament: int) -> dict[str, str]:
        """Return the digests of the last run, by kind; those of results and ratings only if it has ended."""
        chain = self.chain(tournament)
        if not chain:
            return {}
        entry, link = chain[-1].body.entry, self.sealed(tournament)
        run = None if link is None else link.body.run
        left = {} if run is None else {RESULTS: run.results, RATINGS: run.ratings}
        return {SPEC: entry.spec, BOTS: entry.bots} | left


def next_link(connection: Connection, tournament: int) -> int:
    """Return the number of the link that will cover the present state."""
    return 1 + (connection.scalar(select(func.max(SealLink.number)).where(SealLink.tournament_id == tournament)) or 0)


def _make_body(connection: Connection, tournament: int, ended: RunEnd | None, key: str | None) -> Body:
    [evidence] = read_tournaments(connection, tournament)
    last, previous = newest(evidence.links)
    ids = read_match_ids(connection, tournament, above=last)
    digests: list[bytes] = []
    for chunk in chunks(ids):
        digests += map(match_digest, read_matches(connection, tournament, chunk, with_replays=False).values())
    entry = entry_of(evidence, **_entry_digests(evidence))
    commitment, public_value = _committed(evidence)
    run = None if ended is None else _results(connection, evidence, ended)
    # if links were lost, what they covered is covered again
    highest = (select(func.max(table.link)).where(table.tournament_id == tournament) for table in (Match, Void))
    return Body(
        tournament=str(evidence.name),
        number=max(last + 1, *(connection.scalar(query) or 0 for query in highest)),
        previous=previous,
        time=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        matches=count_matches(connection, tournament),
        added=len(ids),
        rows=set_digest(digests),
        entry=entry,
        run=run,
        commitment=None if commitment is None else str(commitment),
        public_value=None if public_value is None else str(public_value),
        secret=str(evidence.secret.secret) if evidence.secret is not None and run is not None and run.final else None,
        key=key,
    )


def _committed(evidence: TournamentRecord) -> tuple[object, object]:
    """Return the commitment and the public value of a tournament."""
    return (None, None) if evidence.secret is None else (evidence.secret.commitment, evidence.secret.public_value)


def _results(connection: Connection, evidence: TournamentRecord, ended: RunEnd) -> Results:
    assert isinstance(evidence.total, int)
    assert isinstance(evidence.rated, int)
    return Results(
        final=ended.is_final,
        total=evidence.total,
        rated=evidence.rated,
        results=ended.results,
        ratings=ended.ratings,
        standings=standings_digest(read_standings(connection, evidence.key)),
        points=points_digest(read_ratings(connection, evidence.key)),
        voids=voids_digest(read_voids(connection, evidence.key)),
        conclusion=ended.conclusion,
    )


def _state(connection: Connection, evidence: TournamentRecord, link: Link) -> tuple[object, object]:
    """Return the entry and the run of a new link, taking the digests that the run printed from ``link``."""
    assert link.body.run is not None
    run = link.body.run
    entry = entry_of(evidence, **_entry_digests(evidence), submitted=link.body.entry.submitted)
    if type(evidence.total) is not int or type(evidence.rated) is not int:
        return entry, None
    return entry, _results(connection, evidence, RunEnd(run.final, run.results, run.ratings, run.conclusion))


def _entry_digests(evidence: TournamentRecord) -> dict[str, str]:
    return entry_digests(str(evidence.spec), evidence.entrants)


def _link(evidence: NumberedSeal) -> Link:
    return Link(str(evidence.digest), read_body(evidence.body), None if evidence.signature is None else str(evidence.signature))
