"""What a contestant is told when the server, or a proxy before it, does not take a bot."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import httpx2
import pytest
from typer.testing import CliRunner

from arena.cli.app import app
from arena.cli.bots import uploading
from arena.cli.bots.uploading import Parcel, Upload, _show_next_round, open_server, pack_bot, send, wait
from arena.cli.output import UserError
from arena.entries.bot_check import CheckProgress
from arena.entries.check_report import CheckStage
from bots.loader.loading import identify

BOT = b"class Bot:\n    def choose(self, view, clock): ...\n"
UPLOAD: dict[str, Any] = (
    dict.fromkeys(("name", "reason", "label", "ladder", "entrant", "stage"), "")
    | dict.fromkeys(("done", "planned", "failed", "decisions"), 0)
    | {"id": "a", "game": "tongiaki", "state": "waiting", "note": "", "report": None, "next_round": None, "replays": []}
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
        ("bot.py:Bot", 'put bot.py into a folder with a bot.toml that sets class = "bot:Bot"'),
        (
            "bot.c",
            "source code, not a bot: compile it, and put the program into a folder with a bot.toml that contains command = ['./bot']",
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
            r"(413): 'Content Too Large' for \d+ bytes, from",
        ),
        (httpx2.Response(409, json={"error": "walker is Ben's"}), r"(409): walker is Ben's$"),
        (httpx2.Response(200, json=["else"]), r"(200): no reason$"),
        (httpx2.Response(404, html="<p>nothing here"), r"accepts no submissions"),
        *(
            (httpx2.Response(202, json=UPLOAD | wrong), "this program can't read the server's answer; the server's version may differ")
            for wrong in ({"stage": "other"}, {"report": [1]}, {"replays": [1]}, {"next_round": {"round": 1}})
        ),
        (httpx2.Response(202, json={"state": "waiting"}), "this program can't read the server's answer; the server's version may differ"),
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


def test_a_bot_above_the_limit_of_the_server_is_not_sent() -> None:
    asked: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(request.url.path)
        return httpx2.Response(200, json={"upload_bytes": 8 << 20})

    with (
        httpx2.Client(base_url="http://arena.example", transport=httpx2.MockTransport(answer)) as client,
        pytest.raises(UserError, match=r"^walker.zip is 40.0 MiB, but http://arena.example accepts less than 8 MiB$"),
    ):
        send(client, Parcel("walker", "walker.zip", bytes(40 << 20)), "walker", "", "tongiaki")
    assert asked == ["/api/v1/limits"]


def test_each_stage_is_shown_while_the_command_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploading, "_POLL_SECONDS", 0.0)
    start = UPLOAD | {"state": "checking", "stage": "start", "planned": 2}
    play = start | {"stage": "play", "done": 1, "failed": 1, "decisions": 40}
    answers = iter([UPLOAD, start, play, play | {"state": "refused", "done": 2}])
    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, json=next(answers)))
    shown: list[CheckProgress] = []
    with httpx2.Client(base_url="http://arena.example", transport=transport) as client:
        over = wait(client, cast(Upload, UPLOAD), shown.append)
    assert over["state"] == "refused"
    assert shown == [
        CheckProgress(CheckStage.START, 0, 2),
        CheckProgress(CheckStage.PLAY, 1, 2, 1, 40),
        CheckProgress(CheckStage.PLAY, 2, 2, 1, 40),
    ]


def gone(_request: httpx2.Request) -> httpx2.Response:
    raise httpx2.ConnectError("[Errno 111] Connection refused")


def bomb(_request: httpx2.Request) -> httpx2.Response:
    def parts() -> Iterator[bytes]:
        packer = zlib.compressobj(wbits=31)
        while True:
            yield packer.compress(bytes(1 << 22))

    return httpx2.Response(200, headers={"content-encoding": "gzip"}, content=parts())


@pytest.mark.parametrize(
    ("answer", "code", "words"),
    [
        (gone, 1, "can't be reached: [Errno 111] Connection refused"),
        (bomb, 1, "arena.example sends more than an arena server does: its answer does not end within 32 MiB"),
        (httpx2.Response(502, html="<h1>nginx</h1>"), 2, "(502): 'Bad Gateway', from a proxy"),
        (httpx2.Response(429, text="Too many requests.\n"), 2, "(429): Too many requests."),
        (httpx2.Response(200, content=b"[" * 100_000), 2, "refused the request (200)"),
        (httpx2.Response(503, content=b"no", headers={"content-type": "text/plain; charset=rot13"}), 2, "(503): no"),
        (httpx2.Response(200, content=b'{"state": "", "done": ' + b"9" * 4300 + b"}"), 2, "refused the request (200)"),
        (httpx2.Response(401, json={"error": "no\x1b[31m\nsuch token"}), 2, "(401): no\\x1b[31m such token"),
    ],
)
def test_a_server_that_is_away_or_none_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: Any, code: int, words: str
) -> None:
    (tmp_path / "bot.py").write_bytes(BOT)
    transport = httpx2.MockTransport(answer if callable(answer) else lambda _: answer)
    client = httpx2.Client(base_url="http://arena.example", transport=transport)
    monkeypatch.setattr(uploading, "open_server", lambda *_: client)
    given = ["bots", "submit", str(tmp_path / "bot.py"), "--to", "http://arena.example", "--token", "x", "--game", "tongiaki"]
    done = CliRunner().invoke(app, given, env={"ARENA_DB": ""})
    assert done.exit_code == code, done.output
    assert words in done.output
    assert len(done.output.splitlines()) == 1


@pytest.mark.parametrize(
    ("address", "token", "words"),
    [
        ("https://arena.example", "", "--to needs a token: set the environment variable ARENA_TOKEN, or give --token"),
        ("https://arena.example", "t\u00f6ken", "the token contains invalid characters"),
        ("arena.example", "x", "--to arena.example: write the address as https://HOST"),
        ("https://arena.example:x", "x", "--to https://arena.example:x: Invalid port"),
    ],
)
def test_a_wrong_address_is_a_sentence(address: str, token: str, words: str) -> None:
    with pytest.raises(UserError, match=re.escape(words)):
        open_server(address, token)


def test_the_author_of_an_accepted_bot_sees_when_it_plays(capsys: pytest.CaptureFixture[str]) -> None:
    coming = {"ladder": "my cup", "bot": "walker", "round": 4, "is_running": False, "notes": []}
    _show_next_round(cast(Upload, {"next_round": coming}), "https://arena.example")
    assert capsys.readouterr().out.splitlines() == [
        "It plays from round 4 on.",
        "No run is in progress; the round begins when the host starts one.",
        "Its page: https://arena.example/t/my%20cup/bots/walker",
        "Its matches, faults and logs (only you can see them): https://arena.example/my",
    ]
    over = {"next_round": coming | {"round": None, "notes": ["the ladder ends after round 3"]}}
    _show_next_round(cast(Upload, over), "https://arena.example")
    assert capsys.readouterr().out.startswith("The ladder ends after round 3.\nIts page")


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


@pytest.mark.parametrize(("reason", "code"), [("", 0), ("It was not entered into 'cup': why.", 1)])
def test_a_bot_that_was_accepted_and_not_entered_is_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: str, code: int
) -> None:
    (tmp_path / "bot.py").write_bytes(BOT)
    over = UPLOAD | {"state": "accepted", "label": "bot@1", "reason": reason}
    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, json=over))
    monkeypatch.setattr(uploading, "open_server", lambda *_: httpx2.Client(base_url="http://arena.example", transport=transport))
    given = ["bots", "submit", str(tmp_path / "bot.py"), "--to", "http://arena.example", "--token", "x", "--ladder", "cup"]
    done = CliRunner().invoke(app, given, env={"ARENA_DB": ""})
    assert (done.exit_code, "Accepted as bot@1." in done.output, reason in done.output) == (code, True, True)
