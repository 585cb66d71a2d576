"""Writes newlines without end (SANDBOX 12)."""

from speak import heard, honest, raw

honest(1)
heard()
while True:
    raw(b"\n" * 65536)
