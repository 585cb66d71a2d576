"""Doubles itself until it can't."""

import os
import time

from tests.hostile.harness import say

made = 0
for _ in range(200):
    try:
        if os.fork() == 0:
            time.sleep(1000)
    except OSError as error:
        say(attempt="fork", got=made > 0, detail=repr(error))
        break
    made += 1
else:
    say(attempt="fork", got=True, detail="200 processes")
