#include "common/bsp/engine.h"

#include <stddef.h>

#include "common/bsp/dialect.h"
#include "common/bsp/engine_content.h"
#include "common/bsp/flags.h"
#include "common/core/strings.h"
#include "common/geom/epsilon.h"

#define ENGINE(row, ...) const struct engine engine_##row = {__VA_ARGS__};
#include "common/bsp/engines.def"
#undef ENGINE

static const struct engine *const engines[] = {
#define ENGINE(row, ...) &engine_##row,
#include "common/bsp/engines.def"
#undef ENGINE
};

const struct engine *engine_of_level(const char *path)
{
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
        for (const char *const *ending = engines[i]->levels; *ending; ending++)
            if (str_ends_nocase(path, *ending))
                return engines[i];
    return &engine_source;
}

const struct engine *engine_of_target(const char *target)
{
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
        if (str_equal_nocase(engines[i]->target, target))
            return engines[i];
    return NULL;
}
