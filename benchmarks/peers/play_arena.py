"""Plays a game of this project at random with the public Python API, listing legal moves; prints how many games and decisions it played.

python play_arena.py GAME:PLAYERS SECONDS
"""

import json
import random
import sys
import time

from engine.registry import find_game

name, _, players = sys.argv[1].partition(":")
game = find_game(name, {"level": 0} if name == "sunda" else {})
rng = random.Random(0)
began = time.perf_counter()
games = decisions = 0
while (spent := time.perf_counter() - began) < float(sys.argv[2]):
    state = game.new(int(players), games)
    while state.actor is not None:
        moves = state.list_moves()
        state.play(moves[rng.randrange(len(moves))])
        decisions += 1
    games += 1
print(json.dumps({"games": games / spent, "decisions": decisions / spent}))
