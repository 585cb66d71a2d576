"""Decoding in many threads: the first ones that meet a type would crash the process if they met it at once."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
from dataclasses import make_dataclass
from threading import Barrier, Thread
from engine.records import convert, decode

sys.setswitchinterval(1e-6)
for number in range(80):
    inner = make_dataclass("Inner", [("a", int), ("b", tuple[str, ...])], frozen=True)
    outer = make_dataclass("Outer", [("x", inner), ("y", tuple[inner, ...])], frozen=True)
    barrier, made = Barrier(4), []

    def work(which):
        barrier.wait()
        data = {"x": {"a": 1, "b": ["q"]}, "y": []}
        made.append(convert(data, outer) if which % 2 else decode(b'{"x": {"a": 1, "b": ["q"]}, "y": []}', outer))

    threads = [Thread(target=work, args=[which]) for which in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert made == [outer(inner(1, ("q",)), ())] * 4
"""


def test_threads_that_meet_a_type_at_once_do_not_crash() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
