/* Interface for a bot in C that is compiled to a WebAssembly module; see docs/wasm.md.

   Include this in one file of the bot and define there

       int choose(arena_clock clock)         which returns the index of a legal move
       void start(const char *match)         optional: called once, before the first decision, with the text of the message "match"

   Positions are numbers. ARENA_NOW is the current position as the seat sees it; it is read-only, so play moves on a sample. All other
   positions are dropped at the end of each decision. A call with a position, index or seat that does not exist ends the bot.

   The exact interface, for wrappers in other languages. This is version 1; the number is in the name of the module, arena_v1. A module must
   export its memory as "memory", and these functions; other exports are ignored:

       arena_buffer(size: i32) -> i32    returns the address of a buffer of at least size bytes; the host may use the buffer until
                                         arena_message returns; the buffer may grow or move from call to call
       arena_message(size: i32) -> i32   reads the message of size bytes at the beginning of the buffer, writes the answer to the beginning of
                                         the same buffer, and returns its length; 0 means no answer, which only "finish" allows
       _initialize()                     optional: called once before anything else

   For each message the host calls arena_buffer with the message's length (but at least 65,536), writes the message to the buffer, and calls
   arena_message. docs/protocol.md documents the messages and answers; each is one JSON object without newlines or spaces. clock.fuel is
   missing from a "decide" message if fuel is unlimited. The functions of arena_v1 are declared below; pointers and positions are i32. Strings
   are passed as an address and a length, in UTF-8. copy, play, playout, score, rank and drop must not be called with position 0. While
   "match" is being answered, position 0 is the first position of the match. */

#ifndef ARENA_H
#define ARENA_H

#include <stddef.h>
#include <stdint.h>

#define ARENA_CALL(name) __attribute__((import_module("arena_v1"), import_name(name)))
#define ARENA_EXPORT(name) __attribute__((export_name(name), used))

typedef int32_t arena_position;
enum { ARENA_NOW = 0 };

/* The limits for this decision; INT64_MAX means no limit. */
typedef struct {
    int64_t fuel;  /* units */
    int64_t nodes; /* how many positions a search may look at */
} arena_clock;

/* The bot's match. */
static struct {
    int players, seat;
    const char *message; /* the message that is being answered, for arena_value */
} arena;

int choose(arena_clock clock);
__attribute__((weak)) void start(const char *match);

/* ---- Functions of the host; docs/wasm.md lists their prices ---- */

ARENA_CALL("fuel") int64_t arena_fuel(void);                               /* the fuel left for this decision */
ARENA_CALL("legal") int32_t arena_legal(arena_position);                   /* how many legal moves there are */
ARENA_CALL("actor") int32_t arena_actor(arena_position);                   /* the seat on turn, or -1 when the game is over */
ARENA_CALL("sample") arena_position arena_sample(uint64_t seed);           /* what the seat knows, plus random hidden information */
ARENA_CALL("copy") arena_position arena_copy(arena_position);
ARENA_CALL("play") int32_t arena_play(arena_position, int32_t index);      /* plays a legal move; returns the actor after it */
ARENA_CALL("playout") int32_t arena_playout(arena_position, uint64_t seed); /* plays at random to the end; returns the number of moves */
ARENA_CALL("score") double arena_score(arena_position, int32_t seat);      /* only when the game is over */
ARENA_CALL("rank") int32_t arena_rank(arena_position, int32_t seat);       /* 1 for the winner; only when the game is over */
ARENA_CALL("drop") void arena_drop(arena_position);
/* Write the notation of a move or of a position, if it is no longer than the capacity, and return its length. */
ARENA_CALL("move") int32_t arena_move(arena_position, int32_t index, char *to, int32_t capacity);
ARENA_CALL("text") int32_t arena_text(arena_position, char *to, int32_t capacity);
ARENA_CALL("find") int32_t arena_find_bytes(arena_position, const char *move, int32_t length);
ARENA_CALL("log") void arena_log_bytes(const char *text, int32_t length);

static inline int32_t arena_length(const char *text)
{
    int32_t length = 0;
    while (text[length])
        length++;
    return length;
}

/* The index of the legal move with this notation, or -1. */
static inline int32_t arena_find(arena_position position, const char *move)
{
    return arena_find_bytes(position, move, arena_length(move));
}

/* Writes a line to the author's log. */
static inline void arena_log(const char *text)
{
    arena_log_bytes(text, arena_length(text));
}

