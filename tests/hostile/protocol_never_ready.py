"""Neither reads nor says anything (SANDBOX 2)."""

import time

time.sleep(3600)
