"""Binds a worker and its bots to one processor core: they take turns, and a switch on one core is faster than waking another core.

`claim_core` claims a core against the other workers of this machine; `bots.host.player_pool` uses it.
"""

from __future__ import annotations

import os
import socket
import sys
from typing import Final

_NAME: Final = "\0tile-arena-core-{}"


class CoreClaim:
    """A claim on a core, visible to all workers of this machine; this thread is bound to the core until `release`."""

    def __init__(self, core: int, claim: socket.socket, before: frozenset[int]) -> None:
        self.core: Final = core
        self._claim = claim
        self._before = before

    def release(self) -> None:
        """Let this thread run on any core again, and free the core for others. Idempotent."""
        if self._claim.fileno() >= 0:
            self._claim.close()
            os.sched_setaffinity(0, self._before)


def claim_core() -> CoreClaim | None:
    """Bind this thread to a core that no other worker has; return None if there is no choice, no free core, or no way to bind.

    The claim is an abstract socket name (Linux, unix(7)), so it ends with the process, however that ends.
    """
    if sys.platform != "linux":
        return None
    allowed = frozenset(os.sched_getaffinity(0))
    if len(allowed) < 2:
        return None
    for core in sorted(allowed, reverse=True):  # the first cores are where a machine handles its devices
        claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            claim.bind(_NAME.format(core))
            os.sched_setaffinity(0, {core})
        except OSError:  # taken, or offline by now
            claim.close()
            continue
        return CoreClaim(core, claim, allowed)
    return None
