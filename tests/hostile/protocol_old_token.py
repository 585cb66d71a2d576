"""Echoes the token of the decision before (SANDBOX 14)."""

from speak import answer, heard, hello

hello()
before = heard()
answer(before)
answer(heard(), token=before["token"])
