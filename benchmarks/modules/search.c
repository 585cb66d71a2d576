/* A typical search of a bot: alpha-beta negamax with a transposition table, for Connect Four. */
#include <stdint.h>

#define COLUMNS 7
#define ENTRIES (1 << 16)

static uint64_t keys[ENTRIES];
static int8_t values[ENTRIES];
static uint64_t nodes;
static const int order[COLUMNS] = {3, 2, 4, 1, 5, 0, 6};

static int has_won(uint64_t stones)
{
    static const int steps[4] = {1, 6, 7, 8};
    for (int i = 0; i < 4; i++) {
        uint64_t pairs = stones & (stones >> steps[i]);
        if (pairs & (pairs >> 2 * steps[i]))
            return 1;
    }
    return 0;
}

static int negamax(uint64_t own, uint64_t all, int depth, int alpha, int beta)
{
    nodes++;
    if (has_won(own ^ all))
        return -100 - depth;
    if (depth == 0)
        return 0;
    uint64_t position = (own + all) << 5 | (uint64_t)depth;
    uint32_t entry = (uint32_t)(position * 0x9e3779b97f4a7c15u >> 48);
    if (keys[entry] == position)
        return values[entry];
    int best = -127;
    for (int i = 0; i < COLUMNS && alpha < beta; i++) {
        int column = 7 * order[i];
        if (all & (1ull << (column + 5)))
            continue;
        uint64_t next = all | ((all + (1ull << column)) & (0x3full << column));
        int value = -negamax(own ^ all, next, depth - 1, -beta, -alpha);
        best = value > best ? value : best;
        alpha = value > alpha ? value : alpha;
    }
    best = best == -127 ? 0 : best;
    keys[entry] = position;
    values[entry] = (int8_t)best;
    return best;
}

/* Returns how many positions a search of this depth looks at. */
__attribute__((visibility("default"))) uint64_t search(int depth)
{
    nodes = 0;
    for (int entry = 0; entry < ENTRIES; entry++)
        keys[entry] = 0;
    negamax(0, 0, depth, -127, 127);
    return nodes;
}
