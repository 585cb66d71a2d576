"""A bundle holds all that a verification needs, is the same for the same results, and a stranger's can do no harm."""

from __future__ import annotations

import io
import json
import random
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.play.executors.base import InlineExecutor
from arena.run.runner import Summary
from arena.verification.bundle_reader import DamagedBundleError, open_bundle
from arena.verification.exporter import UnfitError
from arena.verification.verifier import Verdict, verify_source
from leaderboard.storage.store import Store
from tests.arena.conftest import Run
from tests.arena.verification.evidence import ANN, bundle_of, make_database
from tests.arena.verification.test_verify import edit
from tests.stored import tournament_of

Parts = dict[str, bytes]
Edit = Callable[[Parts], None]


@pytest.fixture(scope="module")
def database(league: tuple[Path, list[Summary]]) -> Path:
    return league[0]


@pytest.fixture(scope="module")
def bundle(database: Path) -> bytes:
    return bundle_of(database, "cup", with_bots=True)


def parts(bundle: bytes) -> Parts:
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(found: Parts) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in found.items():
            archive.writestr(name, content)
    return out.getvalue()


def verify(bundle: bytes, folder: Path) -> tuple[Verdict, list[str]]:
    """The verdict on a bundle, and everything that does not agree, as it is told."""
    path = folder / "cup.zip"
    path.write_bytes(bundle)
    with open_bundle(path) as source:
        [verdict], general = verify_source(source, source.tournaments(), InlineExecutor())
    return verdict, [str(each) for each in (*general, *verdict.disagreements)]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["cup", "half"])
@pytest.mark.parametrize("with_bots", [False, True])
def test_a_bundle_is_verified_without_database_and_bots(database: Path, tmp_path: Path, name: str, with_bots: bool) -> None:
    verdict, told = verify(bundle_of(database, name, with_bots=with_bots), tmp_path)
    assert told == []
    with Store.read(database) as store:
        tournament = tournament_of(store, name)
        assert (verdict.stored, verdict.total) == (store.count_matches(tournament), tournament.total)


def test_the_same_database_gives_the_same_bytes(database: Path, bundle: bytes, tmp_path: Path) -> None:
    assert bundle_of(database, "cup", with_bots=True) == bundle
    again, _ = make_database(tmp_path)
    different = {name for name, content in parts(bundle_of(again, "cup", with_bots=True)).items() if content != parts(bundle)[name]}
    assert different == {"manifest.json", "bots.jsonl", "results.jsonl", "standings.jsonl", "seals.jsonl"}  # which bear digests of times


def test_a_bundle_has_bots_only_if_asked_and_no_path_of_the_host(database: Path, bundle: bytes) -> None:
    def bots(found: bytes) -> list[str]:
        return [name for name in parts(found) if name.startswith("bots/")]

    assert bots(bundle_of(database, "cup")) == []
    assert str(database.parent).encode() not in b"".join(parts(bundle).values())
    lines = {line["name"]: line for line in map(json.loads, parts(bundle)["bots.jsonl"].splitlines())}
    assert bots(bundle) == sorted(f"bots/{lines[name]['version']}.json" for name in ("walker", "failing"))
    assert (lines["walker"]["number"], lines["walker"]["author"]) == (2, ANN)
    assert "number" not in lines["failing"]


@pytest.mark.parametrize("part", ["results.jsonl", "replays.jsonl", "ratings.jsonl", "bots.jsonl", "spec.json", "bots/"])
def test_an_edited_byte_is_found_or_the_bundle_refused(bundle: bytes, tmp_path: Path, part: str) -> None:
    found = parts(bundle)
    name = next(each for each in found if each.startswith(part))
    rng = random.Random(part)
    begin, end = 0, len(found[name]) - 1
    if part == "bots/":  # what decides how it plays; the rest is a name, a path, and defaults
        begin, end = found[name].index(b'"class_name"'), found[name].index(b'"files"')
    for _ in range(12):
        content = bytearray(found[name])
        place = rng.randrange(begin, end)
        content[place] = rng.choice([each for each in b"0123456789abcdef,[{" if each != content[place]])
        if any(key in content[max(0, place - 20) : place + 1] for key in (b"isolation", b"author")):
            continue  # claims from which nothing follows
        try:
            _, told = verify(zipped(found | {name: bytes(content)}), tmp_path)
        except DamagedBundleError as error:
            told = [str(error)]
        assert told, (name, place)