/* The bot's score minus the best other seat's score, when the game is over. */
static inline double arena_lead(arena_position position)
{
    double best = -1e300;
    for (int seat = 0; seat < arena.players; seat++) {
        double score = seat == arena.seat ? -1e300 : arena_score(position, seat);
        best = score > best ? score : best;
    }
    return arena_score(position, arena.seat) - (arena.players > 1 ? best : 0);
}

/* ---- Random numbers: splitmix64 from the bot's seed, so that a match can be replayed ---- */

static uint64_t arena_state;

static inline uint64_t arena_random(void)
{
    uint64_t z = (arena_state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* A number from 0 to n - 1. */
static inline int32_t arena_below(int32_t n)
{
    return (int32_t)(arena_random() % (uint64_t)n);
}

/* ---- Messages: well-formed JSON without spaces (docs/protocol.md) ---- */

/* Returns the end of the value or key that begins here. */
static const char *arena_skip(const char *at)
{
    int depth = 0;
    do {
        if (*at == '"')
            for (at++; *at != '"'; at++)
                at += *at == '\\';
        depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
        at++;
    } while (depth > 0 || (*at != ',' && *at != ':' && *at != '}' && *at != ']'));
    return at;
}

/* Returns a key's value in the object that begins here, as a pointer into its JSON, or NULL if the key is missing. */
static const char *arena_value(const char *object, const char *key)
{
    int32_t length = arena_length(key);
    for (const char *at = object; *at != '}' && at[1] == '"';) {
        const char *name = at + 2, *value = arena_skip(at + 1) + 1;
        int32_t same = 0;
        while (same < length && name[same] == key[same])
            same++;
        if (same == length && name[same] == '"')
            return value;
        at = arena_skip(value);
    }
    return NULL;
}

/* Returns the integer that begins here, or INT64_MAX if the value is null or missing. */
static int64_t arena_integer(const char *value)
{
    int64_t number = 0;
    if (value == NULL || *value == 'n')
        return INT64_MAX;
    for (const char *at = value + (*value == '-'); *at >= '0' && *at <= '9'; at++)
        number = 10 * number + (*at - '0');
    return *value == '-' ? -number : number;
}

/* ---- Functions that the host calls ---- */

static char arena_first[65536 + 1], *arena_at = arena_first;
static int32_t arena_capacity = 65536;

ARENA_EXPORT("arena_buffer") char *arena_buffer(int32_t size)
{
    if (size > arena_capacity) {
        size_t pages = ((size_t)size + 65536) / 65536, old = __builtin_wasm_memory_grow(0, pages);
        if (old == (size_t)-1)
            __builtin_trap();
        arena_at = (char *)(old * 65536);
        arena_capacity = (int32_t)(pages * 65536 - 1);
    }
    return arena_at;
}

static char *arena_append(char *to, const char *text)
{
    while (*text)
        *to++ = *text++;
    return to;
}

static int32_t arena_answer(void)
{
    const char *clock = arena_value(arena.message, "clock"), *said = arena_value(arena.message, "token") + 1;
    int32_t index = choose((arena_clock){arena_integer(arena_value(clock, "fuel")), arena_integer(arena_value(clock, "nodes"))});

    char token[33];
    int length = 0;
    for (; length < 32 && said[length] != '"'; length++)
        token[length] = said[length];
    token[length] = 0;

    char *to = arena_append(arena_append(arena_at, "{\"type\":\"answer\",\"token\":\""), token);
    to = arena_append(to, "\",\"move\":\"");
    to += arena_move(ARENA_NOW, index, to, 60000);
    return (int32_t)(arena_append(to, "\"}") - arena_at);
}

ARENA_EXPORT("arena_message") int32_t arena_message(int32_t size)
{
    arena_at[size] = 0;
    arena.message = arena_at;
    char kind = arena_value(arena_at, "type")[1];
    if (kind == 'd') /* decide */
        return arena_answer();
    if (kind != 'm') /* finish, which this bot does not request */
        return 0;
    arena.players = (int)arena_integer(arena_value(arena_at, "players"));
    arena.seat = (int)arena_integer(arena_value(arena_at, "seat"));
    arena_state = (uint64_t)arena_integer(arena_value(arena_at, "seed"));
    if (start)
        start(arena_at);
    return (int32_t)(arena_append(arena_at, "{\"type\":\"hello\",\"protocol\":1,\"name\":\"\",\"wants\":[]}") - arena_at);
}

#endif
