/* The jobserver of GNU Make: a pipe, or a named one, with a byte for each further job that may run;
 * on Windows a named semaphore, whose count stands for the bytes.
 *
 * A process of Make runs one job without asking, takes a byte for each that runs besides, and
 * writes the same byte back when that has ended, whatever ends it. Ninja offers it, too. */
#ifndef MANY_JOBSERVER_H
#define MANY_JOBSERVER_H

#include <stdbool.h>

#include "common/diag/diag.h"

/* One per process. */
enum jobserver_state {
    JOBSERVER_NONE,  /* nobody shares jobs */
    JOBSERVER_LOST,  /* Make does, but cannot be reached, which is reported (JOBSERVER) */
    JOBSERVER_THERE, /* until jobserver_close */
};

/* `flags` is the value of MAKEFLAGS, or NULL. */
enum jobserver_state jobserver_open(const char *flags, struct diag *diag);
/* Of jobserver_open: connects to the one that the value of the option names. Returns false when
 * there is none; then jobserver_close. */
bool jobserver_connect(const char *value);
/* Gives back what is still held. */
void jobserver_close(void);

/* Takes a byte if there is one now. */
bool jobserver_take(void);
/* Gives one back. */
void jobserver_give(void);
/* Gives all back: for a handler of signals, without locks or memory. */
void jobserver_give_all(void);

/* A descriptor that can be read when there may be a byte, for children_wait; -1: there is none. */
int jobserver_descriptor(void);

#endif
