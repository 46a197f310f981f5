/* Internal: sessions, and the environment of a call. */
#ifndef LIBRARY_SESSION_H
#define LIBRARY_SESSION_H

#include <stdatomic.h>

#include "common/core/float_mode.h"
#include "common/env.h"
#include "library/include/brushwork/brushwork.h"

struct brushwork_session {
    /* Who is in it: SESSION_ALONE, or the number of those that only look. */
    atomic_int users;
    size_t open_bsps;
    bool is_ended; /* freed by its user: it goes with its last BSP */
    brushwork_on_message *on_message;
    void *message_context;
    brushwork_on_progress *on_progress;
    void *progress_context;
    volatile sig_atomic_t stop;
    struct fs *fs;                    /* the disk, or memory over it */
    struct fs *memory, *memory_files; /* owned, or NULL */
};

/* Takes the session for a call that may change something. Returns BRUSHWORK_OK, or why it was not
 * taken: BRUSHWORK_USAGE for NULL, BRUSHWORK_BUSY while another call is in it. */
NODISCARD enum brushwork_status session_enter(struct brushwork_session *session);
/* Gives it back, and returns the status. */
enum brushwork_status session_leave(struct brushwork_session *session,
                                    enum brushwork_status status);

/* The same for calls that change nothing, of which any number may be in it. */
NODISCARD bool session_look(struct brushwork_session *session);
void session_looked(struct brushwork_session *session);

/* Ends what session_enter began for a session that nobody uses any more. */
void session_destroy(struct brushwork_session *session);

/* Returns from a function of the library when the session was not taken. */
#define ENTER(taken)                                                                               \
    do {                                                                                           \
        enum brushwork_status taken_ = (taken);                                                    \
        if (taken_ != BRUSHWORK_OK)                                                                \
            return taken_;                                                                         \
    } while (0)

/* A diag_sink of a session. */
void session_pass_message(void *context, const struct diag_entry *entry);

/* A call of the library: its diagnostics are its own, as an error of an earlier call is no reason
 * to refuse this one. */
struct call {
    struct brushwork_session *session;
    struct env env;
    struct float_mode mode; /* of the host's thread */
};

/* Takes the session as session_enter does. */
NODISCARD enum brushwork_status call_begin(struct brushwork_session *session, struct call *call);
/* Gives it back, and returns the status of the call, which failed when it reported an error. */
enum brushwork_status call_end(struct call *call, enum status status);

/* Reports bad arguments (T001) of a call, and returns STATUS_USAGE. */
enum status call_refuse(struct call *call, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Refuses NULL. */
NODISCARD enum status call_need(struct call *call, const void *argument, const char *name);
/* Refuses bytes that cannot be: NULL that is not empty, or more than a pointer reaches. */
NODISCARD enum status call_need_bytes(struct call *call, const void *data, size_t size);

/* The same for a session that is taken without a call. */
enum brushwork_status session_refuse(struct brushwork_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
