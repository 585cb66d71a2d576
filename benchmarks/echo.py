"""The bot for benchmarks/isolation.py, which sends every line back. It imports only the standard library, since a zygote loads it."""

from __future__ import annotations

import os


def serve(payload: bytes) -> None:
    """Send back the payload, and then everything that is received."""
    os.write(1, payload + b"\n")
    while data := os.read(0, 1 << 16):
        os.write(1, data)
