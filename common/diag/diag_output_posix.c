#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "common/diag/diag_output.h"

static pthread_mutex_t output = PTHREAD_MUTEX_INITIALIZER;

/* Signals that were blocked before; of whoever has the lock. */
static sigset_t before;

/* Of the document that a signal has to complete. */
static diag_complete *complete;

void diag_output_lock(void)
{
    sigset_t all, blocked;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &blocked);
    pthread_mutex_lock(&output);
    before = blocked;
}

void diag_output_unlock(void)
{
    sigset_t blocked = before;
    pthread_mutex_unlock(&output);
    pthread_sigmask(SIG_SETMASK, &blocked, NULL);
}

void diag_output_all(int file, const char *text, size_t size)
{
    while (size) {
        ssize_t count = write(file, text, size);
        if (count <= 0)
            return;
        text += count;
        size -= (size_t)count;
    }
}

int diag_output_at(int file, const char *text, size_t size, size_t at)
{
    while (size) {
        ssize_t count = pwrite(file, text, size, (off_t)at);
        if (count <= 0)
            return count < 0 ? errno : EIO;
        text += count;
        at += (size_t)count;
        size -= (size_t)count;
    }
    return 0;
}

int diag_output_cut(int file, size_t size)
{
    return ftruncate(file, (off_t)size) == 0 ? 0 : errno;
}

int diag_output_sync(int file)
{
    return fsync(file) == 0 ? 0 : errno;
}

static void on_signal(int number)
{
    diag_output_lock();
    complete();
    /* With the signal's default action, which the handler leaves. */
    raise(number);
}

void diag_output_catch(diag_complete *of_document)
{
    static const int numbers[] = {SIGHUP, SIGINT, SIGTERM};
    complete = of_document;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction action;
        sigaction(numbers[i], NULL, &action);
        if (action.sa_handler != SIG_DFL)
            continue;
        action = (struct sigaction){0};
        action.sa_handler = on_signal;
        action.sa_flags = (int)SA_RESETHAND;
        sigaction(numbers[i], &action, NULL);
    }
}
