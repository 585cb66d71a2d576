"""A bot's files are read in a process with limits: what costs too much ends in a sentence, soon, and this process pays nothing for it."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from bots.errors import BotError, SandboxError
from bots.loader import apart
from bots.loader.apart import read_apart
from bots.loader.loading import identify
from bots.loader.static_analysis import UnreadableError
from tests.hostile.uploads import ATTACKS, BOT


def peak() -> int:
    """The most memory that this process has had, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def processor_seconds() -> float:
    """The CPU time that this process and those of its children that have ended took so far, which other programs don't add to."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


@pytest.mark.slow
@pytest.mark.parametrize("attack", ATTACKS)
def test_what_costs_too_much_to_read_is_refused_soon_and_elsewhere(tmp_path: Path, attack: str) -> None:
    ending, make, words = ATTACKS[attack]
    path = tmp_path / f"bot{ending}"
    path.write_bytes(make())
    before, begun = peak(), processor_seconds()
    with pytest.raises(BotError) as error:
        identify(str(path))
    assert words in str(error.value)
    assert len(str(error.value).splitlines()) == 1
    assert processor_seconds() - begun < apart.CPU_SECONDS + 4  # the process, and what starting and watching it takes on a slow machine
    assert peak() - before < 100


def test_the_process_itself_is_limited_whatever_is_looked_for_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "MEMORY", 48 << 20)
    path = tmp_path / "bot.py"
    path.write_bytes(BOT + b"a;a;a;a\n" * 50_000)
    with pytest.raises(UnreadableError, match=r"takes too much memory|more than 48 MiB of memory"):
        read_apart(path, "", "bot.py")


@pytest.mark.slow  # it takes its two seconds
def test_cpu_time_that_is_used_up_is_called_so(tmp_path: Path) -> None:
    ending, make, _ = ATTACKS["format_strings"]
    path = tmp_path / f"bot{ending}"
    path.write_bytes(make())
    with pytest.raises(UnreadableError, match="takes more than 2 s of CPU time to be read"):
        read_apart(path, "", "bot.py")


@pytest.mark.slow  # a second of waiting
def test_a_process_that_the_machine_never_lets_run_ends_at_last_and_no_bot_is_to_blame(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bots.clock.Delay.seconds", lambda _self: 600.0)
    with pytest.raises(SandboxError, match=r"the process that reads bots' files was still running after .* less busy"):
        apart.run_apart(["-S", "-c", "import time; time.sleep(600)"], b"", 0.05)


def test_a_process_that_the_system_kills_is_no_bots_fault() -> None:
    with pytest.raises(SandboxError, match="was killed by the system"):
        apart.run_apart(["-S", "-c", "import os; os.kill(os.getpid(), 9)"], b"", 60.0)
