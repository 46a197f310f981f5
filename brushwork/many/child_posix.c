#define _GNU_SOURCE /* wait4 */

#include "brushwork/many/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/own_file.h"
#include "common/core/status.h"

enum { PART = 1 << 16, NOT_STARTED = 127 };
/* The descriptor that all children have of their parent's, if there is one. */
enum { CHILD_SHARED_STREAM = 4 };

struct child_process {
    pid_t pid;
    int pipes[CHILD_STREAMS]; /* -1: at its end */
};

static volatile pid_t running[CHILDREN_MAX];

static void replace_running(pid_t from, pid_t to)
{
    for (int i = 0; i < CHILDREN_MAX; i++)
        if (running[i] == from) {
            running[i] = to;
            return;
        }
}

void children_signal(int number)
{
    for (int i = 0; i < CHILDREN_MAX; i++)
        if (running[i] > 0)
            (void)kill(running[i], number);
}

static void close_pipes(int pipes[CHILD_STREAMS][2], int end)
{
    for (int i = 0; i < CHILD_STREAMS; i++)
        if (pipes[i][end] >= 0)
            close(pipes[i][end]);
}

/* Returns false with errno set. Both ends are closed by exec. */
static bool open_pipes(int pipes[CHILD_STREAMS][2], bool is_joined)
{
    for (int i = 0; i < CHILD_STREAMS; i++) {
        pipes[i][0] = pipes[i][1] = -1;
        if (i == CHILD_ERR && is_joined)
            continue;
        if (pipe(pipes[i]) != 0)
            return false;
        for (int end = 0; end < 2; end++)
            (void)fcntl(pipes[i][end], F_SETFD, FD_CLOEXEC);
        (void)fcntl(pipes[i][0], F_SETFL, O_NONBLOCK);
    }
    return true;
}

/* From here to exec only calls that a process with threads may make after fork. */
static void put_at(int from, int to)
{
    if (from == to)
        (void)fcntl(from, F_SETFD, 0);
    else if (dup2(from, to) < 0)
        _exit(NOT_STARTED);
}

static _Noreturn void become(char *const *argv, int pipes[CHILD_STREAMS][2], int shared,
                             pid_t parent, const sigset_t *mask)
{
    static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGABRT};
    struct sigaction action;
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) {
        sigaction(caught[i], NULL, &action);
        if (action.sa_handler == SIG_IGN)
            continue;
        action.sa_handler = SIG_DFL;
        sigaction(caught[i], &action, NULL);
    }
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(NOT_STARTED);
    int empty = open("/dev/null", O_RDONLY | O_CLOEXEC);
    put_at(empty, STDIN_FILENO);
    put_at(pipes[CHILD_OUT][1], STDOUT_FILENO);
    put_at(pipes[pipes[CHILD_ERR][1] >= 0 ? CHILD_ERR : CHILD_OUT][1], STDERR_FILENO);
    /* One of the pipes may have the number that the other is to get. */
    if (shared >= 0)
        shared = fcntl(shared, F_DUPFD_CLOEXEC, CHILD_SHARED_STREAM + 1);
    if (pipes[CHILD_TOLD][1] == CHILD_SHARED_STREAM)
        pipes[CHILD_TOLD][1] = fcntl(CHILD_SHARED_STREAM, F_DUPFD_CLOEXEC, CHILD_SHARED_STREAM + 1);
    put_at(pipes[CHILD_TOLD][1], CHILD_TOLD_STREAM);
    if (shared >= 0)
        put_at(shared, CHILD_SHARED_STREAM);
    sigprocmask(SIG_SETMASK, mask, NULL);
    execv("/proc/self/exe", argv);
    if (own_file_at_start())
        execv(own_file_at_start(), argv);
    _exit(NOT_STARTED);
}

