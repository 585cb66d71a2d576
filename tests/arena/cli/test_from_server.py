"""Commands that ask a server for an author's own bots: what they show, and one sentence for whatever goes wrong."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copy
from typing import Any, cast

import httpx2
import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from arena.cli import remote
from arena.cli.app import app
from arena.cli.bots.uploading import Upload, _show_next_round
from arena.cli.results import faults
from arena.web.app import make_app
from tests.arena.web.hosting import LADDER, make_token, matches_of, settings_for

SERVER = "http://testserver"
Run = Callable[..., str]


@pytest.fixture(scope="module")
def db(own_bots: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(copy(own_bots, tmp_path_factory.mktemp("own")))


@pytest.fixture(scope="module")
def server(db: Path) -> Iterator[TestClient]:
    with TestClient(make_app(settings_for(db))) as client:
        yield client


@pytest.fixture
def run(db: Path, server: TestClient, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command with the token of an author, against the server in this process; return what it prints."""

    def go(*arguments: str, author: str = "Ana", token: str | None = None, code: int = 0) -> str:
        def answer(request: httpx2.Request) -> httpx2.Response:
            response = server.get(request.url.raw_path.decode(), headers={"authorization": request.headers["authorization"]})
            return httpx2.Response(response.status_code, headers={"content-type": "application/json"}, content=response.content)

        client = httpx2.Client(base_url=SERVER, transport=httpx2.MockTransport(answer))
        monkeypatch.setattr(remote, "open_server", lambda _option, _address, given: _with_token(client, given))
        environment = {"COLUMNS": "80", "ARENA_TOKEN": make_token(db, author) if token is None else token, "ARENA_DB": ""}
        done = CliRunner().invoke(app, list(arguments), env=environment)
        assert done.exit_code == code, done.output
        return done.output

    return go


def _with_token(client: httpx2.Client, token: str) -> httpx2.Client:
    client.headers["authorization"] = f"Bearer {token}"
    return client


@pytest.mark.slow  # a server
def test_matches_are_those_of_ones_own_bots_with_the_change_of_rating(run: Run) -> None:
    listed = json.loads(run("matches", "--from", SERVER, "--json"))["matches"]
    shown = run("matches", "--from", SERVER)
    assert [line.split()[0] for line in shown.splitlines() if line[:1].isalnum()][2:] == [each["match"]["id"] for each in listed]
    change = listed[0]["change"]
    assert f"{change['mu'] - change['before'][0]:+.2f}" in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert len(run("matches", "--from", SERVER, "--bot", "walker", "--limit", "1").splitlines()) <= 4


def test_faults_are_shown_as_from_a_database(run: Run, db: Path) -> None:
    there = run("faults", "--from", SERVER, "--bot", "walker", "--limit", "4")
    here = run("faults", "--db", str(db), "--bot", "walker", "--limit", "4")
    assert there.splitlines()[:-1] == here.splitlines()[:-1]
    assert "Traceback" not in there
    assert run("faults", "--from", SERVER, "--traceback").count("Traceback") == 2  # one for each version
    assert "None of your bots" not in there


