/* Holds a file from before it is read until it is replaced ("in place"), so that of two runs that
 * change it at the same time none undoes what the other did.
 *
 * Runs of these programs are kept apart by flock(2) on the file; on Windows by an event that is
 * named after it, since a lock would keep the file from being replaced. What others do to it
 * meanwhile, and runs on file systems without locks, show in the file itself: a write with a hold
 * fails with ERROR_CHANGED when the path does not lead to the file of the hold any more, or its
 * size or time changed. */
#ifndef IO_FS_HOLD_H
#define IO_FS_HOLD_H

#include <stdbool.h>

#include "common/core/status.h"

struct diag;
struct fs;
struct fs_hold;
struct stat;
struct progress;

/* Who waits for a file that another run holds, and how long. */
struct fs_waiter {
    struct diag *diag;
    struct progress *progress; /* gets a phase while it waits; may be NULL */
    double seconds;            /* 0: it does not wait */
};

/* Holds `out` if that is the file at `in`; otherwise, and on file systems that hold nothing, *hold
 * is NULL. Reports a file that another run holds for too long (FILE_BUSY). A file that nothing can
 * be said of is reported (FILE_READ). Call it before the first byte of `in` is read. */
NODISCARD enum status fs_hold_begin(struct fs *fs, const struct fs_waiter *waiter, const char *in,
                                    const char *out, struct fs_hold **hold);
/* Returns 0, or ERROR_CHANGED when the file is not as it was. NULL holds nothing. */
int fs_hold_check(const struct fs_hold *hold);
/* True if this is the file of the hold, as it was. */
bool fs_hold_is(const struct fs_hold *hold, const struct stat *file);
void fs_hold_end(struct fs_hold *hold); /* NULL is fine */

/* Implementation of the disk, for the file systems: fs_ops.hold. */
int disk_hold(struct fs *fs, const char *in, const char *out, struct fs_hold **hold);

#endif
