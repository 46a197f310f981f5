/* Child processes: this program again, with its output in pipes.
 *
 * Each is in a process group of its own, so that a Ctrl-C reaches it once, from its parent; and the
 * system ends it when the parent dies (SIGTERM), which lets it keep its checkpoint. */
#ifndef MANY_CHILD_H
#define MANY_CHILD_H

#include <poll.h>
#include <stdbool.h>
#include <sys/types.h>

#include "common/core/bytes.h"

/* Pipes of a child; the last is no standard stream, and has this descriptor in the child. */
enum child_stream { CHILD_OUT, CHILD_ERR, CHILD_TOLD, CHILD_STREAMS };
enum { CHILD_TOLD_STREAM = 3 };
/* The descriptor that all children have of their parent's, if there is one. */
enum { CHILD_SHARED_STREAM = 4 };

enum { CHILDREN_MAX = 256 };

struct child {
    pid_t pid;
    int pipes[CHILD_STREAMS]; /* -1: at its end */
    struct bytes texts[CHILD_STREAMS];
    int error; /* errno of a read that failed: something may be missing from the texts; or 0 */
    /* When it has ended: */
    int status; /* as of waitpid(2) */
    double cpu_seconds;
    size_t peak_bytes;
};

/* Starts this program with other arguments, without standard input. With `is_joined`, standard
 * error goes where standard output goes. `shared` is a descriptor for CHILD_SHARED_STREAM, or -1.
 * Returns 0 or an errno value. */
int child_start(struct child *child, char *const *argv, bool is_joined, int shared);
void child_free(struct child *child);

/* Adds what the child waits for to `polls`; returns how many. */
size_t child_polls(const struct child *child, struct pollfd polls[CHILD_STREAMS]);
/* Reads what there is. Returns true when the child has ended. */
bool child_read(struct child *child);

/* Sends a signal to all that run. Takes no lock and allocates nothing. */
void children_signal(int number);

#endif
