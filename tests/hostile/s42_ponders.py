"""Thinks on while it is the opponent's turn."""

import threading

from tests.hostile.harness import say


def think() -> None:
    while True:
        pass


try:
    threading.Thread(target=think, daemon=True).start()
except RuntimeError:
    say(attempt="a thread", got=False, detail="")
while True:
    pass
