#include <errno.h>
#include <stdlib.h>

#include "common/core/ending.h"
#include "common/core/memory.h"
#include "common/core/status.h"
#include "common/core/wide.h"
#include "common/io/stream.h"

void stream_end_if_closed(int error)
{
    if (error != EPIPE)
        return;
    ending_run();
    _Exit(STATUS_FAILED);
}

FILE *stream_open(const char *path, const char *mode)
{
    const wchar_t wide_mode[] = {(wchar_t)*mode, 'b', 0};
    wchar_t *wide;
    int error = wide_path(path, &wide);
    FILE *file = error ? NULL : _wfopen(wide, wide_mode);
    if (error)
        errno = error;
    memory_free(wide);
    return file;
}
