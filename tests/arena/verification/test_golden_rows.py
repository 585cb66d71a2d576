"""What seals and bundles say of rows, to the byte: whoever holds a seal or a bundle compares it with what later releases compute."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arena.run.runner import Summary
from leaderboard.seal_format import entry_of, match_digest, standings_digest, voids_digest
from leaderboard.storage.bundles import FORMAT, bundle_schema, expected_schema
from leaderboard.storage.raw_queries import read_match_ids, read_matches, read_standings, read_tournaments, read_voids
from leaderboard.storage.store import Store
from tests.arena.verification.evidence import export
from tests.arena.verification.test_verify import read

TIMES = ("match.finished", "void.happened", "tournament.created", "bot_version.created", "submission.sent")
MEASURED = ("match.seconds", "seat.seconds", "seat.cpu_seconds", "seat.charged_seconds", "seat.peak_memory", "standing.seconds")


@pytest.fixture(scope="module")
def steady(league: tuple[Path, list[Summary]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small database, with the same times, measurements, logs, hashes and origins of bots on every machine and in every release."""
    path = Path(shutil.copy(league[0], tmp_path_factory.mktemp("golden")))
    with closing(sqlite3.connect(path)) as connection, connection:
        for column in TIMES:
            table, _, name = column.partition(".")
            connection.execute(f"UPDATE {table} SET {name} = '2026-01-02 03:04:05.000006'")  # noqa: S608  # our own values
        for column in MEASURED:
            table, _, name = column.partition(".")
            connection.execute(f"UPDATE {table} SET {name} = 7")  # noqa: S608  # our own values
        connection.execute("UPDATE standing SET mu = 25.5, sigma = 8.25")
        connection.execute("UPDATE seat_log SET kept = x'00'")
        connection.execute("UPDATE bot_version SET origin = 'here', digest = substr(hex(id) || '0123456789abcdef', 1, 16)")
    return path


def test_digests_of_rows(steady: Path) -> None:
    with Store.read(steady) as store, store.reading() as connection:
        cup, half = read_tournaments(connection)
        matches = read_matches(connection, cup.key, read_match_ids(connection, cup.key))
        digests = {
            "match": hashlib.sha256(b"".join(map(match_digest, matches.values()))).hexdigest(),
            "entry": entry_of(cup).tournament,
            "entry without submissions": entry_of(cup, []).tournament,
            "standings": standings_digest(read_standings(connection, cup.key)),
            "voids": voids_digest(read_voids(connection, half.key)),
        }
    assert digests == {
        "match": "91ca93aba6e619c2937a721e0fafbec8e02eccf76b70f07c713a795ae3ac92e0",
        "entry": "sha256:ee82560fb20b94d1fc937af018d33314361a476925184a9f86b7003c6693649a",
        "entry without submissions": "sha256:10b24755313add4638be43b6f5ae8997ae3cfb1da136d8808a53b13304117154",
        "standings": "sha256:417b875ec6f3e3ef1bb4197343456118296dac4f487417ae3093473bc3c177d8",
        "voids": "sha256:505f35c8fe8c3716031463ca66c13905b4e50ba1f0db283063eb145c4f1e804d",
    }


def test_tables_of_a_bundle() -> None:
    """A bundle with other tables is of another format."""
    text = "\n".join(f"{kind} {name} {definition}" for (kind, name), definition in sorted(expected_schema().items()))
    assert (FORMAT, hashlib.sha256(text.encode()).hexdigest()[:16]) == (1, "582fe975df8048f6")


def test_rows_of_a_bundle(steady: Path, tmp_path: Path) -> None:
    rows = {}
    for name in ("cup", "half"):
        export(steady, tmp_path / f"{name}.arena", name)
        for table in bundle_schema().sorted_tables:
            columns = ", ".join(f'"{each}"' for each in table.columns.keys() if each not in {"replay", "spec"})  # noqa: SIM118
            keys = ", ".join(f'"{each.name}"' for each in table.primary_key)
            found = read(tmp_path / f"{name}.arena", f'SELECT {columns} FROM "{table.name}" ORDER BY {keys}')  # noqa: S608
            if found and table.name != "seal_link":  # which has times
                rows[f"{name} {table.name}"] = hashlib.sha256(repr(found).encode()).hexdigest()[:16]
    assert rows == {
        "cup bot": "7a3c2fb8dcd7cae3",
        "cup tournament": "8337fcb27d76d898",
        "cup bot_version": "2e027ab39780636e",
        "cup match": "6c6186b4fa48263d",
        "cup entrant": "d28c6e10f88201e5",
        "cup seat": "b4cfd214fd99dbb9",
        "cup standing": "ad092e695fd428de",
        "cup submission": "62d744030a3b69db",
        "half bot": "6d6e9e5095295e82",
        "half tournament": "74b8a98ba2373471",
        "half bot_version": "4c609e786af3ec1f",
        "half match": "d082a62f12cff64e",
        "half void": "4456239e9f01451c",
        "half entrant": "cb34a18bfa9e00b0",
        "half seat": "1fea0c73604260f4",
        "half standing": "6211f1bb555c9fc9",
    }
