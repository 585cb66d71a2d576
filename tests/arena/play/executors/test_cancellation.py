"""A block of another thread is cancelled while it runs or before it begins, and nothing after its end."""

from __future__ import annotations

from contextlib import suppress
from threading import Event, Lock, Thread
from time import sleep

import pytest

from arena.play.executors.cancellation import Cancellation, CancelledError


def wait() -> None:
    sleep(0.001)


def in_a_thread(cancellation: Cancellation, inside: Event, *, ends: bool = False) -> tuple[Thread, list[str]]:
    """A thread that waits inside the block, or after its end; the list says what came of it."""
    outcome: list[str] = []

    def work() -> None:
        try:
            with cancellation.cancels():
                if ends:
                    cancellation.end()
                inside.set()
                while not (ends and cancellation._is_cancelled.is_set()):
                    wait()
            outcome.append("finished")
        except CancelledError:
            outcome.append("cancelled")

    thread = Thread(target=work)
    thread.start()
    return thread, outcome


def test_a_block_is_cancelled_while_it_runs() -> None:
    cancellation, inside = Cancellation("tests"), Event()
    thread, outcome = in_a_thread(cancellation, inside)
    inside.wait()
    cancellation.cancel()
    thread.join()
    assert outcome == ["cancelled"]


def test_a_block_that_is_cancelled_before_it_begins_does_not_begin() -> None:
    cancellation = Cancellation()
    cancellation.cancel()
    with pytest.raises(CancelledError), cancellation.cancels():
        pytest.fail("it began")


def test_nothing_is_raised_after_the_end_that_the_block_names() -> None:
    cancellation, inside = Cancellation("tests"), Event()
    thread, outcome = in_a_thread(cancellation, inside, ends=True)
    inside.wait()
    cancellation.cancel()
    thread.join()
    assert outcome == ["finished"]


def test_what_was_asked_in_the_last_moment_is_raised_at_the_end_and_not_later() -> None:
    cancellation = Cancellation("another")
    with pytest.raises(CancelledError), cancellation.cancels():
        cancellation.cancel()
    assert sum(range(1000)) == 499_500


def test_what_takes_a_lock_is_not_interrupted() -> None:
    cancellation, inside, lock = Cancellation("tests"), Event(), Lock()
    lock.acquire()
    taken = []

    def work() -> None:
        with suppress(CancelledError), cancellation.cancels():
            inside.set()
            with lock:
                taken.append(True)
                wait()
                taken.append(False)

    thread = Thread(target=work)
    thread.start()
    inside.wait()
    cancellation.cancel()
    lock.release()
    thread.join()
    assert taken == [True]
    assert not lock.locked()
