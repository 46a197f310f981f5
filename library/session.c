#include "library/session.h"

#include <stdarg.h>

#include "common/cli/version.h"
#include "common/core/arena.h"
#include "common/core/memory.h"
#include "common/parallel/parallel.h"
#include "library/memory_files.h"

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

void brushwork_session_free(struct brushwork_session *session)
{
    if (!session)
        return;
    if (session->memory) {
        memory_files_free(session->memory_files);
        fs_memory_free(session->memory);
    }
    memory_free(session);
}

void brushwork_session_use_memory(struct brushwork_session *session)
{
    if (session->memory)
        return;
    session->memory = fs_memory_new();
    session->memory_files = memory_files_new(session->memory, fs_disk());
    session->fs = session->memory_files;
}

enum brushwork_status brushwork_file_put(struct brushwork_session *session, const char *path,
                                         const void *data, size_t size)
{
    if (!session->memory)
        return call_refuse(session, "the session has no files in memory");
    int error = session->fs->ops->write(session->fs, path, data, size);
    return error ? BRUSHWORK_FAILED : BRUSHWORK_OK; /* memory takes all files */
}

enum brushwork_status brushwork_file_get(struct brushwork_session *session, const char *path,
                                         const void **data, size_t *size)
{
    const struct bytes *file = session->memory ? fs_memory_file(session->memory, path) : NULL;
    *data = file ? file->data : NULL;
    *size = file ? file->size : 0;
    return file ? BRUSHWORK_OK : call_refuse(session, "no file %s in memory", path);
}

void brushwork_session_progress(struct brushwork_session *session,
                                brushwork_on_progress *on_progress, void *context)
{
    session->on_progress = on_progress;
    session->progress_context = context;
}

void brushwork_cancel(struct brushwork_session *session)
{
    session->stop = 1;
}

void brushwork_session_messages(struct brushwork_session *session, brushwork_on_message *on_message,
                                void *context)
{
    session->on_message = on_message;
    session->message_context = context;
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

void call_begin(struct brushwork_session *session, struct call *call)
{
    *call = (struct call){.session = session};
    float_mode_begin(&call->mode);
    call->env = (struct env){.diag = diag_new(session_pass_message, session),
                             .fs = session->fs,
                             .threads = parallel_threads(0)};
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
    return statuses[status];
}

enum brushwork_status call_refuse(struct brushwork_session *session, const char *format, ...)
{
    struct call call;
    struct arena arena = {0};
    va_list args;
    call_begin(session, &call);
    va_start(args, format);
    (void)diag_report(call.env.diag, DIAG_USAGE, NULL, "%s", arena_vprintf(&arena, format, args));
    va_end(args);
    arena_free(&arena);
    return call_end(&call, STATUS_USAGE);
}
