/* The world as a stage sees it. Everything here is borrowed. */
#ifndef CORE_ENV_H
#define CORE_ENV_H

#include "common/core/diag.h"
#include "common/core/fs.h"
#include "common/core/progress.h"

struct env {
    struct diag *diag;
    struct progress *progress; /* may be NULL */
    struct fs *fs;
    int threads; /* at least 1 */
};

#endif
