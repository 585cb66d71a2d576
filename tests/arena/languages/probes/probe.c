/* Uses all that arena.h has, in a match of Tongiaki, and logs what is not as it should be. */
#include "arena.h"

static int wrong;

static void check(int holds, const char *what)
{
    if (!holds) {
        arena_log(what);
        wrong = 1;
    }
}

static int same(const char *text, const char *other, int length)
{
    for (int at = 0; at < length; at++)
        if (text[at] != other[at])
            return 0;
    return 1;
}

void start(const char *match)
{
    check(same(arena_value(match, "game"), "\"tongiaki\",", 11), "game");
    check(arena_value(match, "nowhere") == NULL, "a key that is missing");
    check(arena_integer(arena_value(match, "players")) == arena.players, "players");
    check(arena_integer(arena_value(arena_value(match, "clock"), "bank")) == INT64_MAX, "null");
    arena_log("started");
}

int choose(arena_clock clock)
{
    static char move[200], text[60000], other[60000], tiny[8];
    int legal = arena_legal(ARENA_NOW);
    check(legal > 1 && arena_actor(ARENA_NOW) == arena.seat, "the position");
    check(clock.nodes == INT64_MAX && arena_fuel() <= clock.fuel, "the clock");
    for (int index = 0; index < legal; index++) {
        int length = arena_move(ARENA_NOW, index, move, sizeof move - 1);
        move[length] = 0;
        check(arena_find(ARENA_NOW, move) == index, "a move");
    }
    check(arena_find(ARENA_NOW, "swim 3") == -1, "a move that is not legal");
    check(arena_text(ARENA_NOW, tiny, 4) > 4 && tiny[0] == 0, "a text that is too long");

    arena_position first = arena_sample(7), second = arena_copy(first);
    int length = arena_text(first, text, sizeof text);
    check(same(text, "tongiaki\n", 9) && arena_legal(first) == legal, "a sample");
    int actor = arena_play(second, legal - 1);
    check(actor == arena_actor(second), "the actor");
    check(arena_text(first, other, sizeof other) == length && same(text, other, length), "a copy");
    int32_t moves = arena_playout(second, arena_random());
    check(arena_actor(second) == -1 && (moves > 0) == (actor != -1), "a playout");
    double lead = arena_score(second, arena.seat) - arena_score(second, 1 - arena.seat);
    check(arena_lead(second) == lead && (lead == 0 || (arena_rank(second, arena.seat) == 1) == (lead > 0)), "the end");
    arena_drop(second);
    arena_drop(first);
    for (int number = 0; number < 100; number++)
        check((unsigned)arena_below(7) < 7, "chance");
    arena_log(wrong ? "wrong" : "well");
    return legal - 1;
}
