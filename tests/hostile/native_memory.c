/* Takes memory where limits don't count it: stacks that grow, page tables. Says how many MiB it got. */

#include "native_bot.h"

#define MIB (1L << 20)

static long grow(void)
{
    long got = 0;
    for (int each = 0; each < 48; each++) {
        char *top = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1, 0);
        if (top == MAP_FAILED)
            return got;
        got++;
    }
    return got;
}

static long tables(long most)
{
    long pages = 0;
    while (pages * 4096 < most) {
        volatile char *place = mmap(NULL, 1L << 30, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (place == MAP_FAILED)
            break;
        for (long at = 0; at < 1L << 30; at += 2 * MIB, pages++)
            (void)place[at];
    }
    return pages * 4096 / MIB;
}

int main(void)
{
    printf("stacks %ld ", grow());
    printf("tables %ld\n", tables(1L << 30));
    fflush(stdout);
    getchar();
    return 0;
}
