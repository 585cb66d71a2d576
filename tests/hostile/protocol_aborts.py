"""Aborts (SANDBOX 20)."""

import os

from speak import heard, honest

honest(1)
heard()
os.abort()
