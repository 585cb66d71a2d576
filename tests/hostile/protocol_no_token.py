"""Leaves the token out."""

from speak import heard, honest, say

honest(1)
say(type="answer", move=heard()["legal"][0])
