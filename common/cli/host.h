/* A program that runs others within its own process, in the place of a shell. All is borrowed.
 *
 * A run with a host prints no messages and changes nothing of the process: no signals, bounds,
 * priority or sandbox. */
#ifndef CLI_HOST_H
#define CLI_HOST_H

#include "common/env.h"

struct host {
    diag_sink *message;          /* one call at a time */
    progress_listener *progress; /* the same */
    void *context;               /* of both */
    struct fs *fs;
    const volatile sig_atomic_t *stop; /* as in struct env */
};

#endif
