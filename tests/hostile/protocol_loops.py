"""Loops for ever when it is asked (SANDBOX 1)."""

from speak import heard, honest

honest(2)
heard()
while True:
    pass
