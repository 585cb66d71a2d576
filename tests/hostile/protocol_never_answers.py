"""Sleeps instead of answering (SANDBOX 2)."""

import time

from speak import honest

honest(2)
time.sleep(3600)
