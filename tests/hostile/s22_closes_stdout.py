"""Closes its answers, and lingers."""

import os
import time

os.close(1)
while True:
    time.sleep(1000)
