"""A person at the terminal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from arena.play.match import play_match
from arena.tui.human_player import GaveUpError, TerminalPlayer
from bots.host.player_pool import InProcessPlayer
from bots.loader.loading import resolve
from engine.records import Ticket
from engine.registry import find_game
from engine.replay.format import read_replay
from engine.replay.verifier import verify_replay


def play(read: Callable[[str], str], game: str = "tongiaki") -> tuple[str, str]:
    console = Console(width=80, height=40, record=True, quiet=False, file=Path("/dev/null").open("w"))  # noqa: SIM115  # recorded, not written
    ticket = Ticket("t", ("you", "random"), 0, 0, ("you", "random"), 5)
    person = TerminalPlayer(console, ticket.seats, read)
    try:
        result = play_match(find_game(game), ticket, [person, InProcessPlayer(resolve("random"))], person.shown)
        person.show_end(result)
        return console.export_text(), result.replay.text
    except GaveUpError as left:
        left.add_note(console.export_text())
        raise
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
    with pytest.raises(GaveUpError) as left:
        play(lambda _: next(lines))
    [text] = left.value.__notes__
    for sentence in ("There are 6 moves", "? lists the moves", "'settle 0' is not legal here", "place 3: "):
        assert sentence in text
