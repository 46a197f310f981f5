#include "common/core/environment.h"

#include <stdlib.h>

#include "common/core/arena.h"
#include "common/core/memory.h"
#include "common/core/wide.h"

const char *environment_text(struct arena *arena, const char *name)
{
    wchar_t *wide = wide_from_utf8(name);
    const wchar_t *value = wide ? _wgetenv(wide) : NULL;
    char *text = value ? utf8_from_wide(value) : NULL;
    const char *copy = text ? arena_strdup(arena, text) : NULL;
    memory_free(text);
    memory_free(wide);
    return copy;
}

void environment_set(const char *name, const char *value)
{
    (void)_putenv_s(name, value);
}
