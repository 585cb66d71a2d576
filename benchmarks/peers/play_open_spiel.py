"""Plays OpenSpiel (C++) at random with its Python API, listing legal actions; prints how many games and decisions it played.

python play_open_spiel.py GAME SECONDS
"""

import json
import random
import sys
import time

import pyspiel

game = pyspiel.load_game(sys.argv[1])
rng = random.Random(0)
began = time.perf_counter()
games = decisions = 0
while (spent := time.perf_counter() - began) < float(sys.argv[2]):
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(rng.choices(outcomes, chances)[0])
            continue
        actions = state.legal_actions()
        state.apply_action(actions[rng.randrange(len(actions))])
        decisions += 1
    games += 1
print(json.dumps({"games": games / spent, "decisions": decisions / spent}))
