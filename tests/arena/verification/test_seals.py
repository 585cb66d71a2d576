"""A forger who rewrites the whole database is found by whoever holds a digest, a file of seals, or the host's public key."""

from __future__ import annotations

import json
import shutil
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from arena.bots import find_bots
from arena.play.executors.base import InlineExecutor
from arena.run.runner import Summary, run_tournament
from arena.spec.spec import make_spec
from arena.verification.seal_check import Expected
from arena.verification.verifier import Terms
from leaderboard.records import SecretRecord
from leaderboard.seal_format import text_digest
from leaderboard.storage.raw_queries import read_tournaments
from leaderboard.storage.seal_chain import make_key, read_key, read_public
from leaderboard.storage.store import Store
from tests.arena.conftest import Run
from tests.arena.verification.evidence import export, verify_one
from tests.world import tournament_of

SPEC = 'name = "cup"\ngame = "tongiaki"\nseed = 5\nbots = ["random", "greedy"]\n[schedule]\ntables = [2]\nblocks = 1\n'
RUN = ("run", "cup.toml", "--db", "cup.db", "--executor", "inline", "--isolation", "none")
DATA = {"name": "cup", "game": "tongiaki", "bots": ["random", "greedy"], "schedule": {"tables": [2], "blocks": 2}}


def play(path: Path, *, stop_after: int | None = None, **more: object) -> Summary:
    """Run the tournament in a database, or a part of it."""
    begun = 0

    def is_stopping() -> bool:
        nonlocal begun
        begun += 1
        return stop_after is not None and begun > stop_after

    with Store.create(path) as store:
        spec = make_spec(DATA | more, "spec")
        return run_tournament(spec, find_bots(spec, path.parent, store), store, InlineExecutor(), is_stopping=is_stopping)


