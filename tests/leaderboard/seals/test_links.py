"""What digests cover, and how links of a chain of seals are written."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from msgspec.structs import fields, replace

from leaderboard.records import (
    EntrantRecord,
    MatchRecord,
    SeatRecord,
    StandingRecord,
    TournamentRecord,
    VoidRecord,
)
from leaderboard.seal_format import (
    Body,
    LinkError,
    Results,
    digest_of,
    encode,
    entry_of,
    match_digest,
    plain,
    read_body,
    row_digest,
    set_digest,
    standings_digest,
    text_digest,
    voids_digest,
)

SEAT = SeatRecord(seat=0, bot="a", version="1", score=7, rank=1, fault="crash", fault_index=3, decisions=9)

MATCH = MatchRecord(
    id="m", players=2, round=0, block=1, rotation=0, seed=5, block_key=6, end="idle", decisions=20, digest="d", isolation="none",
    replay=None, seats=(SEAT,), link=1, unpublished="u",
)  # fmt: skip

STANDING = StandingRecord(
    bot="a", version="1", matches=2, mu=25.0, sigma=8.0, wins=1, places="[1]", points="7", faults=0, decisions=9, unpublished="u"
)  # fmt: skip

VOID = VoidRecord(match="m", seats="[]", unpublished="u")

NOT_SEALED = {"replay", "link", "seats"}
"""The replay is represented by its digest; which link covers a match is what the links say; seats are tried one field at a time."""


@pytest.mark.parametrize("field", [each.name for each in fields(MatchRecord) if each.name not in NOT_SEALED])
def test_every_field_of_a_match_is_in_its_digest(field: str) -> None:
    assert match_digest(replace(MATCH, **{field: "another"})) != match_digest(MATCH)


@pytest.mark.parametrize("field", [each.name for each in fields(SeatRecord)])
def test_every_field_of_a_seat_is_in_the_digest_of_its_match(field: str) -> None:
    assert match_digest(replace(MATCH, seats=(replace(SEAT, **{field: "another"}),))) != match_digest(MATCH)


@pytest.mark.parametrize(
    ("digest", "row", "field"),
    [(digest, row, field.name) for digest, row in ((standings_digest, STANDING), (voids_digest, VOID)) for field in fields(row)],
)
def test_every_field_of_what_a_run_leaves_is_in_its_digest(digest: Any, row: Any, field: str) -> None:
    assert digest([replace(row, **{field: "another"})]) != digest([row])


ENTRANT = EntrantRecord(name="a", digest="d", joined=0, unpublished="u", number=1, author="Zoe", submitted="u2")

CUP = TournamentRecord(
    key=1, name="cup", game="tongiaki", seed="5", spec="s", total=2, rated=2, created="now", entrants=(ENTRANT, replace(ENTRANT, name="b"))
)


@pytest.mark.parametrize("field", ["name", "digest", "joined", "unpublished", "number", "author", "submitted"])
def test_every_field_of_an_entrant_is_in_the_digest_of_its_tournament(field: str) -> None:
    other = replace(CUP, entrants=(replace(ENTRANT, **{field: "another"}), CUP.entrants[1]))
    assert entry_of(other).tournament != entry_of(CUP).tournament


@pytest.mark.parametrize("field", ["name", "game", "seed", "created"])
def test_the_facts_of_a_tournament_are_in_its_digest(field: str) -> None:
    assert entry_of(replace(CUP, **{field: "another"})).tournament != entry_of(CUP).tournament


def test_an_entry_names_the_submissions_that_it_covers() -> None:
    own = replace(CUP, entrants=(*reversed(CUP.entrants), replace(ENTRANT, name="c", submitted=None)))
    assert entry_of(own).submitted == ("a", "b")
    assert entry_of(own, ["b", "c"]).submitted == ("b",)
    assert entry_of(own, []).tournament != entry_of(own).tournament
    damaged = replace(CUP, entrants=(ENTRANT, replace(ENTRANT, name=None)))
    assert len(entry_of(damaged).submitted) == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [(b"", "^it is not text$"), ("{", "truncated"), ("{}", "missing required field"), ('{"' + "x" * 300 + '":1}', "^.{200}$")],
)
def test_what_is_no_link_is_refused(text: object, said: str) -> None:
    with pytest.raises(LinkError, match=said):
        read_body(text)


def test_a_link_is_read_in_its_canonical_form_only() -> None:
    entry = entry_of(CUP)
    body = Body(
        tournament="cup", number=1, previous=None, time="now", matches=0, added=0, rows="", entry=entry, run=None, commitment=None,
        public_value=None, secret=None, key=None,
    )  # fmt: skip
    assert read_body(body.text) == body
    results = Results(final=False, total=0, rated=0, results="", ratings="", standings="", voids="", conclusion="")
    assert [replace(body, run=run).is_final for run in (None, results, replace(results, final=True))] == [False, False, True]
    with pytest.raises(LinkError, match=r"^it is not in the canonical form of a seal$"):
        read_body(body.text.replace(":", ": ", 1))


@pytest.fixture
def east(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine whose clock is five hours ahead of UTC."""
    monkeypatch.setenv("TZ", "EAST-5")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("east")
def test_a_time_is_in_utc_with_microseconds_whatever_the_machines_time_zone() -> None:
    moment = datetime(2031, 2, 3, 14, 5, 6, 7, tzinfo=timezone(timedelta(hours=2)))
    assert plain(moment) == plain(moment.astimezone(UTC)) == "2031-02-03 12:05:06.000007"
    assert plain(moment.replace(tzinfo=None)) == "2031-02-03 14:05:06.000007"


def test_the_digest_of_a_set_is_that_of_its_rows_in_any_order() -> None:
    assert set_digest([b"b", b"a"]) == set_digest([b"a", b"b"]) == text_digest(b"ab") == text_digest("ab")
    assert text_digest("").startswith("sha256:e3b0c442")
    assert text_digest(encode([1])) == f"sha256:{digest_of([1])}" == f"sha256:{row_digest([1]).hex()}"
    assert text_digest("\ud800") == text_digest(b"\xed\xa0\x80")
