#include "library/session.h"

#include <limits.h>
#include <stdarg.h>
#include <stdint.h>

#include "common/cli/version.h"
#include "common/core/arena.h"
#include "common/core/memory.h"
#include "common/diag/codes/usage.def"
#include "common/io/fs.h"
#include "common/parallel/parallel.h"

/* A file system whose files are written to memory, over another that is only read. */

/* Removed files are those of the memory: the ones below stay. */
struct memory_files {
    struct fs base;
    struct fs *memory, *below;
};

static struct fs *memory_of(struct fs *fs)
{
    return ((struct memory_files *)fs)->memory;
}

/* The file system that has the file. */
static struct fs *owner(struct fs *fs, const char *path)
{
    struct memory_files *all = (struct memory_files *)fs;
    return fs_memory_file(all->memory, path) ? all->memory : all->below;
}

static int files_read(struct fs *fs, const char *path, struct bytes *out)
{
    return owner(fs, path)->ops->read(owner(fs, path), path, out);
}

static int files_write(struct fs *fs, const char *path, const void *data, size_t size)
{
    return memory_of(fs)->ops->write(memory_of(fs), path, data, size);
}

static enum fs_kind files_kind(struct fs *fs, const char *path)
{
    return owner(fs, path)->ops->kind(owner(fs, path), path);
}

static int files_list(struct fs *fs, const char *path, fs_visit *visit, void *context)
{
    struct fs *below = ((struct memory_files *)fs)->below;
    return below->ops->list(below, path, visit, context);
}

static int files_remove(struct fs *fs, const char *path)
{
    return memory_of(fs)->ops->remove(memory_of(fs), path);
}

static int files_make_folder(struct fs *fs, const char *path)
{
    return memory_of(fs)->ops->make_folder(memory_of(fs), path);
}

static int files_read_part(struct fs *fs, const char *path, uint64_t offset, size_t size,
                           struct bytes *out)
{
    return owner(fs, path)->ops->read_part(owner(fs, path), path, offset, size, out);
}

static int files_size(struct fs *fs, const char *path, uint64_t *out)
{
    return owner(fs, path)->ops->size(owner(fs, path), path, out);
}

static const struct fs_ops ops = {
    .read = files_read,
    .write = files_write,
    .kind = files_kind,
    .list = files_list,
    .remove = files_remove,
    .make_folder = files_make_folder,
    .read_part = files_read_part,
    .size = files_size,
};

/* Both must outlive it. `memory` is one of fs_memory_new. */
static struct fs *memory_files_new(struct fs *memory, struct fs *below)
{
    struct memory_files *all = memory_zalloc(1, sizeof *all);
    *all = (struct memory_files){.base = {&ops}, .memory = memory, .below = below};
    return &all->base;
}

static void memory_files_free(struct fs *fs)
{
    memory_free(fs);
}

/* --- session --- */

enum { SESSION_ALONE = -1 };

const char *brushwork_version(void)
{
    return program_version;
}

void brushwork_free(void *memory)
{
    memory_free(memory);
}

struct brushwork_session *brushwork_session_new(void)
{
    struct brushwork_session *session = memory_zalloc(1, sizeof *session);
    session->fs = fs_disk();
    return session;
}

enum brushwork_status session_enter(struct brushwork_session *session)
{
    int nobody = 0;
    if (!session)
        return BRUSHWORK_USAGE;
    return atomic_compare_exchange_strong(&session->users, &nobody, SESSION_ALONE) ? BRUSHWORK_OK
                                                                                   : BRUSHWORK_BUSY;
}

enum brushwork_status session_leave(struct brushwork_session *session, enum brushwork_status status)
{
    atomic_store(&session->users, 0);
    return status;
}

bool session_look(struct brushwork_session *session)
{
    int users = atomic_load(&session->users);
    while (users != SESSION_ALONE && users < INT_MAX)
        if (atomic_compare_exchange_weak(&session->users, &users, users + 1))
            return true;
    return false;
}

void session_looked(struct brushwork_session *session)
{
    atomic_fetch_sub(&session->users, 1);
}

void session_destroy(struct brushwork_session *session)
{
    if (session->memory) {
        memory_files_free(session->memory_files);
        fs_memory_free(session->memory);
    }
    memory_free(session);
}

enum brushwork_status brushwork_session_free(struct brushwork_session *session)
{
    if (!session)
        return BRUSHWORK_OK;
    ENTER(session_enter(session));
    if (!session->open_bsps) {
        session_destroy(session);
        return BRUSHWORK_OK;
    }
    session->is_ended = true;
    session->on_message = NULL;
    session->on_progress = NULL;
    return session_leave(session, BRUSHWORK_OK);
}

enum brushwork_status brushwork_session_use_memory(struct brushwork_session *session)
{
    ENTER(session_enter(session));
    if (!session->memory) {
        session->memory = fs_memory_new();
        session->memory_files = memory_files_new(session->memory, fs_disk());
        session->fs = session->memory_files;
    }
    return session_leave(session, BRUSHWORK_OK);
}

static enum status put_file(struct call *call, const char *path, const void *data, size_t size)
{
    struct fs *fs = call->session->fs;
    TRY(call_need(call, path, "path"));
    TRY(call_need_bytes(call, data, size));
    if (!call->session->memory)
        return call_refuse(call, "the session has no files in memory");
    return fs->ops->write(fs, path, data, size) ? STATUS_FAILED : STATUS_OK; /* it takes all */
}