/* Returns the process, or -1 with errno set. */
static pid_t fork_child(char *const *argv, int pipes[CHILD_STREAMS][2], int shared)
{
    sigset_t all, before;
    const pid_t self = getpid();
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    pid_t pid = fork();
    if (pid == 0)
        become(argv, pipes, shared, self, &before);
    int error = errno;
    if (pid > 0)
        replace_running(0, pid);
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return pid;
}

int child_start(struct child *child, char *const *argv, bool is_joined, int shared)
{
    int pipes[CHILD_STREAMS][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
    struct child_process *process = memory_zalloc(1, sizeof *process);
    *child = (struct child){.process = process};
    process->pid = open_pipes(pipes, is_joined) ? fork_child(argv, pipes, shared) : -1;
    int error = process->pid < 0 ? errno : 0;
    close_pipes(pipes, 1);
    for (int i = 0; i < CHILD_STREAMS; i++)
        process->pipes[i] = pipes[i][0];
    if (error) {
        close_pipes(pipes, 0);
        memory_free(process);
        child->process = NULL;
    }
    return error;
}

int child_shared(int shared)
{
    return shared >= 0 ? CHILD_SHARED_STREAM : -1;
}

void child_free(struct child *child)
{
    for (int i = 0; i < CHILD_STREAMS; i++)
        bytes_free(&child->texts[i]);
}

void children_wait(const struct child *const *children, size_t count, int other, int milliseconds)
{
    struct pollfd polls[CHILDREN_MAX * CHILD_STREAMS + 1];
    nfds_t polled = 0;
    for (size_t i = 0; i < count && i < CHILDREN_MAX; i++)
        for (int k = 0; k < CHILD_STREAMS; k++)
            if (children[i]->process->pipes[k] >= 0)
                polls[polled++] =
                    (struct pollfd){.fd = children[i]->process->pipes[k], .events = POLLIN};
    if (other >= 0)
        polls[polled++] = (struct pollfd){.fd = other, .events = POLLIN};
    (void)poll(polls, polled, milliseconds);
}

static void read_stream(struct child *child, int stream)
{
    static unsigned char part[PART];
    int *pipe = &child->process->pipes[stream];
    for (;;) {
        ssize_t count = read(*pipe, part, sizeof part);
        if (count > 0) {
            bytes_append(&child->texts[stream], part, (size_t)count);
        } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
            child->error = count && !child->error ? errno : child->error;
            close(*pipe);
            *pipe = -1;
            return;
        } else if (errno == EAGAIN) {
            return;
        }
    }
}

static double seconds_of(const struct timeval *time)
{
    return (double)time->tv_sec + 1e-6 * (double)time->tv_usec;
}

static void take_end(struct child *child)
{
    struct rusage used = {0};
    int status = 0;
    while (wait4(child->process->pid, &status, 0, &used) < 0 && errno == EINTR)
        continue;
    replace_running(child->process->pid, 0);
    child->status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    child->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    child->cpu_seconds = seconds_of(&used.ru_utime) + seconds_of(&used.ru_stime);
    child->peak_bytes = (size_t)used.ru_maxrss * 1024;
    memory_free(child->process);
    child->process = NULL;
}

bool child_read(struct child *child)
{
    bool is_open = false;
    for (int i = 0; i < CHILD_STREAMS; i++) {
        if (child->process->pipes[i] >= 0)
            read_stream(child, i);
        is_open |= child->process->pipes[i] >= 0;
    }
    if (!is_open)
        take_end(child);
    return !is_open;
}

bool child_has_status(const struct child *child)
{
    return !child->signal && child->status <= STATUS_BOUND;
}

const char *child_signal_text(int signal)
{
    return strsignal(signal);
}

bool child_outputs_are_joined(void)
{
    struct stat out, error;
    return fstat(STDOUT_FILENO, &out) == 0 && fstat(STDERR_FILENO, &error) == 0 &&
           out.st_dev == error.st_dev && out.st_ino == error.st_ino;
}
