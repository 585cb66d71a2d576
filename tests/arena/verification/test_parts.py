"""A tournament with a secret that is over is extended in parts, each with a secret of its own, which verification derives and compares."""

from __future__ import annotations

import io
import json
import shutil
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from arena.entries.roster import make_roster
from arena.entries.stored_tournament import ChangedError, secrets_of, stored_spec
from arena.formats.schedule import Schedule
from arena.play.executors.base import InlineExecutor, Job, Played, Tickets
from arena.run import runner
from arena.run.prepare import prepare
from arena.run.runner import run_tournament
from arena.spec.secret import SecretError, TournamentSecret, commitment_of, write_secret_file
from arena.spec.spec import Spec, SpecError, make_spec, read_spec
from arena.verification.bundle_reader import open_bundle
from arena.verification.verifier import Terms, Verdict, verify_source
from leaderboard.errors import StoreError
from leaderboard.seals.encoding import text_digest
from leaderboard.seals.links import Body, read_body
from leaderboard.storage.store import Store, StoredTournament
from tests.arena.conftest import Run
from tests.arena.running import stop_after, versions_of
from tests.arena.verification.evidence import bundle_of, verify_one
from tests.stored import tournament_of

BOTS = ["random", "greedy"]


def cup(blocks: int, **more: object) -> Spec:
    """A tournament of two matches for each block."""
    schedule = {"tables": [2], "blocks": blocks}
    return make_spec({"name": "cup", "game": "tongiaki", "bots": BOTS, "schedule": schedule} | more, "cup.toml")


class Killed(InlineExecutor):
    """Plays two matches, and is killed."""

    def run(self, job: Job, tickets: Tickets) -> Iterator[list[Played]]:
        for number, played in enumerate(super().run(job, tickets), start=1):
            yield played
            if number == 2:
                raise KeyboardInterrupt


def play(path: Path, spec: Spec, *, stop: int = 1000, executor: InlineExecutor | None = None) -> StoredTournament:
    with Store.create(path) as store:
        executor = executor or InlineExecutor()
        return run_tournament(spec, versions_of(spec), store, executor, is_stopping=stop_after(stop), base=path.parent).tournament


