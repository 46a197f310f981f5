/* Child processes: this program again, with its output in pipes.
 *
 * Each is in a process group of its own, so that a Ctrl-C reaches it once, from its parent; and the
 * system ends it when the parent dies: by SIGTERM, which lets it keep its checkpoint, or on Windows
 * at once. */
#ifndef MANY_CHILD_H
#define MANY_CHILD_H

#include <stdbool.h>

#include "common/core/bytes.h"

/* Pipes of a child; the last is no standard stream, and has this descriptor in the child. */
enum child_stream { CHILD_OUT, CHILD_ERR, CHILD_TOLD, CHILD_STREAMS };
enum { CHILD_TOLD_STREAM = 3 };

enum { CHILDREN_MAX = 256 };

/* The process and its pipes, as the system has them. */
struct child_process;

struct child {
    struct child_process *process; /* until it has ended */
    int error; /* errno of a read that failed: something may be missing from the texts; or 0 */
    /* When it has ended: */
    struct bytes texts[CHILD_STREAMS];
    int status; /* its exit status, if no signal has ended it */
    int signal; /* the one that has, or 0 */
    double cpu_seconds;
    size_t peak_bytes;
};

/* Starts this program with other arguments, without standard input. With `is_joined`, standard
 * error goes where standard output goes. `shared` is a descriptor that the child gets, too
 * (child_shared), or -1. Returns 0 or an errno value. */
int child_start(struct child *child, char *const *argv, bool is_joined, int shared);
void child_free(struct child *child);

/* Returns the number that a descriptor of the parent's has in a child. */
int child_shared(int shared);

/* Waits until there is something to read from one of the children, but not longer than that; also,
 * until the descriptor `other` can be read, unless it is -1. A signal may end it before. */
void children_wait(const struct child *const *children, size_t count, int other, int milliseconds);
/* Reads what there is. Returns true when the child has ended. */
bool child_read(struct child *child);

/* True for one that has ended with a status of a program (enum status). */
bool child_has_status(const struct child *child);
/* Returns what the system calls a signal. */
const char *child_signal_text(int signal);

/* Sends a signal to all that run. Takes no lock and allocates nothing. */
void children_signal(int number);

/* True when this process prints to one file by both standard output and standard error. */
bool child_outputs_are_joined(void);

#endif
