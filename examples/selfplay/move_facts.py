"""What the policy of train.py sees of a move of Tongiaki for two besides its row: the ships on its island, and the berths that are left."""

import numpy as np

from engine.tongiaki.board.tiles import BERTHS, FIRST_BEACH, N_BEACHES, N_ISLANDS

SHIPS = slice(160, 160 + 2 * len(BERTHS))  # in the flat observation
SHIPS_PUT = 7  # the first column of a row with the ships that the move puts on beaches
NONE = len(BERTHS)
BEACHES = np.full((N_ISLANDS + 1, max(N_BEACHES)), NONE)  # of the island that a row names, counted from 1
for number in range(N_ISLANDS):
    BEACHES[number + 1, : N_BEACHES[number]] = FIRST_BEACH[number] + np.arange(N_BEACHES[number])
ROOM = np.append(BERTHS, 0)


def move_facts(numbers, rows, of):
    """Facts of each row, of shape (len(rows), n); ``numbers`` are flat observations, and ``of`` says to which of them a row belongs."""
    ships = numbers[:, SHIPS].reshape(len(numbers), NONE, 2)
    beaches = BEACHES[rows[:, 1]]
    there = np.concatenate((ships, np.zeros_like(ships[:, :1])), 1)[of[:, None], beaches]  # rows, beaches, own and other ships
    put = rows[:, SHIPS_PUT:].reshape(there.shape)
    free = ROOM[beaches] - there.sum(2)
    left = free - put.sum(2)
    full = ((left <= 0) & (beaches != NONE)).sum(1, keepdims=True)
    before, after = there.sum(1), (there + put).sum(1)
    parts = (
        there.reshape(len(rows), -1) / 2,
        free / 3,
        left / 3,
        full / 2,
        free.sum(1, keepdims=True) / 5,
        before / 4,
        before > 0,
        after > 0,
    )
    return np.concatenate(parts, 1, dtype=np.float32)
