"""Closes its input and lingers (SANDBOX 22)."""

import os
import time

from speak import honest

honest(1)
os.close(0)
time.sleep(3600)
