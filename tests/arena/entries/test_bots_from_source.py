"""Bots from source through the program: checked, played, submitted to a file and to a server, and played again from what is stored."""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from arena.entries.bot_resolution import find_bot, find_bots
from arena.entries.stored_tournament import ChangedError, find_additions, find_existing
from arena.spec.spec import read_spec
from arena.web.app import make_app
from bots.building import builder, probe
from bots.loader.version import is_genuine
from leaderboard.storage.store import Store
from tests.arena.web.hosting import LADDER, make_ladder, make_token, served, settings_for, sign_in

EXAMPLE = Path(__file__).parents[3] / "examples" / "c_bot"
BROKEN = "int main(void { return 0; }\n"
SPEC = 'name = "{name}"\ngame = "tongiaki"\nseed = 7\nbots = ["random", "{bot}"]\n[schedule]\ntables = [2]\n'


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]) -> None:
    if probe.best_level() is None:
        pytest.skip(f"no bot can be built here: {probe.why_not()}")
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path / "cache"))
    environment["ARENA_CACHE"] = str(tmp_path / "cache")


@pytest.fixture
def cli(run: Callable[..., Any], tmp_path: Path) -> Callable[..., str]:
    shutil.copytree(EXAMPLE, tmp_path / "c_bot", ignore=shutil.ignore_patterns("bot"))
    shutil.copytree(tmp_path / "c_bot", tmp_path / "broken")
    (tmp_path / "broken" / "bot.c").write_text(BROKEN)

    def go(*arguments: str, code: int = 0) -> str:
        done = run(*arguments)
        assert done.returncode == code, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return str(done.stdout if code == 0 else done.stdout + done.stderr)

    return go


def packed(folder: Path) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for path in sorted(folder.iterdir()):
            archive.write(path, path.name)
    return file.getvalue()


@pytest.mark.slow
def test_a_check_shows_the_warnings_of_the_build(cli: Callable[..., str], tmp_path: Path) -> None:
    manifest = 'build = ["cc", "-O2", "-Wall", "-o", "bot", "bot.c"]\ncommand = ["./bot"]\n'
    (tmp_path / "c_bot" / "bot.toml").write_text(manifest)
    source = tmp_path / "c_bot" / "bot.c"
    source.write_text(source.read_text().replace("int main(void)\n{", "int main(void)\n{\n    int nobody_uses_me;"))
    for _ in range(2):  # what is kept has its log, too
        told = cli("bots", "check", "c_bot", "--game", "tongiaki", "--quick")
        assert "the log of its build:" in told
        assert "nobody_uses_me" in told


@pytest.mark.slow  # builds with a compiler
@pytest.mark.sampled(1)  # a compiler runs for each
@pytest.mark.parametrize(
    "command",
    [("bots", "check", "broken", "--quick"), ("match", "broken", "random"), ("bots", "submit", "broken", "--db", "s.db")],
    ids=["check", "match", "submit"],
)
def test_a_build_that_fails_is_one_sentence_and_its_log(cli: Callable[..., str], tmp_path: Path, command: tuple[str, ...]) -> None:
    told = cli(*command, "--game", "tongiaki", code=2)
    assert "the bot broken can't be built: the build failed: 'cc' ended with exit code 1" in " ".join(told.split())
    assert "the log of its build:" in told
    assert "bot.c:1" in told
    assert not (tmp_path / "s.db").exists()


