/* A bot for OpenSpiel's connect_four that implements the rules itself: an alpha-beta search on bitboards with increasing depth, until its
   nodes or half of its fuel are used. It asks the host only for the position. The source can also be compiled to a native program.

   Build it: zig cc --target=wasm32-freestanding -O3 -nostdlib -I../../arena/languages/c -Wl,--no-entry -Wl,--strip-all connect_four.c -o connect_four.wasm

   or, as a program that speaks docs/protocol.md: cc -O3 connect_four.c -o connect_four */

#include <stdint.h>

enum { COLUMNS = 7, ROWS = 6, HEIGHT = ROWS + 1, WON = 1000, NODES = 300000 };

/* Column c is stored in the bits 7c to 7c + 6, from bottom to top; the highest bit is always empty. */
typedef struct {
    uint64_t own, all; /* the stones of the player on turn, and of both */
} board;

static int64_t nodes;
static int stopped;
static int has_to_stop(void);

static uint64_t below_of(int column)
{
    return (uint64_t)1 << (column * HEIGHT);
}

static int is_full(board b, int column)
{
    return (b.all & (below_of(column) << (ROWS - 1))) != 0;
}

static board after(board b, int column)
{
    return (board){b.own ^ b.all, b.all | (b.all + below_of(column))};
}

static int has_four(uint64_t stones)
{
    static const int directions[] = {1, HEIGHT - 1, HEIGHT, HEIGHT + 1};
    for (int number = 0; number < 4; number++) {
        uint64_t pairs = stones & (stones >> directions[number]);
        if (pairs & (pairs >> (2 * directions[number])))
            return 1;
    }
    return 0;
}

static const int order[COLUMNS] = {3, 2, 4, 1, 5, 0, 6};

static int search(board b, int depth, int alpha, int beta)
{
    if (has_four(b.own ^ b.all))
        return -WON - depth;
    if (depth == 0 || stopped)
        return 0;
    if ((++nodes & 1023) == 0 && has_to_stop())
        stopped = 1;
    int best = -2 * WON, moves = 0;
    for (int number = 0; number < COLUMNS && alpha < beta; number++) {
        if (is_full(b, order[number]))
            continue;
        int value = -search(after(b, order[number]), depth - 1, -beta, -alpha);
        moves++;
        best = value > best ? value : best;
        alpha = value > alpha ? value : alpha;
    }
    return moves ? best : 0;
}

/* Returns the column to play after the columns in the history. */
static int best_column(const int *history, int length)
{
    board b = {0, 0};
    for (int number = 0; number < length; number++)
        b = after(b, history[number]);
    int best = -1;
    nodes = stopped = 0;
    for (int depth = 1; depth <= COLUMNS * ROWS - length && !stopped; depth++) {
        int found = -1, most = -2 * WON;
        for (int number = 0; number < COLUMNS; number++) {
            if (is_full(b, order[number]))
                continue;
            int value = -search(after(b, order[number]), depth - 1, -2 * WON, -most);
            if (value > most) {
                most = value;
                found = order[number];
            }
        }
        if (!stopped || best < 0)
            best = found;
    }
    return best;
}

/* Reads the columns of a position such as {"history":[3,3,2]}, and returns the number of columns. */
static int read_history(const char *text, int *history)
{
    int length = 0;
    while (*text != '[')
        text++;
    for (; *text != ']'; text++)
        if (*text >= '0' && *text <= '6')
            history[length++] = *text - '0';
    return length;
}

#ifdef __wasm__
#include "arena.h"

static int64_t reserve;

static int has_to_stop(void)
{
    return nodes >= NODES || arena_fuel() < reserve;
}

int choose(arena_clock clock)
{
    static char text[1024];
    int history[COLUMNS * ROWS], full = 0;
    arena_text(ARENA_NOW, text, sizeof text - 1);
    int length = read_history(text, history);
    reserve = clock.fuel / 2;
    int column = best_column(history, length);
    for (int other = 0; other < column; other++) { /* full columns are not legal */
        int height = 0;
        for (int number = 0; number < length; number++)
            height += history[number] == other;
        full += height == ROWS;
    }
    return column - full;
}

#else
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int has_to_stop(void)
{
    return nodes >= NODES;
}

int main(void)
{
    static char line[1 << 20];
    int seat = 0, history[COLUMNS * ROWS];
    while (fgets(line, sizeof line, stdin)) {
        const char *token = strstr(line, "\"token\":\""), *position = strstr(line, "\"position\":");
        if (strstr(line, "\"type\":\"match\"")) {
            seat = atoi(strstr(line, "\"seat\":") + 7);
            puts("{\"type\":\"hello\",\"protocol\":1,\"name\":\"\",\"wants\":[\"position\"]}");
        } else if (token && position) {
            int column = best_column(history, read_history(position, history));
            printf("{\"type\":\"answer\",\"token\":\"%.16s\",\"move\":\"%c%d\"}\n", token + 9, "xo"[seat], column);
        }
        fflush(stdout);
    }
    return 0;
}
#endif