enum brushwork_status brushwork_file_put(struct brushwork_session *session, const char *path,
                                         const void *data, size_t size)
{
    struct call call;
    ENTER(call_begin(session, &call));
    return call_end(&call, put_file(&call, path, data, size));
}

static enum status get_file(struct call *call, const char *path, const void **data, size_t *size)
{
    TRY(call_need(call, path, "path"));
    TRY(call_need(call, data, "data"));
    TRY(call_need(call, size, "size"));
    const struct bytes *file =
        call->session->memory ? fs_memory_file(call->session->memory, path) : NULL;
    if (!file)
        return call_refuse(call, "no file %s in memory", path);
    *data = file->data;
    *size = file->size;
    return STATUS_OK;
}

enum brushwork_status brushwork_file_get(struct brushwork_session *session, const char *path,
                                         const void **data, size_t *size)
{
    struct call call;
    if (data)
        *data = NULL;
    if (size)
        *size = 0;
    ENTER(call_begin(session, &call));
    return call_end(&call, get_file(&call, path, data, size));
}

enum brushwork_status brushwork_session_progress(struct brushwork_session *session,
                                                 brushwork_on_progress *on_progress, void *context)
{
    ENTER(session_enter(session));
    session->on_progress = on_progress;
    session->progress_context = context;
    return session_leave(session, BRUSHWORK_OK);
}

void brushwork_cancel(struct brushwork_session *session)
{
    if (session)
        session->stop = 1;
}

enum brushwork_status brushwork_session_messages(struct brushwork_session *session,
                                                 brushwork_on_message *on_message, void *context)
{
    ENTER(session_enter(session));
    session->on_message = on_message;
    session->message_context = context;
    return session_leave(session, BRUSHWORK_OK);
}

static enum brushwork_severity severity_of(enum diag_severity severity)
{
    static const enum brushwork_severity severities[DIAG_SEVERITIES] = {
        [DIAG_NOTE] = BRUSHWORK_NOTE,
        [DIAG_WARNING] = BRUSHWORK_WARNING,
        [DIAG_ERROR] = BRUSHWORK_ERROR,
    };
    return severities[severity];
}

void session_pass_message(void *context, const struct diag_entry *entry)
{
    const struct brushwork_session *session = context;
    if (!session->on_message)
        return;
    const struct diag_info *info = diag_info(entry->code);
    const struct diag_where *where = &entry->where;
    struct brushwork_message message = {
        .severity = severity_of(entry->severity),
        .code = info->code,
        .title = info->title,
        .text = entry->message,
        .fix = info->fix,
        .file = where->file,
        .line = where->line,
        .entity = where->entity_id,
        .solid = where->solid_id,
        .side = where->side_id,
        .has_point = where->has_point,
        .point = {where->point[0], where->point[1], where->point[2]},
    };
    session->on_message(session->message_context, &message);
}

enum brushwork_status call_begin(struct brushwork_session *session, struct call *call)
{
    ENTER(session_enter(session));
    *call = (struct call){.session = session};
    float_mode_begin(&call->mode);
    call->env = (struct env){.diag = diag_new(session_pass_message, session),
                             .fs = session->fs,
                             .threads = parallel_threads(0)};
    return BRUSHWORK_OK;
}

enum brushwork_status call_end(struct call *call, enum status status)
{
    static const enum brushwork_status statuses[] = {
        [STATUS_OK] = BRUSHWORK_OK,
        [STATUS_FAILED] = BRUSHWORK_FAILED,
        [STATUS_USAGE] = BRUSHWORK_USAGE,
        [STATUS_LEAK] = BRUSHWORK_LEAK,
        [STATUS_INTERNAL] = BRUSHWORK_INTERNAL,
        [STATUS_BOUND] = BRUSHWORK_FAILED,
    };
    status = diag_verdict(call->env.diag, status);
    diag_free(call->env.diag);
    float_mode_end(&call->mode);
    return session_leave(call->session, statuses[status]);
}

static void report_refusal(struct diag *diag, const char *format, va_list args)
{
    struct arena arena = {0};
    (void)diag_report(diag, DIAG_USAGE, NULL, "%s", arena_vprintf(&arena, format, args));
    arena_free(&arena);
}

enum status call_refuse(struct call *call, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report_refusal(call->env.diag, format, args);
    va_end(args);
    return STATUS_USAGE;
}

enum status call_need(struct call *call, const void *argument, const char *name)
{
    return argument ? STATUS_OK : call_refuse(call, "the argument \"%s\" is NULL", name);
}

enum status call_need_bytes(struct call *call, const void *data, size_t size)
{
    if (size > PTRDIFF_MAX)
        return call_refuse(call, "no memory has %zu bytes", size);
    return size ? call_need(call, data, "data") : STATUS_OK;
}

enum brushwork_status session_refuse(struct brushwork_session *session, const char *format, ...)
{
    struct diag *diag = diag_new(session_pass_message, session);
    va_list args;
    va_start(args, format);
    report_refusal(diag, format, args);
    va_end(args);
    diag_free(diag);
    return BRUSHWORK_USAGE;
}
