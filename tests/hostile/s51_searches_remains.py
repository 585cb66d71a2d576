"""Searches its memory for what the zygote has heard of bots that ended before: exit codes, CPU time, how much memory they took."""

import re

from tests.hostile.harness import attempt, find_in_memory

TOLD = re.compile(rb'"status": \d+, "cpu"|"peak": \d')

attempt("find what is told of a dead bot", lambda: find_in_memory(TOLD))
