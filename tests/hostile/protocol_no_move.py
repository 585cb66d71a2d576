"""A text that is no move."""

from speak import answer, heard, honest

honest(1)
answer(heard(), move="resign; DROP TABLE match")
