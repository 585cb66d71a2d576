"""What the kernel alone takes for a sealed match: a program that does nothing else. ``isolation`` runs it beside sealed matches.

python -m benchmarks.kernel_floor SEATS PAGES DECISIONS MATCHES

For each match it forks as many processes as there are seats, each alone in namespaces of its own, from a process that holds as much memory
as a zygote. Each writes to ``PAGES`` pages, which the kernel copies, and all together answer ``DECISIONS`` bytes through pipes. Then they
are killed. It prints the milliseconds of CPU time of a match.
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
"""Bytes beside Python's own: a zygote holds 27 MiB of memory of its own."""
PAGE = mmap.PAGESIZE


def main(seats: int, pages: int, decisions: int, matches: int) -> None:
    """Measure and print."""
    memory = mmap.mmap(-1, HELD, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory.madvise(mmap.MADV_NOHUGEPAGE)
    for place in range(0, HELD, PAGE):
        memory[place] = 1
    before = _cpu_seconds()
    for _ in range(matches):
        _play(memory, seats, pages, decisions)
    sys.stdout.write(f"{(_cpu_seconds() - before) * 1000 / matches}\n")


def _play(memory: mmap.mmap, seats: int, pages: int, decisions: int) -> None:
    """Do for one match what the kernel has to do."""
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
