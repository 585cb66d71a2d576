"""Kills its parent, the bot it plays against, and everybody."""

import os
import signal

from tests.hostile.harness import TARGETS, attempt

for name in ("sibling", "host"):
    attempt(f"kill the {name}", lambda name=name: os.kill(int(TARGETS[name]), signal.SIGKILL))
    attempt(f"stop the {name}", lambda name=name: os.kill(int(TARGETS[name]), signal.SIGSTOP))
attempt("kill the parent", lambda: os.kill(os.getppid(), signal.SIGKILL))
attempt("kill init", lambda: os.kill(1, signal.SIGKILL))
attempt("kill the group", lambda: os.killpg(0, signal.SIGTERM))
attempt("kill everybody", lambda: os.kill(-1, signal.SIGKILL))
attempt("queue a signal", lambda: signal.pidfd_send_signal(os.pidfd_open(int(TARGETS["host"])), signal.SIGKILL))
