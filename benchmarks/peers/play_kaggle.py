"""Plays matches between two random agents of kaggle-environments; prints how many games and decisions it played.

python play_kaggle.py GAME SECONDS
"""

import contextlib
import io
import json
import sys
import time

with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):  # it prints what else could be installed
    from kaggle_environments import make

env = make(sys.argv[1])
began = time.perf_counter()
games = decisions = 0
while (spent := time.perf_counter() - began) < float(sys.argv[2]):
    steps = env.run(["random"] * 2)
    games += 1
    decisions += len(steps) - 1
print(json.dumps({"games": games / spent, "decisions": decisions / spent}))
