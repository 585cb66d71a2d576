"""Closes its input and lingers (SANDBOX 22)."""

import os
import time

from speak import answer, heard, honest

honest(1)
decide = heard()
os.close(0)
answer(decide)
time.sleep(3600)
