"""Answers twice at once (SANDBOX 14)."""

from speak import answer, heard, honest

honest(1)
while True:
    decide = heard()
    answer(decide)
    answer(decide)
