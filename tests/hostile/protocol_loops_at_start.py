"""Loops before it is ready (SANDBOX 1)."""

while True:
    pass
