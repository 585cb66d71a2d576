"""The messages between host and bot, and the transcript of the protocol's page, which a bot plays word for word."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.play.match import play_match
from bots.host.player_pool import Player, PlayerPool
from bots.loader.version import BotVersion
from bots.messages import (
    Answer,
    Bye,
    Decide,
    Failure,
    Finish,
    Hello,
    Match,
    MessageError,
    NewsItem,
    read_from_bot,
    read_to_bot,
    write,
)
from bots.protocol import Clock, ClockMode, ClockSpec, MatchEnd, MatchInfo
from engine.core import Move, State, View
from engine.core.observer import Chronicle
from engine.records import Ticket
from engine.registry import find_game

TOKEN = "ab"  # noqa: S105  # of a turn

TO_BOT = [
    Match(protocol=1, game="sunda", options={"resources": [1, 2]}, players=2, seat=1, seed=5, clock=ClockSpec(mode=ClockMode.BUDGET)),
    Decide(token=TOKEN, news=(NewsItem(0, "pass"), NewsItem(1), NewsItem(1, "x", ("draw W01",))), clock=Clock(seconds=1.0), legal=["a"]),
    Decide(token=TOKEN, news=(), clock=Clock()),
    Match(protocol=1, game="sunda", options={}, players=2, seat=1, seed=5, clock=ClockSpec(mode=ClockMode.FUEL, move_fuel=7)),
    Decide(token=TOKEN, news=(), clock=Clock(fuel=0)),
    Finish((1, 2), (2, 1), "waters"),
]

FROM_BOT = [
    Hello(1, "me", ("legal",)),
    Hello(1, "me"),
    Answer("ab", "pass"),
    Answer("ab", "pass", 7),
    Failure("crash", "ü"),
    Bye(),
    Bye("so"),
]


@pytest.mark.parametrize("message", TO_BOT)
def test_a_hosts_message_is_one_line_and_read_again(message: Match | Decide | Finish) -> None:
    line = write(message)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert read_to_bot(line) == message


@pytest.mark.parametrize("message", FROM_BOT)
def test_a_bots_message_is_one_line_and_read_again(message: Hello | Answer | Failure | Bye) -> None:
    line = write(message)
    assert line.count(b"\n") == 1
    assert read_from_bot(line) == message


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode(errors="surrogatepass")))
def test_whatever_a_bot_writes_is_a_message_or_a_wire_error(line: bytes) -> None:
    with contextlib.suppress(MessageError):
        assert isinstance(read_from_bot(line), Hello | Answer | Failure | Bye)


@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"answer","token":"a","token":"b","move":"c"}',
        b'{"type":"answer","token":"a","move":"b","mo\\u0076e":"c"}',
        b'{"type":"hello","protocol":1,"name":"a","name":"b"}',
        b'{"type":"answer","type":"answer","token":"a","move":"b"}',
    ],
)
def test_a_key_that_is_there_twice_is_refused(line: bytes) -> None:
    with pytest.raises(MessageError):
        read_from_bot(line)


def test_a_bot_that_knows_nothing_of_fuel_is_told_nothing_of_it() -> None:
    text = ',"start_fuel":null,"move_fuel":null,"bank_fuel":null},"fuel":null}'
    match = Match(protocol=1, game="x", options={"text": text}, players=2, seat=0, seed=1, clock=ClockSpec(move=2.0), opening=text)
    quoted = text.replace('"', '\\"')
    assert write(match).decode() == (
        '{"type":"match","protocol":1,"game":"x","options":{"text":"' + quoted + '"},"players":2,"seat":0,"seed":1,'
        '"clock":{"mode":"clock","start":10.0,"move":2.0,"bank":null,"strikes":3,"slack":4.0,"wall":120.0,"wall_bank":5.0,"nodes":null},'
        '"opening":"' + quoted + '"}\n'
    )
    decide = Decide(token=TOKEN, news=(NewsItem(0, text),), clock=Clock(2.0, stop=8.0, strikes=3), position=text)
    assert write(decide).decode() == (
        '{"type":"decide","token":"ab","news":[{"seat":0,"move":"' + quoted + '"}],'
        '"clock":{"seconds":2.0,"nodes":null,"bank":null,"stop":8.0,"strikes":3},"position":"' + quoted + '"}\n'
    )


def test_where_fuel_is_counted_the_clock_has_it() -> None:
    decide = Decide(token=TOKEN, news=(), clock=Clock(nodes=5, stop=120.0, fuel=40))
    assert b'"strikes":null,"fuel":40}}' in write(decide)
    match = Match(
        protocol=1, game="x", options={}, players=2, seat=0, seed=1, clock=ClockSpec(mode=ClockMode.FUEL, start_fuel=3, move_fuel=4)
    )
    assert b'"mode":"fuel"' in write(match)
    assert b'"start_fuel":3,"move_fuel":4,"bank_fuel":null}' in write(match)


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
