"""A league on a PostgreSQL server is verified and exported as one in a file is."""

from __future__ import annotations

import re
from pathlib import Path

from tests.arena.conftest import Run
from tests.arena.verification.evidence import disagreements, export, fill_database, verify
from tests.arena.verification.test_verify import NAMED
from tests.postgres import Server

EDITS = {
    "seat.score": "score + 1",
    "match.finished": "finished + interval '1 second'",
    "submission.content": "'\\x00'",
    "match.replay": "'\\x00'",
}
"""A column of each type, and what an edited row has in it."""


def test_an_edited_value_is_found_and_named_on_a_server_too(tmp_path: Path, postgres: Server) -> None:
    place = postgres.new_database()
    summaries = fill_database(tmp_path, place)
    verdicts, general = verify(place)
    assert (general, [each.disagreements for each in verdicts]) == ([], [[], []])
    assert [each.results for each in verdicts] == [each.results_digest for each in summaries]
    database = "test" + place.rpartition("/test")[2].partition("?")[0]
    for column, value in EDITS.items():
        table, name = column.split(".")
        where = f'ctid = (SELECT max(ctid) FROM "{table}" WHERE "{name}" IS NOT NULL)'  # noqa: S608  # our own tables
        postgres.execute(f'UPDATE "{table}" SET "{name}" = {value} WHERE {where}', database)  # noqa: S608
        told = disagreements(place)
        assert any(re.search(NAMED[column], each) for each in told), (column, told)


def test_it_is_verified_and_exported_by_its_address_and_gives_the_bundle_of_a_file(tmp_path: Path, postgres: Server, run: Run) -> None:
    place = postgres.new_database()
    fill_database(tmp_path, place)
    done = run("verify", place, "--tournament", "cup")
    assert (done.returncode, done.stderr) == (0, "")
    assert "cup: 6 of 6 matches" in done.stdout
    done = run("export", "--db", place, "--tournament", "cup", "--bundle", "cup.arena")
    assert (done.returncode, done.stderr) == (0, "")
    fill_database(tmp_path, tmp_path / "league.db")
    export(tmp_path / "league.db", tmp_path / "file.arena", "cup")
    told = [run("verify", name) for name in ("cup.arena", "file.arena")]  # seals have times
    assert [each.returncode for each in told] == [0, 0]
    lines = [[line for line in each.stdout.splitlines() if not line.startswith(("seal ", "content "))] for each in told]
    assert lines[0] == lines[1]
