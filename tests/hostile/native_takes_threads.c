/* Takes every thread there is to be had before its first move, so that others at the table have none. It says how many in its log. */

#include "native_bot.h"

static void *wait_for_ever(void *nothing)
{
    pause();
    return nothing;
}

int main(void)
{
    pthread_t thread;
    pthread_attr_t small;
    int got = 0;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 << 10);
    while (got < 400 && pthread_create(&thread, &small, wait_for_ever, NULL) == 0)
        got++;
    fprintf(stderr, "threads %d\n", got);
    hello();
    while (is_asked())
        answer();
    return 0;
}
