/* The world as a stage sees it. Everything here is borrowed.
 *
 * It stands above diag and io, which know nothing of each other's structs through it, and below all
 * that takes it. */
#ifndef ENV_H
#define ENV_H

#include "common/diag/diag.h"
#include "common/diag/progress.h"
#include "common/io/fs.h"

struct env {
    struct diag *diag;
    struct progress *progress; /* may be NULL */
    struct fs *fs;
    int threads; /* at least 1 */
};

#endif
