"""Whatever is edited in a database, a verification finds it and names it; and it finds nothing where nothing was edited."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sqlite3
import zlib
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from arena.run.runner import Summary
from tests.arena.conftest import Run
from tests.arena.verification.evidence import disagreements, export, fill_database, verify
from tests.postgres import Server

COVERED_BY_SEAL = r"tournament (cup|half): (matches|standings|void matches|name, dates, versions, submissions) .*seal \d.*: stored 'sha256:"

NAMED = {
    "bot.id": r"bot_version\.bot_id: stored \d+, found no such bot",
    "bot.name": r"entrants: stored \[.*\], found \[.*\]",
    "person.id": r"submission\.author: stored 'person-.*', found no such person",
    "bot_version.id": r"(entrant|seat|submission)\.bot_version_id: stored \d+, found no such bot_version",
    "bot_version.bot_id": r"bot of the submission|entrants:",
    "bot_version.digest": r"digest of the (bots|submission)",
    "tournament.id": r"match\.tournament_id: stored \d+, found no such tournament",
    "tournament.name": r"tournament \S+: name: stored '.*', found '(cup|half)'",
    "tournament.game": r"tournament (cup|half): game: stored '.*', found '(tongiaki|sunda)'",
    "tournament.seed": r"tournament (cup|half): seed: stored \d+, found \d+",
    "tournament.spec": r"tournament (cup|half): (spec|digest of the spec): stored",
    "tournament.rated": r"tournament (cup|half): number of rated matches: stored \d+, found \d+",
    "tournament.total": r"tournament (cup|half): number of matches: stored \d+, found \d+",
    "entrant.tournament_id": r"tournament (cup|half): entrants: stored|entrant\.tournament_id: stored",
    "entrant.bot_version_id": r"tournament (cup|half): (entrants|digest of the bots): stored",
    "entrant.joined": r"tournament (cup|half): round before which \w+ joined: stored 1, found 0",
    "match.id": r"match \w+: id: stored '\w+', found no match of the tournament's schedule has this id",
    "match.tournament_id": r"match\.tournament_id: stored \d+, found no such tournament|digest of the results",
    "match.players": r"match \w+: number of players: stored 3, found 2",
    "match.round": r"match \w+: round: stored 1, found 0",
    "match.block": r"match \w+: block: stored 1, found 0",
    "match.rotation": r"match \w+: rotation: stored \d, found \d",
    "match.seed": r"match \w+: seed: stored \d+, found \d+",
    "match.end": r"match \w+: end: stored '.*', found '.*'",
    "match.decisions": r"match \w+: number of decisions: stored \d+, found \d+",
    "match.digest": r"match \w+: digest of the replay: stored '.*', found '\w{64}'",
    "match.replay": r"match \w+: replay: stored .*, found it is damaged",
    "seat.match_id": r"seat\.match_id: stored '.*', found no such match",
    "seat.seat": r"match \w+: numbers of the seats: stored \[.*\], found \[0, 1\]",
    "seat.bot_version_id": r"match \w+: seat \d's (bot|version): stored",
    "seat.score": r"match \w+: score of seat \d: stored -?\d+, found -?\d+",
    "seat.rank": r"match \w+: rank of seat \d: stored \d, found \d",
    "seat.fault": r"match \w+: fault of seat \d: stored '.*', found ('crash'|None)",
    "seat.fault_index": r"match \w+: decision of the fault of seat \d: stored \d+, found (\d+|None)",
    "seat.decisions": r"match \w+: decisions of seat \d: stored \d+, found \d+",
    "seat_log.match_id": r"seat_log\.match_id: stored '.*', found no such match",
    "void.match_id": r"void match \w+: stored '\w+', found no match of the tournament's schedule has this id",
    "void.tournament_id": r"void\.tournament_id: stored \d+, found no such tournament|void match",
    "void.seats": r"seats of the void match \w+: stored '.*', found '(random, greedy|greedy, random)'",
    "submission.bot_version_id": r"(digest|bot) of the submission|submission\.bot_version_id",
    "submission.name": r"bot of the submission walker@\d: stored|number of the submission",
    "submission.number": r"number of the submission walker@\d+: stored \d+, found \d",
    "submission.content": r"content of the submission walker@\d: stored .*, found it is damaged",
    "content.bot_version_id": r"digest of the bot \w+: stored|content\.bot_version_id: stored",
    "content.content": r"content of the bot failing: stored .*, found it is damaged",
    "standing.tournament_id": r"standing\.tournament_id: stored|standing of \w+: stored None",
    "standing.bot_version_id": r"standing\.bot_version_id: stored|bot of a standing",
    **{
        f"standing.{key}": rf"tournament (cup|half): {key} in the standing of \w+: stored \S+, found \S+"
        for key in ("matches", "mu", "sigma", "wins", "places", "points", "faults", "decisions")
    },
    "seal_link.tournament_id": r"seal_link\.tournament_id: stored|tournament of seal|number of seal|seals: stored None",
    "seal_link.number": r"number of seal \d+: stored \d+, found \d+",
    "seal_link.digest": r"digest of seal \d: stored 'sha256:.*', found 'sha256:",
    "seal_link.body": r"seal \d: stored .*, found it can't be read|digest of seal \d: stored",
    "seal_link.signature": r"signature of seal",
    "match.link": r"number of matches that seal \d covers: stored 6, found 5|seal \d covers",
    "match.block_key": r"match \w+: key of the block: stored \d+, found \d+",
    "tournament.commitment": r"commitment|secret",
    "tournament.secret": r"secret",
    "tournament.public_value": r"public value|secret",
    "void.link": r"seal",
    **dict.fromkeys(
        (
            "bot_version.origin",
            "bot_version.created",
            "tournament.created",
            "match.seconds",
            "match.isolation",
            "match.finished",
            "seat.fault_detail",
            "seat.seconds",
            "seat.cpu_seconds",
            "seat.charged_seconds",
            "seat.peak_memory",
            "seat_log.seat",
            "seat_log.kept",
            "void.reason",
            "void.happened",
            "standing.seconds",
            "submission.sent",
        ),
        COVERED_BY_SEAL,
    ),
    "submission.author": r"author of the submission walker@\d|name, dates, versions, submissions",
}
"""How an edit of each column is told."""


@pytest.fixture
def database(league: tuple[Path, list[Summary]], tmp_path: Path) -> Path:
    """A copy that a test may edit."""
    return Path(shutil.copy(league[0], tmp_path / "league.db"))


def edit(path: Path, statement: str, *values: object) -> int:
    """Change the database behind the program's back; gives the number of rows changed."""
    with closing(sqlite3.connect(path)) as connection, connection:
        return connection.execute(statement, values).rowcount


