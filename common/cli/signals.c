#include "common/cli/signals.h"

#include <stddef.h>

static const struct {
    int number;
    const char *name;
} signals[] = {{SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}};

enum { SIGNALS = sizeof signals / sizeof *signals };

static volatile sig_atomic_t stop, caught;

static void set_handler(int number, void (*handler)(int))
{
    struct sigaction before, action = {0};
    sigaction(number, NULL, &before);
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    if (before.sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

static void on_signal(int number)
{
    for (int i = 0; i < SIGNALS; i++)
        set_handler(signals[i].number, SIG_DFL);
    caught = number;
    stop = 1;
}

volatile sig_atomic_t *signals_catch(void)
{
    stop = caught = 0;
    for (int i = 0; i < SIGNALS; i++)
        set_handler(signals[i].number, on_signal);
    return &stop;
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
    if (caught)
        raise(caught);
}
