#include <errno.h>
#include <stdio.h>

#include "common/core/memory.h"
#include "common/core/strings.h"
#include "common/io/disk_windows.h"
#include "common/io/fs_hold.h"

enum { TRIES = 16, NAME = 96 };

struct fs_hold {
    const struct fs *fs;
    char *path;
    HANDLE event; /* exists as long as the file is held */
    struct disk_info state;
};

static bool is_same(const struct disk_info *a, const struct disk_info *b)
{
    return a->volume == b->volume && a->number == b->number;
}

/* Returns 0, EWOULDBLOCK or another errno value. */
static int make_event(const char *space, const struct disk_info *file, HANDLE *out)
{
    char name[NAME];
    (void)snprintf(name, sizeof name, "%s\\brushwork-hold-%llx-%llx", space,
                   (unsigned long long)file->volume, (unsigned long long)file->number);
    HANDLE event = CreateEventA(NULL, TRUE, FALSE, name);
    bool is_there = GetLastError() == ERROR_ALREADY_EXISTS;
    if (!event)
        return GetLastError() == ERROR_ACCESS_DENIED ? EWOULDBLOCK : ENOSYS;
    if (is_there) {
        CloseHandle(event);
        return EWOULDBLOCK;
    }
    *out = event;
    return 0;
}

/* Another session of the same computer is asked, too, where that can be done; without events only
 * the file itself tells of others. */
static int lock(const struct disk_info *file, HANDLE *out)
{
    int error = make_event("Global", file, out);
    if (error == ENOSYS)
        error = make_event("Local", file, out);
    return error == ENOSYS ? 0 : error;
}

/* Holds the file that the path leads to. EAGAIN: it was replaced meanwhile. */
static int try_hold(const struct fs *fs, const char *path, struct fs_hold *hold)
{
    struct disk_info named;
    hold->event = NULL;
    int error = disk_stat(fs, path, &hold->state);
    if (!error)
        error = lock(&hold->state, &hold->event);
    if (!error)
        error = disk_stat(fs, path, &named);
    if (!error && !is_same(&named, &hold->state))
        error = EAGAIN;
    if (error && hold->event)
        CloseHandle(hold->event);
    return error;
}

int disk_hold(struct fs *fs, const char *in, const char *out, struct fs_hold **hold)
{
    struct disk_info of_in, of_out;
    struct fs_hold made = {.fs = fs};
    int error = disk_stat(fs, in, &of_in);
    *hold = NULL;
    if (!error)
        error = disk_stat(fs, out, &of_out);
    if (error)
        return fs_error_is_absent(error) ? 0 : error;
    if (!is_same(&of_in, &of_out) || of_out.is_folder || of_out.is_device)
        return 0;
    error = EAGAIN;
    for (int i = 0; i < TRIES && error == EAGAIN; i++)
        error = try_hold(fs, out, &made);
    if (error)
        return error;
    made.path = str_copy(out);
    *hold = memory_zalloc(1, sizeof **hold);
    **hold = made;
    return 0;
}

int fs_hold_check(const struct fs_hold *hold)
{
    struct disk_info now;
    int error = hold ? disk_stat(hold->fs, hold->path, &now) : 0;
    if (error)
        return fs_error_is_absent(error) ? ERROR_CHANGED : error;
    if (!hold || (is_same(&now, &hold->state) && now.size == hold->state.size &&
                  now.modified == hold->state.modified))
        return 0;
    return ERROR_CHANGED;
}

void fs_hold_end(struct fs_hold *hold)
{
    if (!hold)
        return;
    if (hold->event)
        CloseHandle(hold->event);
    memory_free(hold->path);
    memory_free(hold);
}