def read(path: Path, query: str, *values: object) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query, values).fetchall()


def edit_replays(path: Path, *changes: dict[str, object]) -> list[str]:
    """Change what these replays of the first matches say, and their digests; return the matches' ids."""
    rows = read(path, "SELECT id, replay FROM match ORDER BY id LIMIT ?", len(changes))
    for (match, packed), change in zip(rows, changes, strict=True):
        text = json.dumps(json.loads(zlib.decompress(packed)) | change, separators=(",", ":"), ensure_ascii=False)
        values = zlib.compress(text.encode()), hashlib.sha256(text.encode()).hexdigest(), match
        edit(path, "UPDATE match SET replay = ?, digest = ? WHERE id = ?", *values)
    return [match for match, _ in rows]


def test_a_score_changed_everywhere_is_found_by_playing_the_match_again(database: Path) -> None:
    [(_, packed)] = read(database, "SELECT id, replay FROM match ORDER BY id LIMIT 1")
    score, *others = json.loads(zlib.decompress(packed))["scores"]
    [match] = edit_replays(database, {"scores": [score + 1, *others]})
    edit(database, "UPDATE seat SET score = score + 1 WHERE seat = 0 AND match_id = ?", match)
    told = disagreements(database)
    assert f"match {match}: score of seat 0: stored {score + 1}, found {score}" in told
    assert f"match {match}: replay's score of seat 0: stored {score + 1}, found {score}" in told


def test_a_replay_of_other_rules_is_told_as_such_and_is_no_disagreement(database: Path) -> None:
    edit_replays(database, {"rules_version": 77})
    verdicts, general = verify(database)
    told = [str(each) for verdict in verdicts for each in verdict.disagreements]
    assert all("digest of the results" in each or "seal 2" in each or "ratings" in each for each in told), told  # but none of the match
    assert [verdict.other_rules for verdict in verdicts if verdict.other_rules] == [{77: 1}]
    assert general == []


def test_a_hostile_spec_ends_soon(database: Path) -> None:
    [(spec,)] = read(database, "SELECT spec FROM tournament WHERE name = 'cup'")
    endless = str(spec).replace('"blocks":1', '"blocks":100000000')
    assert endless != spec
    edit(database, "UPDATE tournament SET spec = ? WHERE name = 'cup'", endless)
    edit(database, "DELETE FROM match WHERE tournament_id = 2")
    told = disagreements(database)
    assert any("number of matches: stored 6, found 600000000" in each for each in told)


ANYTHING: tuple[dict[str, object], ...] = (
    {"players": 3, "names": ["a", "b", "c"], "scores": [1, 2, 3], "ranks": [3, 2, 1]},
    {"rules_version": 9, "decisions": [[5, "place 1", 2]]},
    {"rules_version": 9, "scores": [1], "ranks": [1]},
    {"rules_version": 9, "forfeits": [[7, 0, "crash"]]},
    {"game": "chess"},
    {"options": {"level": [10**40]}},
    {"seed": 10**4000},
    {"decisions": []},
    {"forfeits": [[0, 10**30, "crash"]]},
    {"format": "another/1"},
)


@pytest.mark.parametrize("changes", [ANYTHING[:5], ANYTHING[5:]], ids=["first", "second"])
def test_replays_with_anything_in_them_are_told_and_break_nothing(database: Path, changes: Sequence[dict[str, object]]) -> None:
    matches = edit_replays(database, *changes)
    told = disagreements(database)
    assert any("digest of the results" in each for each in told)
    for match, change in zip(matches, changes, strict=True):
        assert "rules_version" in change or any(each.startswith(f"match {match}: ") for each in told), change


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
