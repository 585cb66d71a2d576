/* The least that a bot in C needs to play: it takes the first legal move. Hostile programs include it. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static char line[1 << 20];

static void hello(void)
{
    puts("{\"type\":\"hello\",\"protocol\":1,\"name\":\"hostile\",\"wants\":[\"legal\"]}");
    fflush(stdout);
}

/* Reads up to the next decision; 0 at the end. */
static int is_asked(void)
{
    while (fgets(line, sizeof line, stdin) != NULL)
        if (strstr(line, "\"type\":\"decide\"") != NULL)
            return 1;
    return 0;
}

static void answer(void)
{
    const char *token = strstr(line, "\"token\":\"") + 9;
    const char *legal = strstr(line, "\"legal\":[\"") + 10;
    printf("{\"type\":\"answer\",\"token\":\"%.16s\",\"move\":\"%.*s\"}\n", token, (int)strcspn(legal, "\""), legal);
    fflush(stdout);
}
