"""Leaves a daemon behind that outlives the match: forks twice, in a session of its own."""

import os
import time

from tests.hostile.harness import attempt


def daemon() -> str:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(1000)
        os._exit(0)
    return "a daemon was left"


attempt("leave a daemon", daemon)
