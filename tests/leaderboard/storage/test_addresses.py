"""A password of a database is never printed, wherever it stands in the address and whatever goes wrong."""

from __future__ import annotations

import pytest
from sqlalchemy import make_url
from typer.testing import CliRunner

from arena.cli.app import app
from leaderboard.storage.database import StoreError
from leaderboard.storage.postgres import hide_secrets
from leaderboard.storage.store import Store

ADDRESSES = [
    "postgresql+psycopg://ana:hunter2@{host}/cup",
    "postgresql+psycopg://ana@{host}/cup?password=hunter2",
    "postgresql+psycopg://ana@{host}/cup?password=hunter2&password=hunter2",
    "postgresql+psycopg://ana@{host}/cup?PASSWORD=hunter2",
    "postgresql+psycopg://ana@{host}/cup?sslpassword=hunter2&sslkey=/hunter2&passfile=/hunter2",
    "postgresql+psycopg://ana@{host}/cup?port=hunter2",
    "postgresql+psycopg://ana@{host}/cup?options=-c%20x=hunter2",
    "postgresql+psycopg://ana@{host}/cup?service=hunter2",
    "postgresql+psycopg://ana:x@hunter2@{host}/cup",
    "postgresql+psycopg://ana@{host}/cup%3Fpassword=hunter2",
    "postgresql:/ana:hunter2@{host}/cup",
    "postgresql+psycopg://ana:hunter2@{host}:port/cup",
    "mysql://ana:hunter2@{host}/cup",
]
COMMANDS = [
    ["leaderboard", "--db"],
    ["status", "--db"],
    ["bots", "--db"],
    ["replay", "abc", "--db"],
    ["verify"],
    ["export", "--seals", "s", "--db"],
]


@pytest.mark.parametrize(
    ("address", "command"), [(each, COMMANDS[0]) for each in ADDRESSES] + [(ADDRESSES[1], each) for each in COMMANDS[1:]], ids=str
)
def test_no_command_prints_it(address: str, command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leaderboard.storage.postgres._CONNECT_SECONDS", 2)
    done = CliRunner().invoke(app, [*command, address.format(host="127.0.0.1:9")])

    assert done.exit_code != 0
    assert isinstance(done.exception, SystemExit)
    if "port=hunter2" not in address:  # what is no secret may be quoted as wrong
        assert "hunter2" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    "said",
    [
        "bad dsn: host=db password=hunter2 user=ana",
        "bad dsn: host=db password = 'hunter2 and more'",
        "can't use postgresql://ana:hunter2@db/cup?x=1",
        "can't use postgresql://db/cup?user=ana&password=hunter2&x=1",
        "the key sslpassword=hunter2 does not fit",
        "'s3cret/@ x' is no password, nor is s3cret%2F%40%20x, nor s3cret%2F%40+x",
        "PGPASSWORD is fromenv",
    ],
)
def test_what_a_driver_says_is_cleaned(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", "fromenv")
    url = make_url("postgresql+psycopg://ana@db/cup").set(password="s3cret/@ x")  # noqa: S106  # a test's

    cleaned = hide_secrets(said, url)

    assert "***" in cleaned
    for secret in ("hunter2", "s3cret", "fromenv", "more'"):
        assert secret not in cleaned


def test_an_error_of_the_store_has_no_password_either() -> None:
    with pytest.raises(StoreError) as error:
        Store.create("postgresql+psycopg://ana@127.0.0.1:9/cup?password=hunter2&connect_timeout=1")
    assert "hunter2" not in str(error.value)
    assert "password=***" in str(error.value)