def test_matches_in_another_order_are_all_checked(bundle: bytes, tmp_path: Path) -> None:
    found = parts(bundle)
    for name in ("results.jsonl", "replays.jsonl"):
        found[name] = b"".join(reversed(found[name].splitlines(keepends=True)))
    verdict, told = verify(zipped(found), tmp_path)
    assert (verdict.stored, told) == (6, [])


def without(key: str) -> Edit:
    def edit(found: dict[str, bytes]) -> None:
        del found[key]

    return edit


def put(key: str, content: bytes) -> Edit:
    return lambda found: found.update({key: content})


def manifest(**changes: object) -> Edit:
    def change(found: Parts) -> None:
        found["manifest.json"] = json.dumps(json.loads(found["manifest.json"]) | changes).encode()

    return change


def first_result(**changes: object) -> Edit:
    def change(found: Parts) -> None:
        first, *rest = found["results.jsonl"].splitlines()
        found["results.jsonl"] = b"\n".join([json.dumps(json.loads(first) | changes).encode(), *rest])

    return change


HOSTILE = {
    "no manifest": (without("manifest.json"), "it has no manifest.json"),
    "no replays": (without("replays.jsonl"), "it has no replays.jsonl"),
    "a path outside": (put("../../outside", b"x"), "'../../outside' does not belong in a bundle"),
    "an absolute path": (put("/etc/passwd", b"x"), "'/etc/passwd' does not belong in a bundle"),
    "another file": (put("run.py", b"x"), "'run.py' does not belong in a bundle"),
    "a bot's path outside": (put("bots/../../x.json", b"x"), "does not belong in a bundle"),
    "another format": (
        manifest(format="arena-bundle/9"),
        "its format is 'arena-bundle/9'; this program reads 'arena-bundle/1'",
    ),
    "a huge number": (manifest(matches=10**30), "manifest.json: it has 1000000000000000000000000000000 matches"),
    "too many matches": (manifest(matches=10**9), "it has 1000000000 matches; a bundle has at most"),
    "a negative number": (manifest(matches=-1), "it has -1 matches"),
    "no JSON": (put("results.jsonl", b"{]"), "results.jsonl: line 1: "),
    "deep JSON": (put("results.jsonl", b"[" * 500_000), "results.jsonl: line 1: "),
    "no UTF-8": (put("results.jsonl", b'{"id":"\xff"}'), "results.jsonl: line 1: "),
    "an empty manifest": (put("manifest.json", b""), "manifest.json: it is empty"),
    "two specs": (put("spec.json", b"{}\n{}\n"), "spec.json: it should be one line"),
    "a number as text": (first_result(seed="7"), "results.jsonl: line 1: Expected `int`, got `str` - at `$.seed`"),
    "true for a number": (first_result(block=True), "results.jsonl: line 1: Expected `int`, got `bool` - at `$.block`"),
    "a match less": (lambda found: found.update({"results.jsonl": found["results.jsonl"].split(b"\n", 1)[1]}), "it has 5 matches, but"),
    "a replay less": (lambda found: found.update({"replays.jsonl": b""}), "replays.jsonl: the replay of match "),
    "a replay more": (
        lambda found: found.update({"replays.jsonl": found["replays.jsonl"] + b"{}\n"}),
        "replays.jsonl: it has more lines than results.jsonl",
    ),
    "a key that nothing checks": (manifest(program="9.9"), "Object contains unknown field `program`"),
    "a match twice": (
        lambda found: found.update({"results.jsonl": b"\n".join(found["results.jsonl"].split(b"\n")[:1] * 6)}),
        "results.jsonl: it has a match twice",
    ),
    "a bomb": (put("results.jsonl", b" " * (20 << 20)), "results.jsonl: line 1 is longer than 1048576 bytes"),
}


