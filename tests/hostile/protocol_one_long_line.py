"""Writes without end and without a newline (SANDBOX 11)."""

from speak import heard, honest, raw

honest(1)
heard()
while True:
    raw(b"x" * 65536)
