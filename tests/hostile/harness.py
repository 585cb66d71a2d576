"""What the hostile bots of the sandbox share: it runs in their process, and tells the test what they got and what was refused."""

from __future__ import annotations

import json
import os
from collections.abc import Callable

TARGETS: dict[str, str] = {}
"""What there is to attack, by name: made by the test."""


def say(**fields: object) -> None:
    os.write(1, json.dumps(fields).encode() + b"\n")


def attempt(what: str, deed: Callable[[], object]) -> bool:
    """Do it, and tell whether it worked."""
    try:
        got = deed()
    except (OSError, RuntimeError, ValueError, ImportError, AttributeError) as error:
        say(attempt=what, got=False, detail=repr(error)[:200])
        return False
    say(attempt=what, got=True, detail=repr(got)[:200])
    return True


def play(payload: bytes) -> None:
    """Run the program in the payload, as the SDK does with a bot's source."""
    order = json.loads(payload)
    TARGETS.update(order["targets"])
    code = compile(order["source"], order["name"], "exec")
    say(started=True)
    exec(code, {"__name__": "__main__"})  # noqa: S102
