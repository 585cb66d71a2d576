"""A person at the terminal, and bots sent to a server from there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from arena.cli.app import app
from arena.play.match import play_match
from arena.tui.human_player import GaveUpError, TerminalPlayer
from bots.host.player import InProcessPlayer
from bots.loader.loading import resolve
from engine.records import Ticket
from engine.registry import find_game
from engine.replay.format import read_replay
from engine.replay.verifier import verify_replay
from tests.arena.web.hosting import BOT, LADDER, make_ladder, make_token, served, settings_for


def play(read: Callable[[str], str], game: str = "tongiaki") -> tuple[str, str]:
    console = Console(width=80, height=40, record=True, quiet=False, file=Path("/dev/null").open("w"))  # noqa: SIM115  # recorded, not written
    ticket = Ticket("t", ("you", "random"), 0, 0, ("you", "random"), 5)
    person = TerminalPlayer(console, ticket.seats, read)
    try:
        result = play_match(find_game(game), ticket, [person, InProcessPlayer(resolve("random"))], person.shown)
        person.show_end(result)
        return console.export_text(), result.replay.text
    finally:
        console.file.close()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("game", ["tongiaki", "sunda"])
def test_a_person_plays_a_whole_match_by_numbers(game: str) -> None:
    text, replay = play(lambda _: "1", game)
    verify_replay(read_replay(replay))
    assert read_replay(replay).forfeits == ()
    assert "The match is over" in text
    assert max(map(len, text.splitlines())) <= 80


def test_bad_lines_are_answered_and_asked_again() -> None:
    lines = iter(["", "999", "nonsense", "settle 0", "?", "? place 3", "b", "place 3", "q"])
    text: list[str] = []
    console = Console(width=80, height=40, record=True, file=Path("/dev/null").open("w"))  # noqa: SIM115  # recorded, not written
    ticket = Ticket("t", ("you", "random"), 0, 0, ("you", "random"), 5)
    person = TerminalPlayer(console, ticket.seats, lambda _: next(lines))
    with pytest.raises(GaveUpError):
        play_match(find_game("tongiaki"), ticket, [person, InProcessPlayer(resolve("random"))], person.shown)
    text.append(console.export_text())
    console.file.close()
    for sentence in ("There are 6 moves", "? lists the moves", "'settle 0' is not legal here", "place 3: "):
        assert sentence in text[0]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    db = tmp_path / "league.db"
    make_ladder(db)
    with served(settings_for(db)) as address:
        yield address, db


@pytest.mark.slow  # a server, a check and a ladder; tests/arena/cli/test_upload_client.py has the client by itself
def test_a_bot_is_sent_checked_and_entered(server: tuple[str, Path], tmp_path: Path) -> None:
    address, db = server
    bot = tmp_path / "walker.py"
    bot.write_bytes(BOT)
    arguments = ["bots", "submit", str(bot), "--to", address, "--ladder", LADDER]
    sent = CliRunner().invoke(app, arguments, env={"ARENA_TOKEN": make_token(db)})
    assert sent.exit_code == 0
    assert sent.output.startswith(f"Accepted as walker@1, entered into {LADDER} as walker.\nIt plays from round 3 on, at tables of 2, ")
    refused = CliRunner().invoke(app, arguments, env={"ARENA_TOKEN": "arena_wrong"})
    assert refused.exit_code == 2
    missing = CliRunner().invoke(app, arguments, env={"ARENA_TOKEN": ""})
    assert missing.exit_code == 2
