/* A bot that plays random games after each move and picks the move with the best average result. */
#include "arena.h"

int choose(arena_clock clock)
{
    int legal = arena_legal(ARENA_NOW), step = 1 + legal / 20, best = 0;
    double most = -1e300;
    for (int move = arena_below(step); move < legal; move += step) {
        double total = 0;
        for (int game = 0; game < 5; game++) {
            if (arena_fuel() < clock.fuel / 2)
                return best;
            arena_position position = arena_sample(arena_random()); /* consistent with what the seat knows */
            arena_play(position, move);
            arena_playout(position, arena_random());
            total += arena_lead(position);
            arena_drop(position);
        }
        if (total > most) {
            most = total;
            best = move;
        }
    }
    return best;
}
