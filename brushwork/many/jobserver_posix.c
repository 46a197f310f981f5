#include "brushwork/many/jobserver.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "brushwork/many/child.h"

static struct {
    int in, out; /* -1: none */
    unsigned char tokens[CHILDREN_MAX];
    volatile sig_atomic_t held;
} server = {.in = -1, .out = -1};

/* Signals wait while a byte is neither there nor here. */
static void block_signals(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, before);
}

static bool is_pipe(int file)
{
    struct stat info;
    return file >= 0 && fstat(file, &info) == 0 && S_ISFIFO(info.st_mode);
}

/* Reading must not block, and others share the open file: so it is opened again. */
static bool open_pair(int in, int out)
{
    char path[64];
    if (!is_pipe(in) || !is_pipe(out))
        return false;
    snprintf(path, sizeof path, "/dev/fd/%d", in);
    server.in = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    server.out = fcntl(out, F_DUPFD_CLOEXEC, 0);
    return server.in >= 0 && server.out >= 0;
}

static bool open_named(const char *path)
{
    server.in = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (!is_pipe(server.in))
        return false;
    server.out = fcntl(server.in, F_DUPFD_CLOEXEC, 0);
    return server.out >= 0;
}

bool jobserver_connect(const char *value)
{
    static const char fifo[] = "fifo:";
    int in, out;
    if (strncmp(value, fifo, strlen(fifo)) == 0)
        return open_named(value + strlen(fifo));
    return sscanf(value, "%d,%d", &in, &out) == 2 && open_pair(in, out);
}

void jobserver_close(void)
{
    jobserver_give_all();
    if (server.in >= 0)
        close(server.in);
    if (server.out >= 0)
        close(server.out);
    server.in = server.out = -1;
}

bool jobserver_take(void)
{
    sigset_t before;
    if (server.in < 0 || server.held >= CHILDREN_MAX)
        return false;
    block_signals(&before);
    bool is_taken = read(server.in, &server.tokens[server.held], 1) == 1;
    if (is_taken)
        server.held++;
    sigprocmask(SIG_SETMASK, &before, NULL);
    return is_taken;
}

/* Which of those that are held is the same to Make. */
void jobserver_give(void)
{
    sigset_t before;
    block_signals(&before);
    if (server.held > 0) {
        server.held--;
        while (write(server.out, &server.tokens[server.held], 1) < 0 && errno == EINTR)
            continue;
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
}

void jobserver_give_all(void)
{
    while (server.held > 0) {
        server.held--;
        (void)!write(server.out, &server.tokens[server.held], 1);
    }
}

int jobserver_descriptor(void)
{
    return server.in;
}
