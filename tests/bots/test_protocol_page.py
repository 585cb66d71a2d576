"""The transcript in docs/protocol.md is what a host really says, word for word."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.play.match import play_match
from bots.host.player_pool import Player, PlayerPool
from bots.loader.version import BotVersion
from bots.protocol import Clock, ClockSpec, MatchEnd, MatchInfo
from engine.core import Move, State, View
from engine.core.observer import Chronicle
from engine.records import Ticket
from engine.registry import find_game

PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")
TRANSCRIPT = re.findall(r"```transcript\n(.*?)```", PAGE, re.DOTALL)[0].splitlines()
SCRIPTED = """\
import sys

for line in open("transcript", encoding="utf-8"):
    message = line[2:]
    if line.startswith("> "):
        heard = sys.stdin.readline()
        if heard != message:
            sys.exit(f"heard {heard}instead of {message}")
    else:
        sys.stdout.write(message)
        sys.stdout.flush()
"""


class Scripted(Player):
    """Plays the moves that it is given, and then agrees."""

    def __init__(self, moves: list[str]) -> None:
        self._moves = iter(moves)

    def start(self, info: MatchInfo, chronicle: Chronicle) -> None:
        pass

    def choose(self, view: View[State], clock: Clock) -> Move:
        return view.game.parse(next(self._moves, "agree"))

    def finish(self, end: MatchEnd) -> str | None:
        return None


def told(direction: str) -> Iterator[dict[str, Any]]:
    return (json.loads(line[2:]) for line in TRANSCRIPT if line.startswith(direction))


def test_the_transcript_is_a_whole_match_word_for_word(monkeypatch: pytest.MonkeyPatch, own_process: PlayerPool) -> None:
    decides = [message for message in told(">") if message["type"] == "decide"]
    news = [each for message in decides for each in message["news"]]
    start = next(told(">"))
    tokens = "".join(str(message["token"]) for message in decides)
    monkeypatch.setattr("secrets.token_hex", lambda _: tokens)  # those of many decisions are asked for together
    monkeypatch.setenv("PATH", f"/usr/bin:{os.environ['PATH']}")
    files = (("bot.py", SCRIPTED.encode()), ("transcript", "\n".join([*TRANSCRIPT, ""]).encode()))
    version = BotVersion("example", "0" * 64, "docs/protocol.md", "", files=files, command=("python3", "bot.py"))
    other = Scripted([each["move"] for each in news if each["seat"] == 0])

    ticket = Ticket("0123456789abcdef", ("other", "example"), 0, 0, ("other", "example"), 1)
    game = find_game("sunda", {"level": 1})
    result = play_match(game, ticket, [other, own_process.seat(version)], clock=ClockSpec(move=2.0))

    assert [seat.fault for seat in result.seats] == [None, None], result.seats[1].log
    assert result.notes == ()
    assert [seat.score for seat in result.seats] == list(told(">"))[-1]["scores"]
    assert start["type"] == "match"
