"""A match to try a bot with."""

from __future__ import annotations

from pathlib import Path

from arena.play.match import play_match
from bots.host.player_pool import InProcessPlayer
from bots.loader.loading import resolve
from engine.records import Ticket
from engine.registry import find_game
from engine.replay.format import read_replay
from engine.replay.verifier import verify_replay


def play_two(reference: str, folder: Path, game: str) -> None:
    """The bot plays a whole match against random without a fault, and the replay verifies."""
    seats = (resolve(reference, base=folder), resolve("random"))
    ticket = Ticket("docs", ("bot", "random"), 0, 0, ("bot", "random"), 3)
    result = play_match(find_game(game), ticket, [InProcessPlayer(version) for version in seats])
    assert [seat.fault for seat in result.seats] == [None, None]
    verify_replay(read_replay(result.replay))
