"""Bundles with random bytes or random rows are refused or found to disagree, unless their content is still the same.

More of them: ``python -m tests.arena.verification.test_fuzzed_bundles 5000``.
"""

from __future__ import annotations

import random
import shutil
import sqlite3
import sys
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from arena.play.executors.base import InlineExecutor
from arena.run.runner import Summary
from arena.verification.verifier import verify_store
from leaderboard.errors import StoreError
from leaderboard.storage.bundles import bundle_schema
from leaderboard.storage.raw_queries import read_tournaments
from leaderboard.storage.store import Store
from tests.arena.verification.evidence import export, make_database

VALUES = (None, 0, 1, -1, 2, 7, 2**40, -(2**63), 0.5, 1e308, "", "0", "x", "cup", "random", "walker", b"", b"x", "a\0b", "[1]", "{}")


def change_bytes(rng: random.Random, path: Path) -> None:
    """Overwrite, move, cut or append some bytes."""
    content = bytearray(path.read_bytes())
    place, size = rng.randrange(len(content)), rng.choice([1, 1, 1, 2, 4, 16, 4096])
    match rng.randrange(8):
        case 0:
            del content[place:]
        case 1:
            content += rng.randbytes(size)
        case 2:
            source = rng.randrange(len(content))
            content[place : place + size] = content[source : source + size]
        case 3:
            content[rng.randrange(100)] = rng.randrange(256)  # the header
        case _:
            content[place : place + size] = rng.randbytes(size)
    path.write_bytes(content)


def change_rows(rng: random.Random, path: Path) -> None:
    """Change, exchange, delete or add some values or rows, where the constraints of the tables allow it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        for _ in range(rng.choice([1, 1, 2, 5])):
            table = rng.choice(list(bundle_schema().tables.values()))
            columns = table.columns.keys()
            column = rng.choice(columns)
            rows = [row for (row,) in connection.execute(f'SELECT rowid FROM "{table.name}"')] or [0]  # noqa: S608  # our own names
            one, other = rng.choice(rows), rng.choice(rows)
            with suppress(sqlite3.Error):
                match rng.randrange(5):
                    case 0:
                        connection.execute(f'DELETE FROM "{table.name}" WHERE rowid = ?', (one,))  # noqa: S608
                    case 1:
                        values = ", ".join("?" if each == column else f'"{each}"' for each in columns)
                        copied = f'INSERT INTO "{table.name}" SELECT {values} FROM "{table.name}" WHERE rowid = ?'  # noqa: S608
                        connection.execute(copied, (rng.choice(VALUES), one))
                    case 2:
                        source = f'SELECT "{column}" FROM "{table.name}" WHERE rowid = ?'  # noqa: S608
                        connection.execute(f'UPDATE "{table.name}" SET "{column}" = ({source}) WHERE rowid = ?', (other, one))  # noqa: S608
                    case 3:
                        near = rng.choice([f'"{column}" + 1', f'"{column}" - 1', f"\"{column}\" || ' '", f'substr("{column}", 2)'])
                        connection.execute(f'UPDATE "{table.name}" SET "{column}" = {near} WHERE rowid = ?', (one,))  # noqa: S608
                    case _:
                        connection.execute(f'UPDATE "{table.name}" SET "{column}" = ? WHERE rowid = ?', (rng.choice(VALUES), one))  # noqa: S608
        if rng.random() < 0.3:
            connection.execute("VACUUM")


def fuzz(bundles: list[Path], folder: Path, count: int, seed: int) -> Counter[str]:
    """Change bundles ``count`` times and verify them; return how many were refused, disagreed, or agreed with the same content."""
    rng = random.Random(seed)
    outcomes: Counter[str] = Counter()
    originals = [content_of(path) for path in bundles]
    for number in range(count):
        place = rng.randrange(len(bundles))
        path = Path(shutil.copy(bundles[place], folder / "fuzzed.arena"))
        how = rng.choice([change_bytes, change_rows])
        how(rng, path)
        before = path.read_bytes()
        outcome = outcome_of(path, originals[place])
        assert outcome in {"refused", "disagrees", "the same"}, (seed, number, outcome)
        assert [each.name for each in folder.iterdir()] == ["fuzzed.arena"]
        assert path.read_bytes() == before
        outcomes[f"{how.__name__}: {outcome}"] += 1
    return outcomes


def content_of(path: Path) -> str:
    with Store.read_to_verify(path) as store:
        return store.content


def outcome_of(path: Path, content: str) -> str:
    try:
        with Store.read_to_verify(path) as store:
            verdicts, general = verify_store(store, store.fetch(read_tournaments), InlineExecutor())
            is_same = store.content == content
    except StoreError as error:
        return "refused" if "\n" not in str(error) else "refused in several lines"
    if general or not verdicts or any(each.disagreements or not each.is_sealed for each in verdicts):
        return "disagrees"
    return "the same" if is_same else "forged"


def make_bundles(database: Path, folder: Path) -> list[Path]:
    for name in ("cup", "half"):
        export(database, folder / f"{name}.arena", name, with_bots=name == "cup")
    return [folder / "cup.arena", folder / "half.arena"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_no_changed_bundle_agrees(league: tuple[Path, list[Summary]], tmp_path: Path, seed: int) -> None:
    (tmp_path / "bundles").mkdir()
    (tmp_path / "fuzzed").mkdir()
    outcomes = fuzz(make_bundles(league[0], tmp_path / "bundles"), tmp_path / "fuzzed", 100, seed)
    assert outcomes["change_bytes: refused"] > 10
    assert outcomes["change_rows: disagrees"] > 5


if __name__ == "__main__":
    with TemporaryDirectory() as league, TemporaryDirectory() as made, TemporaryDirectory() as fuzzed:
        bundles = make_bundles(make_database(Path(league))[0], Path(made))
        for outcome, number in sorted(fuzz(bundles, Path(fuzzed), int(sys.argv[1]), int([*sys.argv, "0"][2])).items()):
            print(f"{number:6} {outcome}")
