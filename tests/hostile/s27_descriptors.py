"""Uses descriptors that somebody left open."""

import os

from tests.hostile.harness import say

left = []
for number in range(3, 4096):
    try:
        os.fstat(number)
    except OSError:
        continue
    left.append(number)
say(attempt="use what was left open", got=bool(left), detail=str(left))
