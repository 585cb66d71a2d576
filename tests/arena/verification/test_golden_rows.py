"""What seals and bundles say of rows, to the byte: whoever holds a seal or a bundle compares it with what later releases compute."""

from __future__ import annotations

import hashlib
import io
import shutil
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from arena.run.runner import Summary
from arena.verification.exporter import Exporter
from leaderboard.seals.links import entry_of, match_digest, points_digest, standings_digest, voids_digest
from leaderboard.storage.raw_queries import read_match_ids, read_matches, read_ratings, read_standings, read_tournaments, read_voids
from leaderboard.storage.store import Store
from tests.arena.verification.evidence import bundle_of
from tests.stored import tournament_of

TIMES = ("match.finished", "void.happened", "tournament.created", "bot_version.created", "submission.submitted")
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
        for table in ("rating", "standing"):
            connection.execute(f"UPDATE {table} SET mu = 25.5, sigma = 8.25")  # noqa: S608  # our own values
        connection.execute("UPDATE seat_log SET kept = x'00'")
        connection.execute("UPDATE bot_version SET origin = 'here', digest = substr(hex(id) || '0123456789abcdef', 1, 16)")
    return path


def test_digests_of_rows(steady: Path) -> None:
    with Store.read(steady) as store, store.reading() as connection:
        cup, half = read_tournaments(connection)
        matches = read_matches(connection, cup.key, read_match_ids(connection, cup.key))
        digests = {
            "match": hashlib.sha256(b"".join(map(match_digest, matches.values()))).hexdigest(),
            "entry": entry_of(cup, "", "").tournament,
            "entry without submissions": entry_of(cup, "", "", []).tournament,
            "standings": standings_digest(read_standings(connection, cup.key)),
            "points": points_digest(read_ratings(connection, cup.key)),
            "voids": voids_digest(read_voids(connection, half.key)),
        }
    assert digests == {
        "match": "91ca93aba6e619c2937a721e0fafbec8e02eccf76b70f07c713a795ae3ac92e0",
        "entry": "sha256:ee82560fb20b94d1fc937af018d33314361a476925184a9f86b7003c6693649a",
        "entry without submissions": "sha256:10b24755313add4638be43b6f5ae8997ae3cfb1da136d8808a53b13304117154",
        "standings": "sha256:417b875ec6f3e3ef1bb4197343456118296dac4f487417ae3093473bc3c177d8",
        "points": "sha256:08cb988c24411d129b2092228b67bfba593e736e852bbd2aca8d2ffce227386d",
        "voids": "sha256:521fc36f29b8c785c58ce2287c570120b5ca2f49062b328b20b00fce590e46ba",
    }


def test_bytes_of_a_bundle(steady: Path) -> None:
    parts = {}
    for name in ("cup", "half"):
        with zipfile.ZipFile(io.BytesIO(bundle_of(steady, name))) as archive:
            for part in ("bots", "results", "replays", "ratings", "standings", "voids"):
                parts[f"{name} {part}"] = hashlib.sha256(archive.read(f"{part}.jsonl")).hexdigest()[:16]
            sealed = archive.read("seals.jsonl").splitlines()
    assert [line[:18] for line in sealed] == [b'{"digest":"sha256:'] * len(sealed)
    assert parts == {
        "cup bots": "daf6461234e22a4c",
        "cup results": "1afb1c531e6d9cf6",
        "cup replays": "a83dd875968dd77b",
        "cup ratings": "9155ea58317682f2",
        "cup standings": "583ab0bd64dc63e2",
        "cup voids": "e3b0c44298fc1c14",
        "half bots": "92359a71e8c9b2c3",
        "half results": "147c7f9be505f67a",
        "half replays": "3454d577face6994",
        "half ratings": "d74153bbaf31a0f9",
        "half standings": "def8f3e5ea633e99",
        "half voids": "e44c7e2ef1381f59",
    }


def test_lines_of_results(steady: Path) -> None:
    with Store.read(steady) as store:
        exporter = Exporter(store, tournament_of(store, "cup"))
        lines = [*exporter.json_lines(), *exporter.csv_lines()]
    assert lines[0] == (
        '{"id":"0ceb957c1659af6e","round":0,"block":0,"rotation":0,"seed":5443734062994463,"end":"islands","decisions":'
        '81,"isolation":"none","digest":"139f4ac6af7d6601cbb2063bd7b478f6e10691b1f5fd3ae33b4f905253e05a67","seats":[{"b'
        'ot":"random","version":"340123456789abcd","score":8,"rank":1,"fault":null,"fault_index":null,"decisions":35},{'
        '"bot":"walker","version":"320123456789abcd","score":3,"rank":2,"fault":null,"fault_index":null,"decisions":41}'
        '],"block_key":8522372813845583,"link":2,"unpublished":"a967bca81a55d9fee964581ef42a7646f9d41d532f389ce6ac7ec7a'
        '8b4cf688c"}'
    )
    assert hashlib.sha256("\n".join(lines).encode()).hexdigest() == "5b17c94514fd672c1e1b205dbd31680982ecdccca70956da0f09bd2cff3b56fd"
