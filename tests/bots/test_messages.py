"""Messages: written and read alike, and nothing else is read."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.messages import (
    MAX_TURN,
    Answer,
    Bye,
    Decide,
    Failure,
    Finish,
    Hello,
    Match,
    MessageError,
    NewsItem,
    decode_options,
    encode_options,
    read_from_bot,
    read_to_bot,
    write,
)
from bots.protocol import Clock, ClockMode, ClockSpec
from engine.core import OptionValue

TOKEN = "ab"  # noqa: S105  # of a turn
TO_BOT = [
    Match(protocol=1, game="sunda", options={"resources": [1, 2]}, players=2, seat=1, seed=5, clock=ClockSpec(mode=ClockMode.BUDGET)),
    Decide(token=TOKEN, news=(NewsItem(0, "pass"), NewsItem(1), NewsItem(1, "x", ("draw W01",))), clock=Clock(seconds=1.0), legal=["a"]),
    Decide(token=TOKEN, news=(), clock=Clock()),
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


@pytest.mark.parametrize("opening", [b"[", b'{"type":', b'{"a":', b'{"type":"answer","token":"a","move":[', b'{"type":"answer","x":{"a":'])
def test_nesting_without_end_is_refused_at_once(opening: bytes) -> None:
    with pytest.raises(MessageError):
        read_from_bot((opening * MAX_TURN)[:MAX_TURN])


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


def test_options_travel_as_lists_and_arrive_as_tuples() -> None:
    options: dict[str, OptionValue] = {"level": 5, "mode": "turns", "resources": (1, 2, 3)}
    assert decode_options(encode_options(options)) == options
