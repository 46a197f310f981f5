#include "common/cli/signals.h"

#include <stdbool.h>
#include <stddef.h>
#include <windows.h>

enum { LAST_MILLISECONDS = 60000 };

static const struct {
    DWORD kind;
    const char *name;
} kinds[] = {{CTRL_C_EVENT, "Ctrl-C"},
             {CTRL_BREAK_EVENT, "Ctrl-Break"},
             {CTRL_CLOSE_EVENT, "the end of the console"},
             {CTRL_LOGOFF_EVENT, "the end of the session"},
             {CTRL_SHUTDOWN_EVENT, "the end of the system"}};

enum { KINDS = sizeof kinds / sizeof *kinds };

static volatile sig_atomic_t stop, caught; /* caught: the number of a kind, from 1 on */
static signals_act *volatile before_end;

void signals_before_end(signals_act *act)
{
    before_end = act;
}

static int number_of(DWORD kind)
{
    for (int i = 0; i < KINDS; i++)
        if (kinds[i].kind == kind)
            return i + 1;
    return 0;
}

/* Runs in a thread of its own. With FALSE the handler that command_line_take has set ends the
 * process. At the end of a console it does so in any case once this returns, but for a few seconds
 * waits for that. */
static BOOL WINAPI on_control(DWORD kind)
{
    int number = number_of(kind);
    bool is_first = !caught;
    if (!number)
        return FALSE;
    if (is_first)
        caught = number;
    stop = 1;
    if (kind != CTRL_C_EVENT && kind != CTRL_BREAK_EVENT)
        Sleep(LAST_MILLISECONDS);
    if (is_first)
        return TRUE;
    if (before_end)
        before_end(number);
    return FALSE;
}

volatile sig_atomic_t *signals_catch(void)
{
    (void)SetConsoleCtrlHandler(on_control, FALSE);
    stop = caught = 0;
    (void)SetConsoleCtrlHandler(on_control, TRUE);
    return &stop;
}

int signals_number(void)
{
    return caught;
}

const char *signals_caught(void)
{
    return caught ? kinds[caught - 1].name : NULL;
}

void signals_end(void)
{
    if (caught)
        ExitProcess((UINT)STATUS_CONTROL_C_EXIT);
}

void signals_of_output_ignore(void) {}

void signals_on_abort(signals_act *act)
{
    (void)signal(SIGABRT, act);
}

int signals_other_thread(pthread_t *thread, void *(*run)(void *context), void *context)
{
    return pthread_create(thread, NULL, run, context);
}
