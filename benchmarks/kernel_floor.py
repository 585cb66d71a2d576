"""Does only what the kernel must do for a sealed match, and prints the CPU time; ``isolation`` runs it next to sealed matches.

python -m benchmarks.kernel_floor SEATS PAGES DECISIONS MATCHES

For each match it forks a process for each seat, in separate namespaces, from a process that uses as much memory as a zygote. Each process
writes to ``PAGES`` pages, which the kernel copies, and together they answer ``DECISIONS`` bytes through pipes. Then they are killed. It
prints the milliseconds of CPU time per match.
"""

from __future__ import annotations

import mmap
import os
import resource
import signal
import sys
from typing import NoReturn

from bots.sandbox.forking import fork_alone

HELD = 20 << 20
"""Bytes allocated in addition to Python's own memory, since a zygote has 27 MiB of private memory."""
PAGE = mmap.PAGESIZE


def main(seats: int, pages: int, decisions: int, matches: int) -> None:
    memory = mmap.mmap(-1, HELD, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory.madvise(mmap.MADV_NOHUGEPAGE)
    for place in range(0, HELD, PAGE):
        memory[place] = 1
    before = _cpu_seconds()
    for _ in range(matches):
        _play(memory, seats, pages, decisions)
    sys.stdout.write(f"{(_cpu_seconds() - before) * 1000 / matches}\n")


def _play(memory: mmap.mmap, seats: int, pages: int, decisions: int) -> None:
    processes = []
    for _ in range(seats):
        there, back = os.pipe(), os.pipe()
        pid = fork_alone()
        if pid == 0:
            _answer(memory, pages, there[0], back[1])
        processes.append((pid, there, back))
    for number in range(decisions):
        _, there, back = processes[number % seats]
        os.write(there[1], b".")
        os.read(back[0], 1)
    for pid, there, back in processes:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        for descriptor in (*there, *back):
            os.close(descriptor)


def _answer(memory: mmap.mmap, pages: int, requests: int, answers: int) -> NoReturn:
    for page in range(pages):
        memory[page * 5 % (HELD // PAGE) * PAGE] = 2
    while os.read(requests, 1):
        os.write(answers, b".")
    os._exit(0)


def _cpu_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
