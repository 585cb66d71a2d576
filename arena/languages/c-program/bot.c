/* A bot in C: it asks for the list of legal moves, and plays one of those whose kind is worth the most to it by a rule of thumb.

   bot.toml says how to build it, and docs/protocol.md has the messages. Tokens and moves are plain ASCII without escapes, so a search for
   the keys is enough here. */

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

/* Where the value of a key begins, or NULL. */
static const char *value_of(const char *line, const char *key)
{
    const char *found = strstr(line, key);
    return found == NULL ? NULL : found + strlen(key);
}

/* How much a kind of move is worth, by its first word; all that are not named are worth 1. */
static const struct {
    const char *kind;
    int worth;
} rules[] = {
    {"crown", 3},      /* Tongiaki: a royal island counts whatever becomes of it */
    {"settle", 2},     /* a settled beach is held at once */
    {"recolonise", 0}, /* it gives up what is there, so only if there is nothing else */
    {"claim", 2},      /* Sunda: a claim is points, a tile is hope */
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
    uint64_t equals = 0; /* as good as the best; each of them is as likely to be chosen as the next */
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
        fflush(stdout); /* or the host waits for a line that is still in the buffer */
    }
    return 0;
}
