"""The digests in a link depend on every field of what they cover."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import fields, replace

from leaderboard.seals.links import match_digest, points_digest, standings_digest, voids_digest
from leaderboard.storage.raw_rows import MatchEvidence, NumberedSeat, RatingRecord, StandingRecord, VoidRecord

SEAT = NumberedSeat(seat=0, bot="a", version="1", score=7, rank=1, fault="crash", fault_index=3, decisions=9)
MATCH = MatchEvidence(
    id="m", players=2, round=0, block=1, rotation=0, seed=5, block_key=6, end="idle", decisions=20, digest="d", isolation="none",
    link=1, replay=None, seats=(SEAT,), unpublished="u",
)  # fmt: skip
RATING = RatingRecord(bot="a", version="1", number=3, match="m", mu=25.0, sigma=8.0)
STANDING = StandingRecord(
    bot="a", version="1", matches=2, mu=25.0, sigma=8.0, wins=1, places="[1]", points="7", faults=0, decisions=9, unpublished="u"
)  # fmt: skip
VOID = VoidRecord(match="m", seats="[]", unpublished="u")
NOT_SEALED = {"replay", "link", "seats"}
"""The replay is represented by its digest; which link covers a match is what the links say; seats are tried one field at a time."""


@pytest.mark.parametrize("field", [each.name for each in fields(MatchEvidence) if each.name not in NOT_SEALED])
def test_every_field_of_a_match_is_in_its_digest(field: str) -> None:
    assert match_digest(replace(MATCH, **{field: "another"})) != match_digest(MATCH)


@pytest.mark.parametrize("field", [each.name for each in fields(NumberedSeat)])
def test_every_field_of_a_seat_is_in_the_digest_of_its_match(field: str) -> None:
    assert match_digest(replace(MATCH, seats=(replace(SEAT, **{field: "another"}),))) != match_digest(MATCH)


@pytest.mark.parametrize(
    ("digest", "row", "field"),
    [
        (digest, row, field.name)
        for digest, row in ((points_digest, RATING), (standings_digest, STANDING), (voids_digest, VOID))
        for field in fields(row)
        if field.name != "link"
    ],
)
def test_every_field_of_what_a_run_leaves_is_in_its_digest(digest: Any, row: Any, field: str) -> None:
    assert digest([replace(row, **{field: "another"})]) != digest([row])
