"""Takes the host's time and memory away: limits, priority, processors, which kill without a signal."""

import os
import resource

from tests.hostile.harness import TARGETS, attempt

for name in ("host", "sibling"):
    pid = int(TARGETS[name])
    attempt(f"limit the {name}", lambda pid=pid: resource.prlimit(pid, resource.RLIMIT_CORE, (0, 0)))
    attempt(f"renice the {name}", lambda pid=pid: os.setpriority(os.PRIO_PROCESS, pid, 19))
    attempt(f"bind the {name} to a processor", lambda pid=pid: os.sched_setaffinity(pid, {0}))
    attempt(f"schedule the {name} last", lambda pid=pid: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0)))
