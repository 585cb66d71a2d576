"""Ends with code 0 instead of playing on (SANDBOX 20)."""

from speak import heard, honest

honest(2)
heard()
