"""Ends in the middle (SANDBOX 20)."""

import os

from speak import heard, honest

honest(1)
heard()
os._exit(7)
