/* Waits until its opponent thinks, and then takes the processor from it with as many threads as it may have. */

#include "native_bot.h"

static volatile int is_burning;

static void *burn(void *nothing)
{
    for (;;)
        if (!is_burning)
            usleep(1000);
    return nothing;
}

int main(void)
{
    pthread_t thread;
    int got = 0;
    while (got < 15 && pthread_create(&thread, NULL, burn, NULL) == 0)
        got++;
    fprintf(stderr, "threads %d\n", got);
    hello();
    while (is_asked()) {
        is_burning = 0;
        answer();
        is_burning = 1;
    }
    return 0;
}
