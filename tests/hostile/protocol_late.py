"""Answers, but too late (SANDBOX 3)."""

import time

from speak import answer, heard, honest

honest(1)
decide = heard()
time.sleep(30)
answer(decide)
