"""What honest bots do in the tests of the sandbox; preloaded by the zygote."""

from __future__ import annotations

import importlib
import json
import os
import random
import sys
from pathlib import Path


def echo(payload: bytes) -> None:
    """Answer the payload, then every line."""
    os.write(1, payload + b"\n")
    while data := os.read(0, 1 << 16):
        os.write(1, data)


def measure(payload: bytes) -> None:
    """Answer the number of bytes of the payload."""
    os.write(1, b"%d\n" % len(payload))


def draw(payload: bytes) -> None:
    """Answer a random number, the order of a set of words, and what this process is."""
    del payload
    words = list({"one", "two", "three", "four", "five", "six"})
    told = {"random": random.random(), "words": words, "uid": os.getuid(), "group": os.getpgrp() == os.getpid(), "cwd": str(Path.cwd())}
    os.write(1, json.dumps(told).encode() + b"\n")


def import_them(payload: bytes) -> None:
    """Import modules; answer those that can't be."""
    failed = []
    for name in payload.decode().split():
        try:
            importlib.import_module(name)
        except ImportError:
            failed.append(name)
    os.write(1, json.dumps(failed).encode() + b"\n")


def leave(payload: bytes) -> None:
    """End as the payload says."""
    if payload == b"memory":
        raise MemoryError
    if payload == b"raise":
        raise ValueError("what its author has to read")
    sys.exit(int(payload))
