"""A move that is not legal."""

from speak import answer, heard, honest

honest(1)
answer(heard(), move="settle 4")
