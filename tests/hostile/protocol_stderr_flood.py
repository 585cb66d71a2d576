"""Writes to its log without end (SANDBOX 13)."""

import sys

from speak import heard, honest

honest(1)
heard()
while True:
    sys.stderr.write("x" * 65536)
