"""The commands that send notices, and what their host sees of those that are not sent."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from starlette.testclient import TestClient

from arena.notices import background
from arena.report.person_export import export_person
from arena.web.app import make_app
from arena.web.settings import WebSettings
from leaderboard.storage.people import find_person
from leaderboard.storage.store import Store
from tests.arena.conftest import Run
from tests.arena.notices.receivers import SECRET, Hook, Post, targets_of
from tests.arena.notices.test_background import happen, known
from tests.waiting import wait_for

CUP = """
name = "cup"
game = "tongiaki"
seed = 3
bots = [{ name = "anas", source = "random", author = "Ana" }, { name = "bens", source = "random", author = "Ben" }]
schedule = { tables = [2] }
"""


@pytest.fixture
def file(tmp_path: Path, hook: Hook, post: Post) -> Path:
    (tmp_path / "chat.secret").write_text(SECRET)
    (tmp_path / "cup.toml").write_text(CUP)
    (tmp_path / "list.csv").write_text("name,mail\nAna,ana@example.org\nBen,\nCid,cid@example.org\n")
    path = tmp_path / "notices.toml"
    path.write_text(
        f'[webhooks.chat]\nurl = "{hook.target.url}"\nsecret = "chat.secret"\n'
        f'[mail]\nserver = "127.0.0.1"\nport = {post.server_address[1]}\nsecurity = "none"\nsender = "arena@example.org"\n'
    )
    return path


def test_a_run_tells_its_end_to_those_who_took_part(run: Run, file: Path, hook: Hook, post: Post) -> None:
    run("people", "import", "list.csv", "--db", "cup.db")
    done = run("run", "cup.toml", "--db", "cup.db", "--isolation", "none", "--executor", "inline", "--notices", file.name)
    assert done.returncode == 0, done.stderr
    [(_, content)] = hook.taken
    assert content["data"]["text"].startswith("'cup' is over.\n1. ")
    assert [mail["To"] for mail in post.taken] == ["ana@example.org"]
    again = run("run", "cup.toml", "--db", "cup.db", "--isolation", "none", "--executor", "inline", "--notices", file.name)
    assert (again.returncode, len(hook.taken), len(post.taken)) == (0, 1, 1)


def test_a_wrong_file_is_one_sentence_before_anything_begins(run: Run, tmp_path: Path, file: Path) -> None:
    file.write_text(file.read_text().replace("server =", "sever ="))
    for command in (["run", "cup.toml"], ["serve", "--port", "0"]):
        done = run(*command, "--db", "cup.db", "--notices", file.name)
        assert (done.returncode, done.stderr) == (2, "error: notices.toml, line 5: unknown key 'mail.sever'; did you mean 'server'?\n")
    assert not (tmp_path / "cup.db").exists()


def test_what_is_not_sent_is_shown_to_the_host_within_eighty_columns(run: Run, file: Path, hook: Hook, post: Post) -> None:
    hook.status, post.answers["RCPT"] = 500, "550 <ana@example.org>: there is nobody of that name here, and never was"
    run("people", "import", "list.csv", "--db", "cup.db")
    run("run", "cup.toml", "--db", "cup.db", "--isolation", "none", "--executor", "inline", "--notices", file.name)
    shown = run("status", "--db", "cup.db").stdout
    assert max(map(len, shown.splitlines())) <= 80
    assert "notices  2 not sent" in shown
    assert "the server answers 550 <the address>" in " ".join(shown.split())
    found = json.loads(run("status", "--db", "cup.db", "--json").stdout)["host"]["unsent"]
    assert [(each["target"], each["person"], each["tries"]) for each in found] == [("mail", "Ana", 1), ("chat", None, 1)]
    assert "ana@" not in shown + json.dumps(found)


def test_a_server_sends_too_and_a_person_s_export_has_what_they_were_sent(
    tmp_path: Path, file: Path, hook: Hook, post: Post, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "POLL_SECONDS", 0.05)
    run("people", "import", "list.csv", "--db", "cup.db")
    targets = targets_of(hook, post.target())
    with TestClient(make_app(WebSettings(str(tmp_path / "cup.db"), notices=targets))):
        wait_for(lambda: known(tmp_path / "cup.db"))
        happen(str(tmp_path / "cup.db"), targets, "a")
    assert (len(hook.taken), len(post.taken)) == (1, 2)
    with Store.read(tmp_path / "cup.db") as store:
        packed = BytesIO()
        export_person(store, find_person(store, "Cid"), packed)
    [told] = json.loads(ZipFile(packed).read("person.json"))["notices"]
    assert (told["subject"], told["text"], told["state"]) == ("a begins", "It begins.", "sent")
