#include "common/cli/signals.h"

#include <stddef.h>

static const struct {
    int number;
    const char *name;
} signals[] = {{SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}};

enum { SIGNALS = sizeof signals / sizeof *signals };

static volatile sig_atomic_t stop, caught;

static struct sigaction before[SIGNALS];
static signals_act *volatile before_end;

void signals_before_end(signals_act *act)
{
    before_end = act;
}

static void on_second(int number)
{
    if (before_end)
        before_end(number);
    sigaction(SIGINT, &before[0], NULL);
    raise(number);
}

/* The next Ctrl-C acts as if none had been caught. */
static void on_signal(int number)
{
    struct sigaction next = before[0];
    if (next.sa_handler != SIG_IGN)
        next.sa_handler = on_second;
    sigaction(SIGINT, &next, NULL);
    if (!caught)
        caught = number;
    stop = 1;
}

volatile sig_atomic_t *signals_catch(void)
{
    struct sigaction action = {0};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    stop = caught = 0;
    for (int i = 0; i < SIGNALS; i++) {
        sigaction(signals[i].number, NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            sigaction(signals[i].number, &action, NULL);
    }
    return &stop;
}

int signals_number(void)
{
    return caught;
}

const char *signals_caught(void)
{
    for (int i = 0; i < SIGNALS; i++)
        if (signals[i].number == caught)
            return signals[i].name;
    return NULL;
}

void signals_end(void)
{
    struct sigaction action = {0};
    action.sa_handler = SIG_DFL;
    if (!caught)
        return;
    sigaction(caught, &action, NULL);
    raise(caught);
}

static void ignore(int number)
{
    struct sigaction action = {0};
    action.sa_handler = SIG_IGN;
    sigaction(number, &action, NULL);
}

void signals_of_output_ignore(void)
{
    ignore(SIGPIPE);
    ignore(SIGXFSZ);
}

void signals_on_abort(signals_act *act)
{
    struct sigaction action = {.sa_handler = act};
    sigaction(SIGABRT, &action, NULL);
}

int signals_other_thread(pthread_t *thread, void *(*run)(void *context), void *context)
{
    sigset_t all, blocked;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &blocked);
    int error = pthread_create(thread, NULL, run, context);
    pthread_sigmask(SIG_SETMASK, &blocked, NULL);
    return error;
}
