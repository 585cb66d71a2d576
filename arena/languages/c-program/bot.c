/* A bot in C: it asks for the list of legal moves, and plays a random one among the moves whose kind has the highest value.

   bot.toml says how to build it, and docs/protocol.md documents the messages. Tokens and moves are plain ASCII without escapes, so a search
   for the keys is enough here. */

#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

/* splitmix64: small, and good enough to choose moves with */
static uint64_t next_random(void)
{
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Returns where the value of a key begins, or NULL if the key is missing. */
static const char *value_of(const char *line, const char *key)
{
    const char *found = strstr(line, key);
    return found == NULL ? NULL : found + strlen(key);
}

/* The value of each kind of move, which is the first word of a move; kinds that are not listed have the value 1. */
static const struct {
    const char *kind;
    int worth;
} rules[] = {
    {"crown", 3},      /* Tongiaki: a royal island keeps its points */
    {"settle", 2},     /* the ship is on a beach immediately */
    {"recolonise", 0}, /* it gives up the ships on the board, so it is the last resort */
    {"claim", 2},      /* Sunda: a claim scores points, a tile may never do so */
    {"skip", 0},
    {"agree", 0},
};

static int worth_of(const char *move)
{
    size_t length = strcspn(move, " \"");
    for (size_t at = 0; at < sizeof rules / sizeof *rules; at++)
        if (strlen(rules[at].kind) == length && strncmp(move, rules[at].kind, length) == 0)
            return rules[at].worth;
    return 1;
}

static void answer(const char *line)
{
    const char *token = value_of(line, "\"token\":\"");
    const char *legal = value_of(line, "\"legal\":[");
    if (token == NULL || legal == NULL)
        exit(2);

    const char *chosen = NULL;
    int best = -1;
    uint64_t equals = 0; /* how many moves are as good as the best; each is equally likely to be chosen */
    const char *end = strchr(legal, ']');
    for (const char *at = strchr(legal, '"'); at != NULL && at < end; at = strchr(at, '"')) {
        const char *move = at + 1;
        int worth = worth_of(move);
        if (worth > best) {
            best = worth;
            equals = 0;
        }
        if (worth == best && next_random() % ++equals == 0)
            chosen = move;
        at = strchr(move, '"') + 1;
    }
    if (chosen == NULL)
        exit(2);
    printf("{\"type\":\"answer\",\"token\":\"%.*s\",\"move\":\"%.*s\"}\n",
           (int)strcspn(token, "\""), token, (int)strcspn(chosen, "\""), chosen);
}

int main(void)
{
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        if (strstr(line, "\"type\":\"match\"") != NULL) {
            const char *seed = value_of(line, "\"seed\":");
            state = seed == NULL ? 0 : strtoull(seed, NULL, 10);
            fprintf(stderr, "my seed is %llu\n", (unsigned long long)state); /* goes to the bot's log */
            puts("{\"type\":\"hello\",\"protocol\":1,\"name\":\"c\",\"wants\":[\"legal\"]}");
        } else if (strstr(line, "\"type\":\"decide\"") != NULL) {
            answer(line);
        }
        fflush(stdout); /* otherwise the host waits for a line that is still in the buffer */
    }
    return 0;
}