def test_many_faults_are_counted_and_only_the_newest_have_a_line_each(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run("faults", "--from", SERVER, "--limit", "500", "--traceback")
    monkeypatch.setattr(faults, "_ROWS", 2)
    short = run("faults", "--from", SERVER, "--traceback")
    count = sum(int(line.split()[1]) for line in whole.splitlines() if " x " in line)
    assert count > 2
    assert f"\nand {count - 2} earlier; --limit {count} shows them all\n" in short
    assert short.partition(" earlier; ")[2].partition("\n")[2] == "\n" + whole.partition("\n\n")[2]
    assert len(short) < len(whole)


def test_a_log_is_shown_as_from_a_database(run: Run, db: Path) -> None:
    match = matches_of(db, LADDER, "walker")[0]
    seat = next(number for number, each in enumerate(match.seats) if each.bot == "walker")
    there = run("log", match.id, str(seat), "--from", SERVER)
    assert there == run("log", match.id, str(seat), "--db", str(db))
    assert "The end of its log:\nthe plan of walker" in there
    assert "of CPU time" in there
    assert there == run("log", match.id[:8], "--from", SERVER)  # the only seat of Ana's, or the first


@pytest.mark.parametrize(
    ("arguments", "author", "words"),
    [
        (("log", "{match}"), "Eve", "(404): No bot of yours played in that seat of a match here."),
        (("log", "../x"), "Ana", "'../x' is not the id of a match"),
        (("matches",), "Eve", "(404): You have no bot in any tournament here."),
        (("matches", "--bot", "spy"), "Ana", "(404): You have no bot 'spy' in any tournament here."),
        (("faults", "--tournament", "no"), "Ana", "(404): You have no bot in a tournament 'no' here."),
        (("matches", "--limit", "300"), "Ana", "a server lists 200 matches at most"),
        (("faults", "own.db"), "Ana", "--from asks a server, not a database; leave out own.db"),
        (("matches", "--db", "own.db"), "Ana", "leave out --db own.db"),
    ],
)
def test_what_can_not_be_shown_is_refused_in_a_sentence(run: Run, db: Path, arguments: tuple[str, ...], author: str, words: str) -> None:
    match = matches_of(db, LADDER, "walker")[0].id
    said = run(*(each.format(match=match) for each in arguments), "--from", SERVER, author=author, code=2)
    assert words in said
    assert len(said.splitlines()) == 1


def test_a_wrong_token_is_refused_in_a_sentence(run: Run) -> None:
    said = run("matches", "--from", SERVER, token="arena_wrong", code=2)  # noqa: S106  # a wrong one
    assert said.endswith("refuses it (401): This is not a token of this server, or it was revoked; the host hands them out.\n")


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
        (httpx2.Response(503, json={"error": "The database can't be read."}), 1, "can't answer now (503): The database can't be read."),
        (httpx2.Response(502, html="<h1>nginx</h1>"), 1, "can't answer now (502): 'Bad Gateway', says a proxy"),
        (httpx2.Response(429, text="Too many requests.\n"), 1, "can't answer now (429): Too many requests."),
        (httpx2.Response(200, html="<h1>hello</h1>"), 2, "is not an arena server: it answers 200 to /api/v1/mine/faults"),
        (httpx2.Response(404, json={"detail": "Not Found"}), 2, "is not an arena server"),
        (httpx2.Response(200, json={"faults": [{"match": 1}]}), 2, "this program can't read the server's answer; their versions may"),
        (httpx2.Response(200, content=b"[" * 100_000), 2, "is not an arena server"),
        (httpx2.Response(503, content=b"no", headers={"content-type": "text/plain; charset=rot13"}), 1, "can't answer now (503): no"),
        (httpx2.Response(200, content=b'{"faults": [], "limit": ' + b"9" * 4300 + b"}"), 2, "is not an arena server"),
        (bomb, 1, "arena.example sends more than an arena server does: its answer does not end within 32 MiB"),
        (httpx2.Response(301, headers={"location": "https://elsewhere"}), 2, "redirects to https://elsewhere; give that address"),
        (httpx2.Response(404, json={"error": "no\x1b[31m\nsuch bot"}), 2, "(404): no\\x1b[31m such bot"),
    ],
)
def test_a_server_that_is_away_or_none_is_one_sentence(monkeypatch: pytest.MonkeyPatch, answer: Any, code: int, words: str) -> None:
    transport = httpx2.MockTransport(answer if callable(answer) else lambda _: answer)
    client = httpx2.Client(base_url="http://arena.example", transport=transport)
    monkeypatch.setattr(remote, "open_server", lambda *_: client)
    done = CliRunner().invoke(app, ["faults", "--from", "http://arena.example", "--token", "x"], env={"ARENA_DB": ""})
    assert done.exit_code == code, done.output
    assert words in done.output
    assert len(done.output.splitlines()) == 1


@pytest.mark.parametrize(
    ("address", "token", "words"),
    [
        ("https://arena.example", "", "--from needs a token: set the environment variable ARENA_TOKEN, or give --token"),
        ("https://arena.example", "t\u00f6ken", "the token has characters that tokens never have"),
        ("arena.example", "x", "--from arena.example: write the address as https://HOST"),
        ("https://arena.example:x", "x", "--from https://arena.example:x: Invalid port"),
    ],
)
def test_a_wrong_address_is_a_sentence(address: str, token: str, words: str) -> None:
    done = CliRunner().invoke(app, ["log", "abc", "--from", address, "--token", token], env={"ARENA_DB": "", "ARENA_TOKEN": ""})
    assert done.exit_code == 2
    assert words in done.output


def test_the_author_of_an_accepted_bot_sees_when_it_plays(capsys: pytest.CaptureFixture[str]) -> None:
    coming = {"ladder": "my cup", "bot": "walker", "round": 4, "players": 2, "rivals": ["greedy", "spy"], "is_running": False, "notes": []}
    _show_next_round(cast(Upload, {"next_round": coming}), "https://arena.example")
    assert capsys.readouterr().out.splitlines() == [
        "It plays from round 4 on, at tables of 2, with bots of about its rating, such as greedy, spy.",
        "No run is in progress; the round begins when the host starts one.",
        "Its page: https://arena.example/t/my%20cup/bots/walker",
        "Its matches, faults and logs: arena matches --from https://arena.example (and faults, log)",
    ]
    over = {"next_round": coming | {"round": None, "notes": ["the ladder ends after round 3"]}}
    _show_next_round(cast(Upload, over), "https://arena.example")
    assert capsys.readouterr().out.startswith("The ladder ends after round 3.\nIts page")
