"""Plays a PettingZoo environment at random, using its action mask; prints how many games and decisions it played.

python play_pettingzoo.py MODULE SECONDS
"""

import importlib
import json
import sys
import time

env = importlib.import_module(f"pettingzoo.classic.{sys.argv[1]}").env()
began = time.perf_counter()
games = decisions = 0
while (spent := time.perf_counter() - began) < float(sys.argv[2]):
    env.reset(seed=games)
    for agent in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
            continue
        env.step(env.action_space(agent).sample(observation["action_mask"]))
        decisions += 1
    games += 1
print(json.dumps({"games": games / spent, "decisions": decisions / spent}))
