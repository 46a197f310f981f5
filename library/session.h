/* Internal: sessions, and the environment of a call. */
#ifndef LIBRARY_SESSION_H
#define LIBRARY_SESSION_H

#include "common/core/float_mode.h"
#include "common/env.h"
#include "library/include/brushwork/brushwork.h"

struct brushwork_session {
    brushwork_on_message *on_message;
    void *message_context;
    brushwork_on_progress *on_progress;
    void *progress_context;
    volatile sig_atomic_t stop;
    struct fs *fs;                    /* the disk, or memory over it */
    struct fs *memory, *memory_files; /* owned, or NULL */
};

/* A diag_sink of a session. */
void session_pass_message(void *context, const struct diag_entry *entry);

/* A call of the library: its diagnostics are its own, as an error of an earlier call is no reason
 * to refuse this one. */
struct call {
    struct brushwork_session *session;
    struct env env;
    fenv_t mode; /* of the host's thread */
};

void call_begin(struct brushwork_session *session, struct call *call);
/* Returns the status of the call, which failed when it reported an error. */
enum brushwork_status call_end(struct call *call, enum status status);

/* A whole call that only reports bad arguments (C002). */
enum brushwork_status call_refuse(struct brushwork_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
