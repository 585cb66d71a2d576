/* A bot in C: it asks for the list of legal moves and plays any of them, each as likely as the next.

       make -C examples/c_bot && arena match examples/c_bot random --game tongiaki --seed 3

   docs/protocol.md has the messages. Tokens and moves are plain ASCII without escapes, so a search for the keys is enough here. */

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

static void answer(const char *line)
{
    const char *token = value_of(line, "\"token\":\"");
    const char *legal = value_of(line, "\"legal\":[");
    if (token == NULL || legal == NULL)
        exit(2);

    uint64_t moves = 0; /* two quotes for each */
    const char *end = strchr(legal, ']');
    for (const char *at = legal; at < end; at++)
        moves += *at == '"';
    moves /= 2;
    uint64_t wanted = next_random() % moves;

    const char *move = legal;
    for (uint64_t quotes = 0; quotes < 2 * wanted + 1; move++)
        quotes += *move == '"';
    printf("{\"type\":\"answer\",\"token\":\"%.*s\",\"move\":\"%.*s\"}\n",
           (int)strcspn(token, "\""), token, (int)strcspn(move, "\""), move);
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
            puts("{\"type\":\"hello\",\"protocol\":1,\"name\":\"c_bot\",\"wants\":[\"legal\"]}");
        } else if (strstr(line, "\"type\":\"decide\"") != NULL) {
            answer(line);
        }
        fflush(stdout); /* or the host waits for a line that is still in the buffer */
    }
    return 0;
}
