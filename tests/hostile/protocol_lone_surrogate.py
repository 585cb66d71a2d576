"""Half a surrogate pair (SANDBOX 15)."""

from speak import answer, heard, honest

honest(1)
answer(heard(), move="\ud800")