@pytest.mark.parametrize(("change", "sentence"), HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_bundle_is_refused_in_one_sentence(bundle: bytes, tmp_path: Path, change: Edit, sentence: str) -> None:
    found = parts(bundle)
    change(found)
    with pytest.raises(DamagedBundleError) as caught:
        verify(zipped(found), tmp_path)
    assert str(caught.value).startswith(f"{tmp_path / 'cup.zip'} is not a complete bundle: ")
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == [tmp_path / "cup.zip"]


@pytest.mark.slow
def test_a_bundle_that_is_cut_anywhere_is_refused(bundle: bytes, tmp_path: Path) -> None:
    for size in range(0, len(bundle) - 1, len(bundle) // 15):
        with pytest.raises(DamagedBundleError, match="is not a complete bundle: "):
            verify(bundle[:size], tmp_path)


def test_a_database_that_does_not_hold_together_is_not_exported(database: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(database, tmp_path / "league.db"))
    edit(path, "UPDATE match SET id = 'another' WHERE rowid = 1")
    with pytest.raises(UnfitError, match=r"is inconsistent: .*; 'arena verify .*' lists what is wrong$"):
        bundle_of(path, "cup")


def test_verify_and_export_on_the_command_line(database: Path, tmp_path: Path, run: Run) -> None:
    league = tmp_path / "league.db"
    league.write_bytes(database.read_bytes())
    done = run("export", "league.db", "--tournament", "cup", "--bundle", "cup.zip")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "Wrote cup.zip: 6 of 6 matches of cup; check it with: arena verify cup.zip\n"
    league.rename(tmp_path / "elsewhere.db")
    done = run("verify", "cup.zip")
    assert (done.returncode, done.stderr) == (0, "")
    said, seal, results, ratings = done.stdout.splitlines()
    assert said.startswith("cup: 6 of 6 matches, ")
    assert said.endswith(" decisions played again: all agrees")
    done = run(
        "verify",
        "cup.zip",
        "--expect",
        results.replace(" ", "="),
        "--expect",
        ratings.replace(" ", "="),
        "--expect",
        seal.removeprefix("seal "),
    )
    assert done.returncode == 0
    done = run("verify", "cup.zip", "--expect", f"results=sha256:{'0' * 64}")
    assert done.returncode == 1
    assert "tournament cup: digest of the results, as it was expected: stored 'sha256:0000" in done.stdout
    edit(tmp_path / "elsewhere.db", "UPDATE seat SET score = score + 1 WHERE rowid = 1")
    done = run("verify", "elsewhere.db")
    assert done.returncode == 1
    assert "score of seat 0: stored " in done.stdout
    assert "cup: 6 of 6 matches" in done.stdout
    found = json.loads(run("verify", "elsewhere.db", "--json").stdout)
    assert [len(each["disagreements"]) for each in found["tournaments"]] == [2, 0]  # the score, and the seal


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("verify", "none.db"), "there is no database none.db"),
        (("verify", "none.zip"), "there is no file none.zip"),
        (("verify", "text.zip"), "text.zip is not a complete bundle: File is not a zip file"),
        (("verify", "text.db"), "text.db is not a database of this program"),
        (("verify", "text.db", "--expect", "results"), "--expect results: write it as the run printed it"),
        (("verify", "text.db", "--expect", "two\nlines"), r"--expect two\nlines: write it as the run printed it"),
        (("verify", "text.db", "--expect", "text.zip"), "text.zip is not a file of seals: line 1: "),
        (("verify", "text.db", "--key", "me"), "'me' is neither a public key nor a file; a public key is 'ed25519:' and 64 hex digits"),
        (("verify", "text.db", "--key", "text.zip"), "text.zip is not a key file of this program; 'arena key FILE' writes one"),
        (("key", "text.zip"), "text.zip is not a key file of this program; 'arena key FILE' writes one"),
        (("export", "text.db"), "say what to export: one of --bundle FILE, --seals FILE, --decisions FILE, --json and --csv"),
        (("export", "text.db", "--json", "--with-bots"), "--with-bots is for a bundle; give --bundle FILE, too"),
    ],
)
def test_wrong_input_gets_one_sentence(tmp_path: Path, run: Run, arguments: tuple[str, ...], sentence: str) -> None:
    for name in ("text.zip", "text.db"):
        (tmp_path / name).write_text("nothing of the kind, but long enough")
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {sentence}")
    assert done.stderr.count("\n") == 1
