/* A session of libbrushwork over files in memory, which remembers its messages. */
#ifndef TESTS_LIBRARY_SESSION_H
#define TESTS_LIBRARY_SESSION_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library/include/brushwork/brushwork.h"

enum { CODES_KEPT = 64 };

struct test_session {
    struct brushwork_session *session;
    char codes[CODES_KEPT][8];
    size_t count;
    struct brushwork_message last; /* numbers only */
};

static inline void keep_message(void *context, const struct brushwork_message *message)
{
    struct test_session *test = context;
    if (test->count < CODES_KEPT)
        snprintf(test->codes[test->count++], sizeof *test->codes, "%s", message->code);
    test->last = *message;
}

static inline void session_open(struct test_session *test)
{
    memset(test, 0, sizeof *test);
    test->session = brushwork_session_new();
    brushwork_session_messages(test->session, keep_message, test);
    brushwork_session_use_memory(test->session);
}

static inline int session_said(const struct test_session *test, const char *code)
{
    for (size_t i = 0; i < test->count; i++)
        if (strcmp(test->codes[i], code) == 0)
            return 1;
    return 0;
}

/* Builds a map of maps/ to out.bsp in memory. */
static inline enum brushwork_status session_build(struct test_session *test, const char *map)
{
    char path[4096];
    snprintf(path, sizeof path, MAPS_DIR "/%s", map);
    const char *const arguments[] = {"-fast", "-bounce", "1", "-o", "out.bsp", path};
    return brushwork_run(test->session, "build", arguments, 6);
}

#endif
