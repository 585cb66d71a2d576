"""Pipes to a child: bounded, with deadlines, whatever the other end does."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from bots.host.channel import LOG_KEPT, MAX_LOG, Channel, ChannelError, Trouble

MAX = 1000


class Ends:
    """Three pipes, the host's ends and the child's."""

    def __init__(self) -> None:
        self.child_in, self.stdin_fd = os.pipe()
        self.stdout_fd, self.child_out = os.pipe()
        self.stderr_fd, self.child_err = os.pipe()
        for fd in (self.stdin_fd, self.stdout_fd, self.stderr_fd, self.child_out, self.child_err):
            os.set_blocking(fd, False)


@pytest.fixture
def ends() -> Iterator[Ends]:
    ends = Ends()
    yield ends
    for fd in vars(ends).values():
        try:
            os.close(fd)
        except OSError:
            continue  # the test has closed it


def trouble(call: object) -> Trouble:
    with pytest.raises(ChannelError) as error:
        call()  # type: ignore[operator]
    return error.value.trouble


def test_lines_come_one_by_one(ends: Ends) -> None:
    channel = Channel(ends, MAX)
    os.write(ends.child_out, b"one\ntwo\nthr")
    assert [channel.receive(lambda: 60.0, lambda: 1.0) for _ in range(2)] == [b"one", b"two"]
    assert trouble(lambda: channel.receive(lambda: 0.0, lambda: 1.0)) is Trouble.LATE
    os.write(ends.child_out, b"ee\n")
    assert channel.receive(lambda: 60.0, lambda: 1.0) == b"three"


def test_a_child_that_does_not_read_stops_the_host_at_its_deadline(ends: Ends) -> None:
    channel = Channel(ends, MAX)
    assert trouble(lambda: channel.send(b"x" * (1 << 20), lambda: 0.0)) is Trouble.DEAF


def test_a_child_that_writes_instead_of_reading_is_heard_while_the_host_writes(ends: Ends) -> None:
    channel = Channel(ends, MAX)
    os.write(ends.child_out, b"x" * 5000)
    assert trouble(lambda: channel.send(b"x" * (1 << 20), lambda: 60.0)) is Trouble.FLOOD


def test_a_line_longer_than_a_turn_may_be_is_never_given_out(ends: Ends) -> None:
    os.write(ends.child_out, b"x" * (MAX + 1) + b"\n")
    assert trouble(lambda: Channel(ends, MAX).receive(lambda: 60.0, lambda: 1.0)) is Trouble.FLOOD


def test_the_end_of_the_log_is_kept_and_a_flood_of_it_is_none(ends: Ends) -> None:
    channel = Channel(ends, MAX)
    os.write(ends.child_err, b"a" * 5000)
    os.write(ends.child_err, b"b" * 5000)
    os.write(ends.child_out, b"x\n")
    channel.receive(lambda: 60.0, lambda: 1.0)
    channel.take_rest()
    assert channel.log == b"a" * (LOG_KEPT - 5000) + b"b" * 5000

    def flood() -> float:
        os.write(ends.child_err, b"c" * 60_000)
        return 1.0

    assert trouble(lambda: channel.receive(lambda: 60.0, flood)) is Trouble.LOG_FLOOD
    assert len(channel.log) == LOG_KEPT
    assert MAX_LOG > 60_000
