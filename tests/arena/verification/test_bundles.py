"""A bundle holds all that a verification needs, and nothing private; what is edited in it is found."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from arena.run.runner import Summary
from arena.verification.exporter import UnfitError
from leaderboard.errors import StoreError
from leaderboard.storage.bundles import bundle_schema, empty_columns
from leaderboard.storage.store import Store
from tests.arena.verification.evidence import ANN, edits, export, full_database, update, verify_one
from tests.arena.verification.test_verify import edit, read
from tests.world import tournament_of

CONTENTS = {"content.bot_version_id", "content.content", "submission.content"}
"""A bundle may have contents of bots or not; those that it has are checked against hashes."""
COLUMNS = [f"{table.name}.{column.name}" for table in bundle_schema().sorted_tables for column in table.columns]
TOURNAMENTS = ("cup", "half", "hidden", "steered")


@pytest.fixture(scope="module")
def database(league: tuple[Path, list[Summary]]) -> Path:
    return league[0]


@pytest.fixture(scope="module")
def bundles(league: tuple[Path, list[Summary]], tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A bundle of each tournament of a database with a row in every table."""
    folder = tmp_path_factory.mktemp("bundles")
    path = full_database(league[0], folder)
    for name in TOURNAMENTS:
        export(path, folder / f"{name}.arena", name, with_bots=True)
    return [folder / f"{name}.arena" for name in TOURNAMENTS]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["cup", "half"])
@pytest.mark.parametrize("with_bots", [False, True])
def test_a_bundle_is_verified_without_database_and_bots(database: Path, tmp_path: Path, name: str, with_bots: bool) -> None:
    content = export(database, tmp_path / "cup.arena", name, with_bots=with_bots)
    verdict, told = verify_one(tmp_path / "cup.arena")
    assert told == []
    with Store.read(database) as store:
        tournament = tournament_of(store, name)
        assert (verdict.stored, verdict.total) == (store.count_matches(tournament), tournament.total)
    with Store.read_to_verify(tmp_path / "cup.arena") as store:
        assert store.content == content
    assert [each.name for each in tmp_path.iterdir()] == ["cup.arena"]


def test_a_bundle_has_one_tournament_without_anything_private(bundles: list[Path], database: Path, tmp_path: Path) -> None:
    for path in bundles:
        assert [name for (name,) in read(path, "SELECT name FROM tournament")] == [path.stem]
        for table in bundle_schema().sorted_tables:
            for column in empty_columns(table.name):
                assert read(path, f'SELECT count("{column}") FROM "{table.name}"') == [(0,)]  # noqa: S608  # our own names
        texts = path.read_bytes()
        assert not any(word.encode() in texts for word in (str(database.parent), "to move", "no more", "RuntimeError", "'ann'"))
    cup = bundles[0]
    assert read(cup, "SELECT name, number, author FROM submission") == [("walker", 2, ANN)]
    assert read(cup, "SELECT count(*), count(s.content) FROM submission s") == [(1, 1)]
    query = "SELECT b.name FROM content c JOIN bot_version v ON v.id = c.bot_version_id JOIN bot b ON b.id = v.bot_id"
    assert read(cup, query) == [("failing",)]
    export(database, tmp_path / "cup.arena", "cup")
    assert read(tmp_path / "cup.arena", "SELECT count(s.content), (SELECT count(*) FROM content) FROM submission s") == [(0, 0)]


def found_in(path: Path) -> list[str]:
    """What a verification finds, or the sentence with which it refuses the bundle."""
    try:
        verdict, told = verify_one(path)
        return told if verdict.is_sealed else [*told, "not sealed"]
    except StoreError as error:
        return [str(error)]


def test_nothing_is_found_where_nothing_was_edited(bundles: list[Path]) -> None:
    assert [found_in(path) for path in bundles] == [[]] * len(bundles)
    rows = {each.name: sum(len(read(path, f'SELECT 1 FROM "{each.name}"')) for path in bundles) for each in bundle_schema().sorted_tables}  # noqa: S608
    assert all(rows.values()), rows


@pytest.mark.sampled(12)
@pytest.mark.parametrize("column", [each for each in COLUMNS if each not in CONTENTS])
def test_an_edit_is_found(bundles: list[Path], tmp_path: Path, column: str) -> None:
    table, _, name = column.partition(".")
    tried = 0
    for bundle in bundles:
        rows = read(bundle, f'SELECT rowid, "{name}" FROM "{table}" ORDER BY rowid')  # noqa: S608  # our own names
        for row, value in rows[:: max(1, len(rows) - 1)]:
            for edited in islice(edits(value), 1 if tried > 8 else None):
                copy = Path(shutil.copy(bundle, tmp_path / "copy.arena"))
                if update(copy, table, name, row, value, edited):
                    tried += 1
                    assert found_in(copy), (column, row, value, edited)
    assert tried


def added(bundle: Path, table: str) -> Iterator[list[object]]:
    """Copies of the table's last row, for each column of its key with other values in that and in what may not come twice."""
    columns = bundle_schema().tables[table].columns
    [last] = read(bundle, f'SELECT * FROM "{table}" ORDER BY rowid DESC LIMIT 1')  # noqa: S608  # our own names
    versions = [version for (version,) in read(bundle, "SELECT id FROM bot_version")]
    unique = {"name", "digest", "commitment", "bot_id", "number"}
    for column in bundle_schema().tables[table].primary_key:
        values = [another(value) if each.name in unique else value for each, value in zip(columns, last, strict=True)]
        for key in versions if column.name == "bot_version_id" else [another(last[columns.keys().index(column.name)])]:
            values[columns.keys().index(column.name)] = key
            yield values


def another(value: object) -> object:
    return 1_000_000 if isinstance(value, int) else None if value is None else f"{value}x"


def test_a_database_that_does_not_hold_together_is_not_exported(database: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(database, tmp_path / "league.db"))
    edit(path, "DELETE FROM bot WHERE name = 'random'")
    with pytest.raises(UnfitError, match=r"is inconsistent: .*; 'arena verify .*' lists what is wrong$"):
        export(path, tmp_path / "cup.arena", "cup")
