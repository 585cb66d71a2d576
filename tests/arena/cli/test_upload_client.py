"""What a contestant is told when the server, or a proxy before it, does not take a bot."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any, cast

import httpx2
import pytest

from arena.cli.bots import uploading
from arena.cli.bots.uploading import Upload, pack_bot, send, wait
from arena.cli.errors import UserError
from arena.entries.bot_check import CheckProgress
from arena.entries.check_report import CheckStage
from bots.loader.loading import identify

BOT = b"class Bot:\n    def choose(self, view, clock): ...\n"
UPLOAD: dict[str, Any] = (
    dict.fromkeys(("name", "problem", "label", "ladder", "entrant", "stage"), "")
    | dict.fromkeys(("done", "all", "failed", "decisions"), 0)
    | {"id": "a", "game": "tongiaki", "state": "waiting", "notes": [], "report": None, "next_round": None, "replays": []}
)


def test_a_folder_is_sent_with_its_manifest_and_nothing_that_it_does_not_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "walker"
    folder.mkdir()
    for name, text in {
        "bot.toml": "command = ['sh', 'bot.sh']\nfiles = ['bot.sh']\n",
        "bot.sh": "read line\n",
        "notes.txt": "mine",
    }.items():
        (folder / name).write_text(text)
    monkeypatch.chdir(folder)
    parcel = pack_bot(".")
    assert (parcel.name, parcel.filename) == ("walker", "walker.zip")
    with zipfile.ZipFile(io.BytesIO(parcel.content)) as archive:
        assert sorted(archive.namelist()) == ["bot.sh", "bot.toml"]


def test_a_module_is_the_same_version_after_it_was_packed(tmp_path: Path) -> None:
    folder = tmp_path / "walker"
    folder.mkdir()
    (folder / "walker.wasm").write_bytes((Path(__file__).parents[3] / "examples" / "wasm" / "c.wasm").read_bytes())
    (folder / "bot.toml").write_text("wasm = 'walker.wasm'\n")
    parcel = pack_bot(str(folder))
    (tmp_path / parcel.filename).write_bytes(parcel.content)
    assert identify(str(tmp_path / parcel.filename)).digest == identify(str(folder)).digest


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("gone.py", "there is no file gone.py"),
        ("bot.py:Bot", 'put bot.py into a folder with a bot.toml that says class = "bot:Bot"'),
        (
            "bot.c",
            "bot.c is a source, not a bot: compile it, and put the program into a folder with a bot.toml that says command = ['./bot']",
        ),
    ],
)
def test_what_can_not_be_sent_is_told_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, words: str) -> None:
    monkeypatch.chdir(tmp_path)
    for file in ("bot.py", "bot.c"):
        Path(file).write_bytes(BOT)
    with pytest.raises(UserError) as caught:
        pack_bot(name)
    assert str(caught.value).endswith(words)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            httpx2.Response(413, html="<h1>413</h1>"),
            r"(413): 'Content Too Large' to \d+ bytes, says",
        ),
        (httpx2.Response(409, json={"error": "walker is Ben's"}), r"(409): walker is Ben's$"),
        (httpx2.Response(200, json=["else"]), r"(200): no reason given$"),
        (httpx2.Response(404, html="<p>nothing here"), r"takes no submissions"),
        *(
            (httpx2.Response(202, json=UPLOAD | wrong), "this program can't read the server's answer; their versions may differ")
            for wrong in ({"stage": "other"}, {"report": [1]}, {"replays": [1]}, {"next_round": {"round": 1}})
        ),
        (httpx2.Response(202, json={"state": "waiting"}), "this program can't read the server's answer; their versions may differ"),
    ],
)
def test_a_refusal_is_one_sentence_without_markup(tmp_path: Path, answer: httpx2.Response, words: str) -> None:
    bot = tmp_path / "bot.py"
    bot.write_bytes(BOT)
    with (
        httpx2.Client(base_url="http://arena.example", transport=httpx2.MockTransport(lambda _: answer)) as client,
        pytest.raises(UserError, match=words.replace("(", r"\(").replace(")", r"\)")) as caught,
    ):
        send(client, pack_bot(str(bot)), "walker", "", "tongiaki")
    assert not {"\n", "<"} & set(str(caught.value))


def test_each_stage_is_shown_while_the_command_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploading, "_POLL_SECONDS", 0.0)
    start = UPLOAD | {"state": "checking", "stage": "start", "all": 2}
    play = start | {"stage": "play", "done": 1, "failed": 1, "decisions": 40}
    answers = iter([UPLOAD, start, play, play | {"state": "failed", "done": 2}])
    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, json=next(answers)))
    shown: list[CheckProgress] = []
    with httpx2.Client(base_url="http://arena.example", transport=transport) as client:
        over = wait(client, cast(Upload, UPLOAD), shown.append)
    assert over["state"] == "failed"
    assert shown == [
        CheckProgress(CheckStage.START, 0, 2),
        CheckProgress(CheckStage.PLAY, 1, 2, 1, 40),
        CheckProgress(CheckStage.PLAY, 2, 2, 1, 40),
    ]


def test_the_sizes_of_tables_are_sent(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_bytes(BOT)
    sent: list[bytes] = []

    def take(request: httpx2.Request) -> httpx2.Response:
        sent.append(request.read())
        return httpx2.Response(202, json=UPLOAD)

    with httpx2.Client(base_url="http://arena.example", transport=httpx2.MockTransport(take)) as client:
        send(client, pack_bot(str(bot)), "walker", "", "tongiaki", (2, 3))
    assert [part.partition(b"\r\n\r\n")[2].split()[0] for part in sent[0].split(b'name="players"')[1:]] == [b"2", b"3"]


def test_parameters_of_a_file_travel_in_a_manifest(tmp_path: Path) -> None:
    (tmp_path / "walker.py").write_text(
        "class A:\n    params = {'depth': 2}\n    def choose(self, view, clock): return view.legal_moves[0]\n"
    )
    parcel = pack_bot(f"{tmp_path / 'walker.py'}?depth=3")
    assert (parcel.name, parcel.filename) == ("walker", "walker.zip")
    (tmp_path / parcel.filename).write_bytes(parcel.content)
    version = identify(str(tmp_path / parcel.filename))
    assert (version.name, version.class_name, version.declared) == ("walker", "A", (("depth", 3),))
    with pytest.raises(UserError, match=r"under \[params\] into its bot\.toml"):
        pack_bot(f"{tmp_path / parcel.filename}?depth=4")
