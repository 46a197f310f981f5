#include "common/io/fs_hold.h"

#include <errno.h>
#include <stdbool.h>
#include <time.h>

#include "common/core/clock.h"
#include "common/core/strings.h"
#include "common/diag/codes/file_access.def"
#include "common/diag/diag.h"
#include "common/diag/file_report.h"
#include "common/diag/progress.h"
#include "common/io/fs.h"

enum { PAUSE_NANOSECONDS = 20000000 };

static bool is_busy(int error)
{
    return error == EWOULDBLOCK || error == EAGAIN;
}

static int wait_for(struct fs *fs, const struct fs_waiter *waiter, const char *in, const char *out,
                    struct fs_hold **hold)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NANOSECONDS};
    double end = clock_seconds(CLOCK_MONOTONIC) + waiter->seconds;
    int error = EWOULDBLOCK;
    progress_begin(waiter->progress, "wait for other run", 0);
    while (is_busy(error) && clock_seconds(CLOCK_MONOTONIC) < end) {
        nanosleep(&pause, NULL);
        error = fs->ops->hold(fs, in, out, hold);
    }
    progress_end(waiter->progress);
    return error;
}

enum status fs_hold_begin(struct fs *fs, const struct fs_waiter *waiter, const char *in,
                          const char *out, struct fs_hold **hold)
{
    const struct diag_where where = {.file = out};
    *hold = NULL;
    if (!fs->ops->hold)
        return STATUS_OK;
    int error = fs->ops->hold(fs, in, out, hold);
    if (is_busy(error))
        error = wait_for(fs, waiter, in, out, hold);
    if (!error)
        return STATUS_OK;
    if (!is_busy(error))
        return file_unread(waiter->diag, out, "%s", str_error(error).text);
    return diag_report(waiter->diag, DIAG_FILE_BUSY, &where,
                       "another run changes it; waited for %.1f s", waiter->seconds);
}
