/* Makes pipes, whose inodes are numbered for the whole machine, so that a later bot may see how many there were. Says how many it made. */

#include "native_bot.h"

int main(void)
{
    int ends[2], made = 0;
    while (made < 100000 && pipe(ends) == 0) {
        close(ends[0]);
        close(ends[1]);
        made++;
    }
    printf("made %d, then %s\n", made, strerror(errno));
    return 0;
}
