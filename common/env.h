/* Environment of a stage. Everything here is borrowed.
 *
 * It is above diag and io, which do not depend on each other, and below everything that uses it. */
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
