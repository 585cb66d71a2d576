"""Starts threads until it can't."""

import threading
import time

from tests.hostile.harness import attempt


def threads() -> int:
    for _ in range(50):
        threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
    return 50


attempt("50 threads", threads)
