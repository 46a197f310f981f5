#include "common/core/environment.h"

#include <stdlib.h>

#include "common/core/arena.h"

const char *environment_text(struct arena *arena, const char *name)
{
    const char *value = getenv(name); // NOLINT(concurrency-mt-unsafe): before there are threads
    return value ? arena_strdup(arena, value) : NULL;
}

void environment_set(const char *name, const char *value)
{
    (void)setenv(name, value, 1); // NOLINT(concurrency-mt-unsafe): before there are threads
}
