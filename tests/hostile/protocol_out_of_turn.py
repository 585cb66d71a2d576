"""Answers before it is asked (SANDBOX 14)."""

import time

from speak import honest, say

honest(1)
say(type="answer", token="0" * 16, move="pass")
time.sleep(3600)
