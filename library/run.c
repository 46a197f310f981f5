/* Runs a program of the project within the session. */
#include <limits.h>
#include <string.h>

#include "brushwork/verbs.h"
#include "common/cli/host.h"
#include "common/core/array.h"
#include "library/session.h"
#include "vbsp/files.h"
#include "vrad/files.h"
#include "vvis/files.h"

static const struct {
    const char *name;
    program_main *run;
} programs[] = {
    {"vbsp", vbsp_program},
    {"vvis", vvis_program},
    {"vrad", vrad_program},
    {"build", build_program},
};

static program_main *program_of(const char *name)
{
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (strcmp(programs[i].name, name) == 0)
            return programs[i].run;
    return NULL;
}

static enum brushwork_event event_of(enum progress_kind kind)
{
    switch (kind) {
    case PROGRESS_BEGIN:
        return BRUSHWORK_PHASE_BEGIN;
    case PROGRESS_STEP:
        return BRUSHWORK_PHASE_STEP;
    case PROGRESS_END:
        return BRUSHWORK_PHASE_END;
    case PROGRESS_FILE:
        return BRUSHWORK_FILE_WRITTEN;
    case PROGRESS_COUNT:
    case PROGRESS_SIZE:
        break;
    }
    return BRUSHWORK_COUNTER;
}

static void pass_progress(void *context, const struct progress_event *event)
{
    const struct brushwork_session *session = context;
    if (!session->on_progress)
        return;
    const struct brushwork_progress progress = {
        .event = event_of(event->kind),
        .name = event->name,
        .done = event->done,
        .total = event->total,
        .seconds = event->wall_seconds,
        .value = event->value,
    };
    session->on_progress(session->progress_context, &progress);
}

static enum status check_arguments(struct call *call, const char *const *arguments, size_t count)
{
    if (count > INT_MAX - 2)
        return call_refuse(call, "no command line has %zu arguments", count);
    if (count)
        TRY(call_need(call, arguments, "arguments"));
    for (size_t i = 0; i < count; i++)
        if (!arguments[i])
            return call_refuse(call, "argument %zu is NULL", i);
    return STATUS_OK;
}

static enum status find_program(struct call *call, const char *name, program_main **out)
{
    TRY(call_need(call, name, "program"));
    *out = program_of(name);
    return *out ? STATUS_OK : call_refuse(call, "there is no program \"%s\" to run", name);
}

static int run_program(struct brushwork_session *session, program_main *run, const char *program,
                       const char *const *arguments, size_t count)
{
    const struct host host = {.message = session_pass_message,
                              .progress = pass_progress,
                              .context = session,
                              .fs = session->fs,
                              .stop = &session->stop};
    char **argv = NULL; /* strings are not changed */
    arrput(argv, (char *)program);
    for (size_t i = 0; i < count; i++)
        arrput(argv, (char *)arguments[i]);
    arrput(argv, NULL);
    int status = run((int)count + 1, argv, &host);
    arrfree(argv);
    session->stop = 0;
    return status;
}

enum brushwork_status brushwork_run(struct brushwork_session *session, const char *program,
                                    const char *const *arguments, size_t count)
{
    struct call call;
    program_main *run = NULL;
    ENTER(call_begin(session, &call));
    enum status status = find_program(&call, program, &run);
    if (status == STATUS_OK)
        status = check_arguments(&call, arguments, count);
    if (status != STATUS_OK)
        return call_end(&call, status);
    /* The program reports by itself, and its status is the verdict. */
    int result = run_program(session, run, program, arguments, count);
    (void)call_end(&call, STATUS_OK);
    return (enum brushwork_status)result;
}
