/* Keeps bits in the page cache of a file of the system, and looks for those of an earlier match. Says what it got. */

#include "native_bot.h"

static void tell(const char *what, long result)
{
    if (result >= 0)
        printf("got %s\n", what);
}

int main(void)
{
    static const struct { const char *name; int number; } advice[] = {
        {"RANDOM", 1}, {"SEQUENTIAL", 2}, {"WILLNEED", 3}, {"REMOVE", 9}, {"HUGEPAGE", 14},
        {"COLD", 20}, {"PAGEOUT", 21}, {"POPULATE_READ", 22}, {"POPULATE_WRITE", 23}, {"COLLAPSE", 25},
    };
    char room[64];
    struct iovec where = {room, 1};
    unsigned long range[2] = {0, 0};
    int file = open("/usr/lib/os-release", O_RDONLY);
    printf("opened %d\n", file >= 0);
    tell("fadvise", syscall(SYS_fadvise64, file, 0L, 0L, 4));
    for (int flag = 1; flag < 0x100; flag <<= 1)
        tell("preadv2 with a flag", syscall(SYS_preadv2, file, &where, 1L, 0L, 0L, flag));
    tell("cachestat", syscall(451, file, range, room, 0));
    tell("readahead", syscall(SYS_readahead, file, 0L, 4096L));
    struct rusage usage;
    tell("getrusage", syscall(SYS_getrusage, 0, &usage));
    tell("a lease", fcntl(file, F_SETLEASE, F_RDLCK));
    struct flock lock = {.l_type = F_RDLCK};
    tell("a lock", fcntl(file, F_SETLK, &lock));
    tell("a shared mapping", mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0) == MAP_FAILED ? -1 : 0);
    tell("a populated mapping", mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0) == MAP_FAILED ? -1 : 0);
    char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0);
    if (page != MAP_FAILED) {
        tell("mincore", syscall(SYS_mincore, page, 4096L, room));
        for (size_t each = 0; each < sizeof advice / sizeof *advice; each++)
            tell(advice[each].name, madvise(page, 4096, advice[each].number));
        tell("sleepers on a shared page", syscall(SYS_futex, page, 1, 1, NULL, NULL, 0));
    }
    puts("done");
    return 0;
}
