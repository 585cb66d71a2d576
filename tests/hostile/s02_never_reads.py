"""Sleeps, and never reads what it is asked."""

import time

while True:
    time.sleep(1000)