@pytest.fixture(scope="module")
def stages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A database after each stage of a cup that is extended twice."""
    folder = tmp_path_factory.mktemp("parts")
    now = folder / "cup.db"
    stages = {}

    def keep(name: str) -> None:
        stages[name] = Path(shutil.copy(now, folder / f"{name}.db"))

    play(now, cup(1))
    keep("one")
    with Store.create(now) as store:  # killed before its first match
        prepare(make_roster(cup(3), versions_of(cup(3)), store), store)
    keep("begun")
    play(now, cup(3), stop=1)
    keep("stopped")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "COMMIT_MATCHES", 1)
        with pytest.raises(KeyboardInterrupt):
            play(now, cup(3), executor=Killed())
    keep("killed")
    play(now, cup(3))
    keep("two")
    play(now, cup(4))
    keep("three")
    return stages


@pytest.fixture
def two(stages: dict[str, Path], tmp_path: Path) -> Path:
    """A copy of the cup at the end of its second part."""
    return Path(shutil.copy(stages["two"], tmp_path / "cup.db"))


def verify_interim(bundle: bytes, path: Path) -> tuple[Verdict, list[str]]:
    path.write_bytes(bundle)
    with open_bundle(path) as source:
        [verdict], _ = verify_source(source, source.tournaments(), InlineExecutor(), Terms(is_interim=True))
    return verdict, [str(each) for each in verdict.disagreements]


def stored(path: Path) -> StoredTournament:
    with Store.read(path) as store:
        return tournament_of(store)


def rows(path: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def execute(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(statement, values).rowcount > 0


def rechain(path: Path, change: Callable[[Body], Body]) -> None:
    """Change the links, and make the chain anew, as whoever may write to the database could."""
    digest = None
    for number, text in rows(path, "SELECT number, body FROM seal_link ORDER BY number"):
        body = msgspec.structs.replace(change(read_body(text)), previous=digest)
        digest = text_digest(body.text)
        execute(path, "UPDATE seal_link SET body = ?, digest = ? WHERE number = ?", body.text, digest, number)


class TestStages:
    """From the end of the first part to the end of the third."""

    @pytest.mark.parametrize(
        ("stage", "matches", "parts", "unsealed", "is_final"),
        [
            ("one", 2, 1, 0, True),
            ("begun", 2, 2, 0, False),
            ("stopped", 3, 2, 0, False),
            ("killed", 5, 2, 2, False),
            ("two", 6, 2, 0, True),
            ("three", 8, 3, 0, True),
        ],
    )
    def test_each_verifies(self, stages: dict[str, Path], stage: str, matches: int, parts: int, unsealed: int, *, is_final: bool) -> None:
        verdict, disagreements = verify_one(stages[stage])
        assert disagreements == []
        assert (verdict.stored, verdict.part, verdict.unsealed, verdict.is_final) == (matches, parts, unsealed, is_final)

    def test_earlier_parts_stay_byte_for_byte(self, stages: dict[str, Path]) -> None:
        for before, after, blocks in (("one", "three", 1), ("two", "three", 3)):
            for table in ("match", "seat"):
                where = "match_id" if table == "seat" else "id"
                query = f"SELECT * FROM {table} WHERE {where} IN (SELECT id FROM match WHERE block < {blocks}) ORDER BY rowid"  # noqa: S608
                assert rows(stages[before], query) == rows(stages[after], query) != []

    def test_each_part_has_a_commitment_of_its_own_that_is_kept(self, stages: dict[str, Path]) -> None:
        three = stored(stages["three"])
        assert len({each.commitment for each in three.secrets}) == 3
        assert stored(stages["begun"]).secrets == stored(stages["two"]).secrets == three.secrets[:2]
        spec = stored_spec(three)
        assert [(part.first_block, part.commitment) for part in spec.parts] == [
            (1, three.secrets[1].commitment),
            (3, three.secrets[2].commitment),
        ]

    def test_the_first_secret_tells_nothing_of_the_second_part(self, stages: dict[str, Path]) -> None:
        tournament = stored(stages["two"])
        guessed = list(Schedule(stored_spec(tournament).model_copy(update={"parts": ()}), secrets=secrets_of(tournament)[:1]))
        real = list(Schedule(stored_spec(tournament), secrets=secrets_of(tournament)))
        assert guessed[:2] == real[:2]
        for key in ("id", "seed", "key", "block_key"):
            assert not {getattr(each, key) for each in guessed} & {getattr(each, key) for each in real[2:]}

    def test_links_name_their_part_and_the_last_of_each_has_its_secret(self, stages: dict[str, Path]) -> None:
        with Store.read(stages["three"]) as store:
            tournament = tournament_of(store)
            bodies = [link.body for link in store.chain(tournament.id)]
        assert [body.part for body in bodies] == [1, 1, 2, 2, 2, 3, 3]
        assert [body.secret for body in bodies if body.is_final] == [each.secret for each in tournament.secrets]
        assert [body.commitment for body in bodies] == [tournament.secrets[body.part - 1].commitment for body in bodies]


class TestBundles:
    """What a stranger can check."""

    def test_a_bundle_of_an_unfinished_part_has_the_secrets_before_it(self, stages: dict[str, Path], tmp_path: Path, run: Run) -> None:
        first, second = stored(stages["stopped"]).secrets
        bundle = bundle_of(stages["stopped"])
        assert second.secret.encode() not in zipfile.ZipFile(io.BytesIO(bundle)).read("manifest.json")
        verdict, disagreements = verify_interim(bundle, tmp_path / "cup.zip")
        assert (disagreements, verdict.stored, verdict.is_derived, verdict.part) == ([], 3, False, 2)
        with open_bundle(tmp_path / "cup.zip") as source:
            assert [each.secret for each in source.manifest.secrets] == [first.secret, None]
        assert run("verify", "cup.zip").returncode == 2
        done = run("verify", "cup.zip", "--interim")
        assert "the secret of part 2 is not published yet, so ids, seeds and pairings of its matches could not be derived" in done.stdout

    def test_a_final_bundle_has_them_all(self, stages: dict[str, Path], tmp_path: Path) -> None:
        (tmp_path / "cup.zip").write_bytes(bundle_of(stages["three"]))
        with open_bundle(tmp_path / "cup.zip") as source:
            assert [each.secret for each in source.manifest.secrets] == [each.secret for each in stored(stages["three"]).secrets]
            [verdict], _ = verify_source(source, source.tournaments(), InlineExecutor())
        assert (verdict.disagreements, verdict.is_final, verdict.is_derived) == ([], True, True)

    def test_the_first_part_is_derived_while_the_second_goes_on(self, stages: dict[str, Path], tmp_path: Path) -> None:
        def edited(number: int, key: str) -> list[str]:
            lines = zipfile.ZipFile(io.BytesIO(bundle_of(stages["stopped"]))).read("results.jsonl").splitlines()
            line = json.loads(lines[number])
            lines[number] = json.dumps(line | {key: line[key] - 1}).encode()
            bundle = rewritten(bundle_of(stages["stopped"]), "results.jsonl", b"\n".join([*lines, b""]))
            return verify_interim(bundle, tmp_path / "cup.zip")[1]

        assert any("key of the block: stored" in each for each in edited(0, "block_key"))
        assert not any("key of the block: stored" in each for each in edited(2, "block_key"))  # the seal alone finds it
        assert any("no match of the tournament's schedule has it" in each for each in edited(2, "block"))

    def test_another_first_secret_is_found(self, stages: dict[str, Path], tmp_path: Path) -> None:
        bundle = bundle_of(stages["stopped"])
        manifest = zipfile.ZipFile(io.BytesIO(bundle)).read("manifest.json")
        forged = manifest.replace(stored(stages["stopped"]).secrets[0].secret.encode(), b"ab" * 32)
        _, disagreements = verify_interim(rewritten(bundle, "manifest.json", forged), tmp_path / "cup.zip")
        assert any("commitment, of its secret: stored" in each for each in disagreements)


def rewritten(bundle: bytes, part: str, content: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(bundle)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            new.writestr(name, content if name == part else old.read(name))
    return out.getvalue()


class TestForgeries:
    """What whoever may write to the database could try."""

    @pytest.mark.parametrize(
        ("column", "value", "finding"),
        [
            ("secret", "ab" * 32, "commitment of part 2, of its secret: stored"),
            ("commitment", commitment_of(bytes(32)), "commitment of part 2: stored"),
            ("public_value", "7", "public value in seal"),
            ("part", 3, "parts with a secret: stored"),
        ],
    )
    def test_a_second_secret_that_is_changed(self, two: Path, column: str, value: object, finding: str) -> None:
        execute(two, f"UPDATE secret SET {column} = ? WHERE part = 2", value)  # noqa: S608  # our own names
        _, disagreements = verify_one(two)
        assert any(finding in each for each in disagreements), disagreements

    def test_a_second_secret_that_fits_its_commitment_does_not_give_the_matches(self, two: Path) -> None:
        new, old = TournamentSecret(bytes(32)), stored(two).secrets[1]
        execute(two, "UPDATE secret SET commitment = ?, secret = ? WHERE part = 2", new.commitment, new.secret.hex())
        execute(two, "UPDATE tournament SET spec = replace(spec, ?, ?)", old.commitment, new.commitment)
        _, disagreements = verify_one(two)
        assert any("digest of the spec" in each for each in disagreements)
        assert sum("no match of the tournament's schedule has it" in each for each in disagreements) == 4

    def test_a_part_that_is_left_out_of_the_spec(self, two: Path) -> None:
        [(text,)] = rows(two, "SELECT spec FROM tournament")
        spec = json.loads(str(text))
        del spec["parts"]
        execute(two, "UPDATE tournament SET spec = ?", json.dumps(spec, sort_keys=True, separators=(",", ":")))
        assert any("parts with a secret: stored" in each for each in verify_one(two)[1])

    def test_a_part_begins_where_the_one_before_was_sealed(self, two: Path) -> None:
        def without_the_first_end(body: Body) -> Body:
            run = None if body.run is None or body.part == 2 else msgspec.structs.replace(body.run, final=False)
            return body if body.part == 2 else msgspec.structs.replace(body, run=run, secret=None)

        rechain(two, without_the_first_end)
        assert any("part in seal 3, as it follows: stored 2, found 1" in each for each in verify_one(two)[1])

    def test_a_match_of_the_first_part_that_the_second_seals(self, two: Path) -> None:
        later = rows(two, "SELECT max(link) FROM match")[0][0]
        match = rows(two, "SELECT id FROM match WHERE block = 0 ORDER BY id")[0][0]
        execute(two, "UPDATE match SET link = ? WHERE id = ?", later, match)
        assert any(f"match {match}: part of the seal that covers it: stored 2, found 1" in each for each in verify_one(two)[1])

    def test_matches_that_were_added_without_a_new_part(self, two: Path) -> None:
        first = stored(two).secrets[0]

        def as_first(body: Body) -> Body:
            secret = first.secret if body.is_final else None
            return msgspec.structs.replace(body, part=1, commitment=first.commitment, secret=secret)

        rechain(two, as_first)
        _, disagreements = verify_one(two)
        assert any("number of matches in seal 4, once the secret was published: stored 3, found 2" in each for each in disagreements)
        assert any("part in the newest seal: stored 1, found 2" in each for each in disagreements)


class TestWhatIsRefused:
    """Sentences."""

    ALSO = pytest.mark.parametrize(
        "more",
        [{"bots": [*BOTS, "expert"]}, {"bots": [*BOTS, "expert"], "schedule": {"tables": [2, 3], "blocks": 4}}],
        ids=["a bot", "a table"],
    )

    @ALSO
    def test_anything_but_blocks_once_a_part_is_over(self, two: Path, more: dict[str, object]) -> None:
        before = stored(two)
        with pytest.raises(ChangedError, match=r"a part of the tournament 'cup' .* only 'blocks' can grow, in a part with a new secret"):
            play(two, cup(4, **more))
        assert stored(two) == before

    @ALSO
    def test_anything_but_blocks_while_a_later_part_goes_on(self, stages: dict[str, Path], tmp_path: Path, more: dict[str, object]) -> None:
        path = Path(shutil.copy(stages["stopped"], tmp_path / "cup.db"))
        with pytest.raises(ChangedError, match=r"a part of the tournament 'cup' .* only 'blocks' can grow"):
            play(path, cup(4, **more))

    def test_more_blocks_join_a_part_that_goes_on(self, stages: dict[str, Path], tmp_path: Path) -> None:
        path = Path(shutil.copy(stages["stopped"], tmp_path / "cup.db"))
        secrets = stored(path).secrets
        assert play(path, cup(5)).secrets == secrets
        assert verify_one(path)[1] == []

    def test_fewer_blocks(self, two: Path) -> None:
        with pytest.raises(ChangedError, match=r"'schedule\.blocks'"):
            play(two, cup(2))

    def test_a_secret_that_was_used_already(self, tmp_path: Path) -> None:
        path = tmp_path / "cup.db"
        commitment = write_secret_file(tmp_path / "s")
        named, other_named = {"secret": "s"}, {"secret": "other"}
        play(path, cup(1, **named))
        for more in (named, {"commitment": commitment}):
            with pytest.raises(SecretError, match="the secret that its file names is published; make another"):
                play(path, cup(2, **more))
        other = write_secret_file(tmp_path / "other")
        assert play(path, cup(2, **other_named, commitment=other)).secret.commitment == other  # type: ignore[union-attr]  # it has one
        with pytest.raises(SecretError, match="started with another secret"):
            play(path, cup(2, **named))
        with pytest.raises(StoreError, match=r"another tournament in .* has the same secret"):
            play(path, cup(1, name="next", **other_named))

    def test_an_end_that_was_not_sealed(self, stages: dict[str, Path], tmp_path: Path) -> None:
        path = Path(shutil.copy(stages["one"], tmp_path / "cup.db"))
        execute(path, "DELETE FROM seal_link WHERE number = 2")
        with pytest.raises(ChangedError, match="run it again with blocks = 1, which seals them"):
            play(path, cup(2))

    def test_parts_in_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "cup.toml").write_text('name = "cup"\ngame = "tongiaki"\nbots = ["random"]\nparts = []\n[schedule]\ntables = [1]\n')
        with pytest.raises(SpecError, match="unknown key 'parts'; it is for stored tournaments"):
            read_spec(tmp_path / "cup.toml")

    @pytest.mark.parametrize("starts", [[0], [3], [2, 2], [2, 1]])
    def test_parts_of_a_stored_spec_that_do_not_follow_each_other(self, starts: list[int]) -> None:
        parts = [{"first_block": start, "commitment": commitment_of(bytes(32))} for start in starts]
        with pytest.raises(SpecError, match="parts"):
            cup(3, commitment=commitment_of(bytes(32)), parts=parts)


def test_a_part_may_have_a_public_value_of_its_own(tmp_path: Path) -> None:
    def go(spec: Spec, value: str | None = None) -> StoredTournament:
        with Store.create(tmp_path / "cup.db") as store:
            return prepare(make_roster(spec, versions_of(spec), store), store, public_value=value).tournament

    go(cup(1, public="draw 1"), "11")
    play(tmp_path / "cup.db", cup(1, public="draw 1"))
    with pytest.raises(SecretError, match=r"the public value of 'cup' \(draw 1\) is known, since an earlier part mixed it in"):
        go(cup(2, public="draw 1"), "12")
    with pytest.raises(SecretError, match=r"mixes in a public value \(draw 2\)"):
        go(cup(2, public="draw 2"))
    assert [each.public_value for each in go(cup(2, public="draw 2"), "12").secrets] == ["11", "12"]
    with pytest.raises(ChangedError, match="'parts'"):
        go(cup(2, public="draw 3"))
    play(tmp_path / "cup.db", cup(2, public="draw 2"))
    play(tmp_path / "cup.db", cup(3))
    spec = stored_spec(stored(tmp_path / "cup.db"))
    assert [spec.public, *(part.public for part in spec.parts)] == ["draw 1", "draw 2", None]
    assert verify_one(tmp_path / "cup.db")[1] == []


def test_a_new_part_keeps_seats_balanced_and_the_sample_of_line_ups() -> None:
    schedule = {"tables": [4], "blocks": 5, "seats": "rotations", "lineups": 3}
    data = {"name": "cup", "game": "tongiaki", "bots": ["random", "greedy", "expert", "flat", "mcts"], "schedule": schedule}
    one, other = TournamentSecret(bytes(32)), TournamentSecret(bytes(range(32)))
    spec = make_spec(data | {"commitment": one.commitment, "parts": [{"first_block": 1, "commitment": other.commitment}]}, "cup.toml")
    tickets = list(Schedule(spec, secrets=[one, other]))
    as_one = list(Schedule(spec.model_copy(update={"parts": ()}), secrets=[one]))
    assert [each.lineup for each in tickets] == [each.lineup for each in as_one]
    run = 3 * 4 * 3  # matches of the blocks that balance neighbours together, the last two of which are of the second part
    assert [each.seats for each in tickets[:run]] == [each.seats for each in as_one[:run]]
    assert [each.seats for each in tickets[run:]] != [each.seats for each in as_one[run:]]
    assert not {each.seed for each in tickets[12:]} & {each.seed for each in as_one}


def test_from_the_command_line(run: Run, tmp_path: Path) -> None:
    file = 'name = "cup"\ngame = "tongiaki"\nbots = ["random", "greedy"]\n[schedule]\ntables = [2]\nblocks = {}\n'
    options = ("cup.toml", "--db", "cup.db", "--executor", "inline", "--isolation", "none")
    lines = []
    for blocks in (1, 2):
        (tmp_path / "cup.toml").write_text(file.format(blocks))
        done = run("run", *options)
        assert done.returncode == 0, done.stderr
        lines.append(done.stdout.splitlines())
    assert "Added since the run began: part 2, with a secret of its own" in lines[1]
    commitment = lines[1][lines[1].index("The decks of part 2 follow from a secret; its commitment:") + 1].removeprefix("commit ")
    assert commitment == commitment_of(bytes.fromhex(lines[1][-1].removeprefix("secret ")))
    assert commitment in run("status", "--db", "cup.db").stdout
    published = next(line for line in lines[0] if line.startswith("results ")).replace(" ", "=")
    done = run("verify", "cup.db", "--expect", published, "--expect", "cup.db.seals.jsonl", "--replay-bots", "--isolation", "none")
    assert done.returncode == 0, done.stdout
    assert "whose 2 matches are all there unchanged" in done.stdout
