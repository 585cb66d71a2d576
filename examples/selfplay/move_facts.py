"""Additional features of moves in two-player Tongiaki for the policy of train.py: ships on the move's island, and where they may sail."""

import numpy as np

from engine.tongiaki.board.tiles import BEACH_OF_PIER, BERTHS, FIRST_BEACH, N_BEACHES, N_ISLANDS, N_TILES, POINTS, ROUTE_COLORS, ROUTE_EXIT

TILES = slice(0, 5 * N_TILES)  # in the flat observation
SHIPS = slice(160, 160 + 2 * len(BERTHS))
UNSEEN = slice(294, 294 + N_TILES)
ISLAND, WORTH, SIDE, SHIPS_PUT = 1, 2, 6, 7  # columns of rows; SHIPS_PUT is the first of several columns
NONE = len(BERTHS)
ROOM = np.append(BERTHS, 0)
BEACHES = np.full((N_ISLANDS + 1, max(N_BEACHES)), NONE)  # for the island in a row, counted from 1
for number in range(N_ISLANDS):
    BEACHES[number + 1, : N_BEACHES[number]] = FIRST_BEACH[number] + np.arange(N_BEACHES[number])
PIERS = np.append(np.full(6, -1), BEACH_OF_PIER).reshape(-1, 6)  # for each side of the island, its beach or -1
LEAVES_BY = (BEACHES[:, :, None] == PIERS[:, None]) & (BEACHES != NONE)[:, :, None]  # islands, beaches, sides
EMPTY, FAILS = N_ISLANDS, N_ISLANDS + 1  # where a voyage ends if it does not reach an island
POINTS_AT = np.append(POINTS, (0, 0))
EXITS, COLORS = np.array(ROUTE_EXIT).reshape(-1, 6), np.array(ROUTE_COLORS).reshape(-1, 6)
WIDTH = 70  # the width of a square of cells that is large enough for any board
STEPS = np.array((-1, WIDTH - 1, WIDTH, 1, 1 - WIDTH, -WIDTH))


