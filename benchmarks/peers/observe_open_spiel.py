"""Plays OpenSpiel (C++) at random with its Python API, with an observation tensor and a mask; prints decisions per CPU second.

python observe_open_spiel.py GAME SECONDS
"""

import json
import random
import sys
import time

import numpy as np
import pyspiel

game = pyspiel.load_game(sys.argv[1])
rng = random.Random(0)
began = time.process_time()
decisions = 0
while (spent := time.process_time() - began) < float(sys.argv[2]):
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(rng.choices(outcomes, chances)[0])
            continue
        player = state.current_player()
        observation = np.array(state.observation_tensor(player), np.float32)
        mask = np.array(state.legal_actions_mask(player), np.int8)
        actions = state.legal_actions()
        state.apply_action(actions[int(rng.random() * len(actions))])
        decisions += 1
print(json.dumps({"decisions": decisions / spent}))