@pytest.mark.slow  # builds with a compiler
def test_a_run_says_which_bot_can_not_be_built(cli: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(SPEC.format(name="cup", bot="broken"))
    told = cli("run", "cup.toml", "--db", "cup.db", "--executor", "inline", code=2)
    assert "bot 'broken': the bot broken can't be built" in " ".join(told.split())
    assert "bot.c:1" in told
    assert not (tmp_path / "cup.db").exists()


# a compiler runs, and the program five times
@pytest.mark.slow  # builds it with a compiler
def test_a_submitted_bot_is_stored_with_its_source_and_never_built_again(
    cli: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "walker@1" in cli("bots", "submit", "c_bot", "--name", "walker", "--author", "Ana", "--db", "s.db", "--game", "tongiaki")
    shown = cli("bots", "show", "walker", "--db", "s.db")
    for words in ("by cc -O2 -o bot bot.c -lm", "built with", "bot.c (source)", "plays ./bot"):
        assert words in shown
    built = json.loads(cli("bots", "show", "walker", "--db", "s.db", "--json"))["build"]
    assert [*built["source"]] == ["bot.c"]
    shutil.rmtree(tmp_path / "cache")
    monkeypatch.setattr(builder, "run_build", None)
    with Store.read(str(tmp_path / "s.db")) as store:
        version = find_bot("walker", store, in_process=False)
    assert is_genuine(version)
    assert [name for name, _ in version.files] == ["bot"]
    (tmp_path / "cup.toml").write_text(SPEC.format(name="cup", bot="walker@1"))
    shutil.rmtree(tmp_path / "c_bot")
    assert "walker" in cli("run", "cup.toml", "--db", "s.db", "--executor", "inline", "--allow-open-seed")
    assert "agree" in cli("verify", "s.db")


@pytest.mark.slow
def test_a_run_goes_on_with_what_was_built(cli: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(SPEC.format(name="cup", bot="c_bot"))
    first = cli("run", "cup.toml", "--db", "cup.db", "--executor", "inline")
    [kept] = (tmp_path / "cache" / "builds").iterdir()
    before = kept.stat().st_ino
    assert cli("run", "cup.toml", "--db", "cup.db", "--executor", "inline").splitlines()[-1] == first.splitlines()[-1]
    assert [path.stat().st_ino for path in (tmp_path / "cache" / "builds").iterdir()] == [before]


@pytest.mark.slow
def test_another_compiler_is_told_and_not_played(cli: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cup.toml").write_text(SPEC.format(name="cup", bot="c_bot"))
    cli("run", "cup.toml", "--db", "cup.db", "--executor", "inline")
    monkeypatch.setattr("bots.building.toolchains.version_of", lambda program, _level: f"{program.name}: version 99")
    spec = read_spec(tmp_path / "cup.toml")
    with Store.read(str(tmp_path / "cup.db")) as store:
        existing = find_existing(store, "cup")
        assert existing is not None
        versions = find_bots(spec, tmp_path, store, in_process=False)
        with pytest.raises(ChangedError, match=r"the bot 'c_bot', or what builds it, which is now .*cc: version 99, has changed since"):
            find_additions(existing, existing.spec, versions, store.name)


def test_the_doctor_says_where_bots_are_built_and_by_what() -> None:
    from arena.cli.host.doctor import _builds

    finding = _builds()
    assert finding.is_ok
    assert finding.detail.startswith(f"{probe.best_level()}, where every attack of a build was refused; cc (")


# A server


@pytest.fixture
def db(tmp_path: Path) -> Path:
    path = tmp_path / "league.db"
    make_ladder(path)
    return path


@pytest.fixture
def client(db: Path) -> Iterator[TestClient]:
    with TestClient(make_app(settings_for(db, uploads_per_hour=1000, requests_per_minute=10**6)), raise_server_exceptions=False) as found:
        yield found


@pytest.mark.slow
def test_the_web_form_builds_and_shows_why_it_can_not(client: TestClient, db: Path, cli: Callable[..., str], tmp_path: Path) -> None:
    sign_in(client, make_token(db))
    for name, folder, words in (
        ("walker", "c_bot", "<strong>walker@1</strong>"),
        ("broken", "broken", "can&#39;t be built: the build failed: &#39;cc&#39; ended with exit code 1"),
    ):
        form = {"name": name, "ladder": LADDER, "game": "tongiaki"}
        sent = client.post(
            "/submit", data=form, files={"file": ("bot.zip", packed(tmp_path / folder))}, headers={"origin": "http://testserver"}
        )
        assert sent.status_code == 200, sent.text
        page = wait_for(client, str(sent.url.path))
        assert words in page
        assert ("The log of its build" in page) == (folder == "broken")


def wait_for(client: TestClient, path: str) -> str:
    import time

    until = time.monotonic() + 200
    while time.monotonic() < until:
        page = client.get(path).text
        if "accepted</strong>" in page.lower() or "not accepted" in page.lower():
            return page
        time.sleep(0.1)
    pytest.fail("the check was never over")


@pytest.mark.slow
def test_the_program_sends_source_to_a_server(db: Path, cli: Callable[..., str]) -> None:
    token = make_token(db)
    with served(settings_for(db, host_names=("127.0.0.1",))) as server:
        sent = cli("bots", "submit", "c_bot", "--name", "walker", "--to", server, "--token", token, "--ladder", LADDER)
        assert f"Accepted as walker@1, entered into {LADDER} as walker." in sent
        refused = cli("bots", "submit", "broken", "--name", "broken", "--to", server, "--token", token, "--ladder", LADDER, code=1)
    assert "can't be built: the build failed" in refused
    assert "bot.c:1" in refused
    with Store.read(str(db)) as store:
        assert is_genuine(find_bot("walker", store, in_process=False))