def move_facts(numbers, rows, of):
    """Return features for each row, of shape (len(rows), n); ``of`` is the index of each row's flat observation in ``numbers``."""
    ships = numbers[:, SHIPS].reshape(len(numbers), NONE, 2)
    beaches = BEACHES[rows[:, ISLAND]]
    there = np.concatenate((ships, np.zeros_like(ships[:, :1])), 1)[of[:, None], beaches]  # rows, beaches, own and other ships
    then = there + rows[:, SHIPS_PUT:].reshape(there.shape)
    free, left = ROOM[beaches] - there.sum(2), ROOM[beaches] - then.sum(2)
    is_full = (left <= 0) & (beaches != NONE)
    before, after, staying = there.sum(1), then.sum(1), (then * ~is_full[:, :, None]).sum(1)
    worth = rows[:, [WORTH]] / 5

    pairs, pair = np.unique(of * (N_ISLANDS + 1) + rows[:, ISLAND], return_inverse=True)  # of positions and islands
    at, islands = np.divmod(pairs, N_ISLANDS + 1)
    ends, colors = voyages(numbers[:, TILES].reshape(len(numbers), N_TILES, 5).astype(int), at, islands)
    holds = np.add.reduceat(ships, FIRST_BEACH, 1) > 0  # positions, islands, own and other
    drawn = numbers[:, UNSEEN][:, :N_ISLANDS] @ POINTS / np.maximum(numbers[:, UNSEEN].sum(1), 1)  # the next tile's points on average
    is_there = np.concatenate((holds, np.zeros_like(holds[:, :2])), 1)[at[:, None], ends]  # pairs, sides, own and other
    wins = (POINTS_AT[ends] + (ends == EMPTY) * drawn[at, None])[:, :, None] * ~is_there

    alone, both = (wins * (colors <= aboard)[:, :, None] for aboard in (1, 2))
    nobody = np.zeros(colors.shape)
    leads = np.stack((nobody, alone[..., 0], -alone[..., 1], both[..., 0] - both[..., 1]), 2)  # won by nobody, own ships, others, both
    best = np.where(LEAVES_BY[islands][:, :, :, None], leads[:, None], -9).max(2)[pair] * (beaches != NONE)[:, :, None]
    gains = np.take_along_axis(best, ((then > 0) @ (1, 2))[:, :, None], 2)[:, :, 0]  # for the ships that will be on each beach

    side = np.maximum(rows[:, SIDE], 1) - 1
    group = (there * (beaches == PIERS[rows[:, ISLAND], side][:, None])[:, :, None]).sum(1)  # of a departure
    sails = (colors[pair, side] <= (group > 0).sum(1))[:, None]
    end = np.where(sails[:, 0], ends[pair, side], FAILS)
    room = np.pad(np.add.reduceat(ROOM[:NONE] - ships.sum(2), FIRST_BEACH, 1), ((0, 0), (0, 2)))[of, end]
    departure = (
        group / 3,
        (end[:, None] == (EMPTY, FAILS)),
        (end == rows[:, ISLAND] - 1)[:, None],
        POINTS_AT[end][:, None] / 5,
        wins[pair, side] * (group > 0) * sails / 5,
        is_there[pair, side],
        (before == group) & (group > 0),
        room[:, None] / 5,
    )
    parts = (
        there.reshape(len(rows), -1) / 2,
        free / 3,
        left / 3,
        is_full.sum(1, keepdims=True) / 2,
        free.sum(1, keepdims=True) / 5,
        before / 4,
        before > 0,
        after > 0,
        staying > 0,
        worth * ((after > 0) & (before == 0)),
        worth * ((after > 0) & (staying == 0)),
        best[:, :, 1:].reshape(len(rows), -1) / 5,
        gains / 5,
        (gains * is_full).max(1, keepdims=True) / 5,
        (gains * is_full).sum(1, keepdims=True) / 5,
        (holds * np.array(POINTS)[:, None]).sum(1)[of] / 20,
        drawn[of, None] / 2,
        np.concatenate(departure, 1) * (rows[:, [SIDE]] > 0),
    )
    return np.concatenate(parts, 1, dtype=np.float32)


def voyages(tiles, of, islands):
    """Return, for each side of an island, where a group ends that sails from it, and how many colours the group must have.

    Islands are counted from 1, as in rows; ``of`` is the index of each island's board in ``tiles``.
    """
    turned, cells = tiles[:, :, 3], (tiles[:, :, 1] + WIDTH // 2) * WIDTH + tiles[:, :, 2] + WIDTH // 2
    tables = np.full((len(tiles), WIDTH * WIDTH), -1, np.int8)
    at, laid = np.nonzero(tiles[:, :, 0])
    tables[at, cells[at, laid]] = laid
    ends, colors = np.full((len(of), 6), FAILS), np.ones((len(of), 6), int)
    number, side = np.nonzero(PIERS[islands] >= 0)
    at, home = of[number], islands[number] - 1
    cell, direction = cells[at, home], (turned[at, home] + side) % 6
    while len(number):
        cell = cell + STEPS[direction]
        tile = tables[at, cell]
        entry = (direction + 3 - turned[at, tile]) % 6
        is_water = tile >= N_ISLANDS
        needed = np.where(is_water, np.maximum(colors[number, side], COLORS[tile, entry]), colors[number, side])
        end = np.where(tiles[at, tile, 4] > 0, home, tile)  # at a royal island, the group turns back
        colors[number, side] = needed
        ends[number, side] = np.where(tile < 0, EMPTY, np.where(is_water, FAILS, end))
        goes_on = is_water & (needed <= 2)
        direction = (turned[at, tile] + EXITS[tile, entry]) % 6
        number, side, at, home, cell, direction = (each[goes_on] for each in (number, side, at, home, cell, direction))
    return ends, colors