def execute(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def cut(path: Path, matches: int) -> None:
    """Drop so many matches that were stored last, and everything that tells of them."""
    execute(
        path,
        f"CREATE TABLE last AS SELECT id FROM match ORDER BY rowid DESC LIMIT {matches}",  # noqa: S608  # a number
        "DELETE FROM seat WHERE match_id IN last",
        "DELETE FROM seat_log WHERE match_id IN last",
        "DELETE FROM match WHERE id IN last",
        "DROP TABLE last",
        "DELETE FROM standing",
        "UPDATE tournament SET rated = 0",
        "DELETE FROM seal_link",
        "UPDATE match SET link = 1",
    )


def forge(path: Path) -> None:
    """Cut the end, and play it again with other decks, with a chain made anew: as a host who does not like a result would."""
    execute(path, "DELETE FROM seat", "DELETE FROM seat_log", "DELETE FROM standing", "DELETE FROM match")
    execute(path, "DELETE FROM seal_link", "DELETE FROM entrant", "DELETE FROM tournament")
    play(path)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A complete tournament of four matches, which two runs have played."""
    path = tmp_path_factory.mktemp("seals") / "cup.db"
    play(path, stop_after=2)
    play(path)
    return path


@pytest.fixture
def cup(whole: Path, tmp_path: Path) -> Path:
    """A copy of it that a test may change."""
    return Path(shutil.copy(whole, tmp_path / "cup.db"))


def test_each_run_adds_a_link_that_names_the_one_before(cup: Path) -> None:
    with Store.read(cup) as store:
        tournament = tournament_of(store)
        entered, stopped, ended = store.chain(tournament.id)
    assert (entered.body.previous, stopped.body.previous, ended.body.previous) == (None, entered.digest, stopped.digest)
    assert [each.body.added for each in (entered, stopped, ended)] == [0, 2, 2]
    assert [each.body.is_final for each in (entered, stopped, ended)] == [False, False, True]
    assert tournament.secret is not None
    assert [each.body.secret for each in (entered, stopped, ended)] == [None, None, tournament.secret.secret]
    assert {each.body.commitment for each in (entered, stopped, ended)} == {tournament.secret.commitment}
    verdict, told = verify_one(cup)
    assert (told, verdict.seals, verdict.is_final, verdict.seal) == ([], 3, True, ended.digest)


def test_deleted_seals_and_an_edited_standing_are_found(cup: Path) -> None:
    execute(cup, "DELETE FROM seal_link", "UPDATE standing SET mu = mu + 20 WHERE rowid = 1")
    _, told = verify_one(cup)
    assert any("the tournament is complete but not sealed" in each for each in told)
    assert any("a chain of seals, which every tournament has" in each for each in told)


def test_a_complete_tournament_without_its_last_seal_fails_and_a_run_seals_it(cup: Path) -> None:
    execute(cup, "DELETE FROM seal_link WHERE number = 3")
    assert any("final seal: stored None, found the tournament is complete but not sealed" in each for each in verify_one(cup)[1])
    assert play(cup).played == 0
    assert verify_one(cup)[1] == []


def test_an_unfinished_tournament_without_its_last_seal_is_told_to_be_unsealed(tmp_path: Path) -> None:
    path = tmp_path / "cup.db"
    play(path, stop_after=2)
    execute(path, "DELETE FROM seal_link WHERE number = 2")
    verdict, told = verify_one(path)
    assert (told, verdict.is_sealed, verdict.unsealed) == ([], False, 2)


@pytest.mark.slow  # it forges many seals
def test_what_a_forger_has_cut_and_made_anew_is_found_by_earlier_digests(cup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Store, "check_entry", lambda *_: None)
    with Store.read(cup) as store:
        tournament = tournament_of(store)
        links = store.chain(tournament.id)
    everything = [Expected("seal", each.digest) for each in links]
    everything += [Expected("results", each.body.run.results) for each in links if each.body.run is not None]
    everything += [Expected("ratings", each.body.run.ratings) for each in links if each.body.run is not None]
    verdict, told = verify_one(cup, Terms(everything))
    assert (told, len(verdict.confirmed)) == ([], 7)
    cut(cup, 2)
    play(cup, stop_after=2)  # with the same secret, so that what is left is whole
    assert verify_one(cup)[1] == []
    play(cup)
    assert verify_one(cup)[1] == []
    told = verify_one(cup, Terms(everything[:3]))[1]
    assert all(any("expected" in line and each.digest in line for line in told) for each in everything[:3])
    forge(cup)
    assert verify_one(cup)[1] == []  # nobody who has only the database can tell
    told = verify_one(cup, Terms(everything[:5]))[1]  # by chance another cup may come to the same table
    assert all(any("expected" in line and each.digest in line for line in told) for each in everything[:5])


@pytest.mark.slow
def test_signatures_are_wanted_of_every_run_and_of_the_end(tmp_path: Path) -> None:
    path = tmp_path / "cup.db"
    key, other = make_key(tmp_path / "host.key"), make_key(tmp_path / "other.key")
    assert stat.S_IMODE((tmp_path / "host.key").stat().st_mode) == 0o600
    assert read_public(str(tmp_path / "host.key")) == read_key(tmp_path / "host.key").public == key.public
    spec = make_spec(DATA, "spec")
    with Store.create(path) as store:
        store.signer = key
        run_tournament(spec, find_bots(spec, tmp_path, store), store, InlineExecutor())
    assert verify_one(path, Terms(key=key.public))[1] == []
    assert any("key of seal 2" in each for each in verify_one(path, Terms(key=other.public))[1])
    unsigned = Path(shutil.copy(path, tmp_path / "unsigned.db"))
    execute(unsigned, "UPDATE seal_link SET signature = NULL WHERE number = 2")
    assert any("signature of seal 2: stored None, found not a signature with" in each for each in verify_one(unsigned)[1])
    forge(path)  # without the key
    assert verify_one(path)[1] == []
    assert any("the seal is not signed" in each for each in verify_one(path, Terms(key=key.public))[1])
    plain = tmp_path / "plain.db"
    play(plain)
    execute(plain, "DELETE FROM seal_link")
    assert any(f"no seal signed by {key.public}" in each for each in verify_one(plain, Terms(key=key.public))[1])


def test_a_bundle_of_a_tournament_that_goes_on_keeps_the_secret_and_is_no_final_proof(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "cup.db"
    play(path, stop_after=2)
    export(path, tmp_path / "cup.arena")
    with Store.read(path) as store:
        secret = tournament_of(store).secret
    assert secret is not None
    with Store.read_to_verify(tmp_path / "cup.arena") as store:
        assert store.fetch(read_tournaments)[0].secret == SecretRecord(secret.commitment)
    assert secret.secret.encode() not in (tmp_path / "cup.arena").read_bytes()
    verdict, told = verify_one(tmp_path / "cup.arena", Terms(is_interim=True))
    assert (told, verdict.stored, verdict.is_derived, verdict.is_sealed) == ([], 2, False, True)
    done = run("verify", "cup.arena")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: cup.arena is not a final proof: it was exported before its tournament was complete and sealed; ")
    done = run("verify", "cup.arena", "--interim")
    assert (done.returncode, done.stderr) == (0, "")
    assert "its secret is not published yet" in done.stdout


def test_a_run_prints_its_seal_and_appends_to_a_file_beside_the_database(tmp_path: Path, run: Run) -> None:
    (tmp_path / "cup.toml").write_text(SPEC)
    public = run("key", "host.key").stdout.strip()
    assert run("key", "host.key").stdout.strip() == public
    done = run(*RUN, "--key", "host.key")
    assert done.returncode == 0, done.stderr
    seal = next(line for line in done.stdout.splitlines() if line.startswith("seal ")).removeprefix("seal ")
    path = tmp_path / "cup.db.seals.jsonl"
    lines = path.read_bytes().splitlines()
    assert [json.loads(line)["digest"] for line in lines][-1] == seal
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert run(*RUN, "--key", "host.key").returncode == 0
    assert path.read_bytes().splitlines() == lines
    done = run("verify", "cup.db", "--expect", "cup.db.seals.jsonl", "--expect", seal, "--key", public)
    assert (done.returncode, done.stderr) == (0, "")
    assert "cup: seal 2 is in the chain; the 2 matches it covers are stored and unchanged" in done.stdout
    assert run("export", "--db", "cup.db", "--seals", "elsewhere.jsonl").returncode == 0
    assert (tmp_path / "elsewhere.jsonl").read_bytes() == path.read_bytes()
    (tmp_path / "cup.toml").write_text(SPEC.replace("seed = 5", "seed = 6"))
    (tmp_path / "cup.db").unlink()
    assert run(*RUN).returncode == 0
    done = run("verify", "cup.db", "--expect", "elsewhere.jsonl")
    assert done.returncode == 1
    assert done.stdout.count("no such seal in the chain: the chain was cut or replaced") == 2


def test_files_and_digests_that_prove_nothing_are_refused_in_one_line(cup: Path, tmp_path: Path, run: Run) -> None:
    (tmp_path / "empty.jsonl").touch()
    with (tmp_path / "large.jsonl").open("wb") as file:
        file.truncate(6 << 30)
    wrong = {
        ("--expect", "empty.jsonl"): "is empty, so it proves nothing",
        ("--expect", "large.jsonl"): "is larger than 64 MiB",
    }
    for arguments, sentence in wrong.items():
        done = run("verify", "cup.db", *arguments)
        assert (done.returncode, done.stdout) == (2, ""), arguments
        assert sentence in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_an_earlier_digest_of_results_is_that_of_the_matches_of_then(cup: Path) -> None:
    """A chain made anew can say any digest of an earlier run: the matches have to come to it."""
    lie = f"sha256:{'5' * 64}"
    with closing(sqlite3.connect(cup)) as connection, connection:
        bodies = [json.loads(body) for (body,) in connection.execute("SELECT body FROM seal_link ORDER BY number")]
        bodies[1]["run"]["results"] = lie
        previous = None
        for body in bodies:
            body["previous"] = previous
            text = json.dumps(body, separators=(",", ":"))
            previous = text_digest(text)
            connection.execute("UPDATE seal_link SET body = ?, digest = ? WHERE number = ?", (text, previous, body["number"]))
    assert verify_one(cup)[1] == []
    assert any("expected digest of the results of seal 2" in each for each in verify_one(cup, Terms([Expected("results", lie)]))[1])
