"""Ignores all signals that it can, and lingers (SANDBOX 4)."""

import signal
import time

from speak import honest

for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
    if number < 32:
        signal.signal(number, signal.SIG_IGN)
honest(1)
time.sleep(3600)
