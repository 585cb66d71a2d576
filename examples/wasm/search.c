/* A bot that plays random games after its moves, more of them after the most promising moves (UCB1), until half of its fuel is used.

   Build it: zig cc --target=wasm32-freestanding -Oz -nostdlib -I../../arena/languages/c -Wl,--no-entry -Wl,--strip-all search.c -o search.wasm */

#include "arena.h"

enum { MOVES = 64, GAMES = 400 };

static struct {
    int move, games;
    double total;
} tried[MOVES];

/* The value of a finished game, from 0 to 1: mainly for winning, the rest for the lead. */
static double worth(arena_position end)
{
    double lead = arena_lead(end);
    return 0.75 * (arena_rank(end, arena.seat) == 1) + 0.125 * (1 + lead / (10 + (lead < 0 ? -lead : lead)));
}

/* An upper confidence bound of the mean; a move that has not been tried comes first. */
static double bound(int number, int games)
{
    double bits = 64 - __builtin_clzll((unsigned long long)games); /* a logarithm */
    int own = tried[number].games;
    return own ? tried[number].total / own + 0.3 * __builtin_sqrt(bits / own) : 1e9;
}

int choose(arena_clock clock)
{
    int legal = arena_legal(ARENA_NOW), count = legal < MOVES ? legal : MOVES, best = 0;
    for (int number = 0; number < count; number++) { /* if there are too many moves, evenly spaced ones */
        tried[number].move = (int)((long long)number * legal / count);
        tried[number].games = 0;
        tried[number].total = 0;
    }
    for (int games = 1; games <= GAMES && arena_fuel() > clock.fuel / 2; games++) {
        int next = 0;
        for (int number = 1; number < count; number++)
            if (bound(number, games) > bound(next, games))
                next = number;
        arena_position position = arena_sample(arena_random());
        arena_play(position, tried[next].move);
        arena_playout(position, arena_random());
        tried[next].total += worth(position);
        tried[next].games++;
        arena_drop(position);
    }
    for (int number = 1; number < count; number++)
        if (tried[number].games > tried[best].games)
            best = number;
    return tried[best].move;
}
