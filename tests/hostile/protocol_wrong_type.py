"""A move that is a list (SANDBOX 19)."""

from speak import answer, heard, honest

honest(1)
answer(heard(), move=["pass"])
