"""Plays a PettingZoo environment at random, with observations but without its checking wrappers; prints decisions per CPU second.

python observe_pettingzoo.py MODULE SECONDS
"""

import importlib
import json
import random
import sys
import time

env = importlib.import_module(f"pettingzoo.classic.{sys.argv[1]}").raw_env()
rng = random.Random(0)
began = time.process_time()
games = decisions = 0
while (spent := time.process_time() - began) < float(sys.argv[2]):
    env.reset(seed=games)
    for _ in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
            continue
        actions = observation["action_mask"].nonzero()[0]
        env.step(int(actions[int(rng.random() * len(actions))]))
        decisions += 1
    games += 1
print(json.dumps({"decisions": decisions / spent}))
