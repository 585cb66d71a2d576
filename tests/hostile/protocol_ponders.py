"""Thinks in the background while others play (SANDBOX 42)."""

import threading

from speak import answer, heard, hello


def ponder():
    while True:
        pass


hello()
threading.Thread(target=ponder, daemon=True).start()
while True:
    answer(heard())
