"""Infinity where nodes should be (SANDBOX 16)."""

from speak import answer, heard, honest

honest(1)
answer(heard(), nodes=float("inf"))
