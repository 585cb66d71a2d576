"""Ignores every signal that can be ignored, and goes on."""

import contextlib
import signal
import time

for number in signal.valid_signals():
    with contextlib.suppress(OSError, ValueError):
        signal.signal(number, signal.SIG_IGN)
while True:
    time.sleep(1)
