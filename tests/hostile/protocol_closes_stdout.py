"""Closes its output and lingers (SANDBOX 22)."""

import os
import time

from speak import heard, honest

honest(1)
heard()
os.close(1)
time.sleep(3600)
