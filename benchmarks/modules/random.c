/* A bot that plays any legal move, each with equal probability. */
#include "arena.h"

int choose(arena_clock clock)
{
    (void)clock;
    return arena_below(arena_legal(ARENA_NOW));
}
