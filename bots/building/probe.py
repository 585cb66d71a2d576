"""Finds, by attacking, the level at which this machine can build strangers' bots: as for bots, a level counts only if it refused every
attack."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

from bots.building.keeper import ATTACKS as STEP
from bots.building.session import BuildLimits, BuildOrder, run_build
from bots.errors import NotOfferedError, SandboxError
from bots.sandbox.exploit_checks import ATTACKS
from bots.sandbox.levels import Level
from bots.sandbox.probe import Attack, LevelReport, Stage
from bots.sandbox.remediation import advice

LEVELS: Final = (Level.L3, Level.L2)
"""The levels for building strangers' bots. At L0, which isolates nothing, only trusted bots are built; at L1 no program can be executed."""
LEFT: Final = "leave a process behind"
_NOT_CLAIMED: Final = frozenset({
    "make a process",  # compilers have to
    "tell or change what is cached of files",  # a build sees no decks, so it has nothing worth passing on
    "map memory that grows past its limit",  # the host measures its memory while it runs
    "see the machine's memory and processes",
    "read another process's CPU clock",
    "see numbers that the machine counts up",
    "wake sleepers on a page that all share",
})  # fmt: skip
_ONLY_SEALED: Final = frozenset({"see that the database is there", "see the host's processes"})


def claims(level: Level) -> frozenset[str]:
    """Return the attacks that a level has to refuse for builds to be run at it."""
    claimed = (frozenset(ATTACKS) | {LEFT}) - _NOT_CLAIMED
    return claimed if level is Level.L3 else claimed - _ONLY_SEALED


@cache
def offer_of(level: Level) -> LevelReport:
    """Attack this machine from within a build at that level; found once per process."""
    token = os.urandom(8).hex()
    sleeper = f"{90_000_000 + int(token[:6], 16)}"
    with Stage() as stage:
        steps = [(STEP, json.dumps(stage.targets)), ("sh", "-c", f"(setsid sleep {sleeper} >/dev/null 2>&1 &) &")]
        try:
            log = "".join(run_build(BuildOrder({}, [step]), level, BuildLimits(seconds=30)).log + "\n" for step in steps)
        except SandboxError as error:
            return LevelReport(level, lacking=error.why if isinstance(error, NotOfferedError) else str(error))
        refusals = _refusals(log)
        refusals |= dict.fromkeys(stage.harm(), False)
    refusals[LEFT] = not _is_running(sleeper)
    broken = sorted(name for name in claims(level) if not refusals.get(name, False))
    attacks = tuple(Attack(name, is_refused, "") for name, is_refused in refusals.items())
    return LevelReport(level, attacks, f"a build could {' and '.join(broken)}" if broken else "")


def best_level() -> Level | None:
    """Return the highest level at which this machine builds strangers' bots, or None."""
    return next((level for level in LEVELS if offer_of(level).is_offered), None)


def why_not() -> str:
    """Return why no level is offered, and what to do."""
    offers = [offer_of(level) for level in LEVELS]
    fix = advice(Level.L3)
    return "; ".join(f"{offer.level}: {offer.lacking}" for offer in offers) + (f"; to mend it: {fix}" if fix else "")


def _refusals(log: str) -> dict[str, bool]:
    """Return for each attack whether it was refused, by its own report."""
    refused = {}
    for line in log.splitlines():
        with suppress(ValueError, KeyError):
            report = json.loads(line)
            refused[str(report["name"])] = bool(report["is_refused"])
    return {name: is_refused for name, is_refused in refused.items() if name in ATTACKS}


def _is_running(sleeper: str) -> bool:
    """Return whether the process that a build tried to leave behind still runs."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if sleeper.encode() in path.read_bytes().split(b"\0"):
                return True
    return False
