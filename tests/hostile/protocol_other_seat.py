"""Answers for another seat (SANDBOX 14)."""

from speak import answer, heard, honest

honest(1)
answer(heard(), seat=1)
