#include "brushwork/many/jobserver.h"

#include <string.h>

#include "common/core/arena.h"
#include "common/diag/codes/surroundings.def"

/* The value of the last such option. */
static const char *find_value(const char *flags, struct arena *arena)
{
    static const char *const names[] = {"--jobserver-auth=", "--jobserver-fds="};
    const char *found = NULL;
    for (const char *at = flags; *at; at += strcspn(at, " ")) {
        at += strspn(at, " ");
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (strncmp(at, names[i], strlen(names[i])) == 0)
                found = at + strlen(names[i]);
    }
    return found ? arena_strndup(arena, found, strcspn(found, " ")) : NULL;
}

enum jobserver_state jobserver_open(const char *flags, struct diag *diag)
{
    struct arena arena = {0};
    const char *value = flags ? find_value(flags, &arena) : NULL;
    enum jobserver_state state = JOBSERVER_NONE;
    if (value && jobserver_connect(value)) {
        state = JOBSERVER_THERE;
    } else if (value) {
        jobserver_close();
        (void)diag_report(diag, DIAG_JOBSERVER, NULL, "%s; one map at a time", value);
        state = JOBSERVER_LOST;
    }
    arena_free(&arena);
    return state;
}
