"""Answers with a move of a megabyte."""

from speak import answer, heard, honest

honest(1)
answer(heard(), move="x" * (1 << 20))
